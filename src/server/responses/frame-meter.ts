// Counts the bytes of WebSocket messages while they arrive, because the library keeps the frames of a message to itself
// until its last one has arrived. It reads only the lengths of frames (RFC 6455, section 5.2) and leaves every check to the
// library. The counts do not depend on how the bytes are split.

/** The first two bytes of a frame, a length of up to eight bytes, and the mask. */
const longestHead = 14;
const maskLength = 4;
const finalBit = 0x80;
const maskBit = 0x80;
const lengthBits = 0x7f;
const opcodeBits = 0x0f;
/** Opcodes from here on are of control frames, which are no part of a message. */
const firstControl = 0x8;

export class FrameMeter {
  readonly #head = Buffer.alloc(longestHead);
  #headLength = 0;
  /** Bytes of the payload of the current frame that have not arrived. */
  #missing = 0;
  #isFinal = false;
  #isControl = false;
  #isOpen = false;

  /** Whether a message has begun that has not ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Returns how many bytes of messages these are, without the frames' heads. */
  push(bytes: Uint8Array): number {
    let counted = 0;
    for (let index = 0; index < bytes.length;) {
      if (this.#missing === 0) {
        this.#pushHead(bytes[index] as number);
        index++;
        continue;
      }
      const taken = Math.min(this.#missing, bytes.length - index);
      if (!this.#isControl) counted += taken;
      index += taken;
      this.#missing -= taken;
      if (this.#missing === 0) this.#endFrame();
    }
    return counted;
  }

  #pushHead(byte: number): void {
    this.#head[this.#headLength++] = byte;
    const size = headSize(this.#head, this.#headLength);
    if (this.#headLength < size) return;
    const first = this.#head[0] as number;
    this.#isFinal = (first & finalBit) !== 0;
    this.#isControl = (first & opcodeBits) >= firstControl;
    if (!this.#isControl) this.#isOpen = true;
    this.#missing = payloadLength(this.#head);
    this.#headLength = 0;
    if (this.#missing === 0) this.#endFrame();
  }

  #endFrame(): void {
    if (this.#isFinal && !this.#isControl) this.#isOpen = false;
  }
}

/** The size of the head, as far as its first bytes tell. */
function headSize(head: Buffer, length: number): number {
  if (length < 2) return 2;
  const second = head[1] as number;
  const extended: Readonly<Record<number, number>> = { 126: 2, 127: 8 };
  return 2 + (extended[second & lengthBits] ?? 0) + ((second & maskBit) === 0 ? 0 : maskLength);
}

function payloadLength(head: Buffer): number {
  const short = (head[1] as number) & lengthBits;
  if (short === 126) return head.readUInt16BE(2);
  return short === 127 ? Number(head.readBigUInt64BE(2)) : short;
}
