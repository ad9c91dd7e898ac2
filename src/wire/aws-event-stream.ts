// The binary framing of Amazon's streaming responses (`application/vnd.amazon.eventstream`). A message is
//
//   total length (4) | headers length (4) | CRC of both (4) | headers | payload | CRC of everything before (4)
//
// Invariants: both checksums are verified, a message is limited in size, and chunks may be cut anywhere.

import { concat } from '../core/bytes.ts';
import { SimpleAgentsError, toError } from '../core/error.ts';

export interface EventStreamMessage {
  readonly headers: Readonly<Record<string, EventStreamHeader>>;
  readonly payload: Uint8Array;
}

export type EventStreamHeader =
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'byte' | 'short' | 'integer'; readonly value: number }
  | { readonly type: 'long'; readonly value: bigint }
  | { readonly type: 'binary'; readonly value: Uint8Array }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'timestamp'; readonly value: Date }
  | { readonly type: 'uuid'; readonly value: string };

/** The prelude and both checksums. */
const overhead = 16;
/** Amazon's own limit is 16 MiB for a payload and 128 KiB for headers. */
const mostBytes = 16 * 1024 * 1024 + 128 * 1024 + overhead;
const preludeLength = 12;
const mostHeaderBytes = 32_767;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Splits a stream into messages. A failure is not thrown, because the messages before it must not be lost. */
export class EventStreamDecoder {
  /** `bad-response`: the bytes are not an event stream. Further input is ignored. */
  failure: SimpleAgentsError | undefined;
  #chunks: Uint8Array[] = [];
  #held = 0;
  /** The length of the next message, once its prelude has arrived. */
  #wanted = 0;

  push(chunk: Uint8Array): EventStreamMessage[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const messages: EventStreamMessage[] = [];
    if (this.failure !== undefined || this.#held < Math.max(this.#wanted, preludeLength)) return messages;
    let rest = this.#chunks.length === 1 ? chunk : concat(this.#chunks);
    try {
      while (rest.length >= preludeLength) {
        this.#wanted = readPrelude(rest).total;
        if (rest.length < this.#wanted) break;
        messages.push(decodeMessage(rest.subarray(0, this.#wanted)));
        rest = rest.subarray(this.#wanted);
        this.#wanted = 0;
      }
    } catch (error) {
      this.failure = toError(error);
    }
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
    return messages;
  }

  /** Whether the bytes ended in the middle of a message. */
  get isCut(): boolean {
    return this.#held > 0;
  }
}

interface Prelude {
  readonly total: number;
  readonly headers: number;
}

function readPrelude(bytes: Uint8Array): Prelude {
  const view = viewOf(bytes);
  if (view.getUint32(8) !== crc32(bytes.subarray(0, 8))) throw malformed('the checksum of a message prelude is wrong');
  const total = view.getUint32(0);
  const headers = view.getUint32(4);
  if (total > mostBytes) throw malformed(`a message is longer than ${mostBytes} bytes`);
  if (total < headers + overhead) throw malformed('the lengths of a message contradict each other');
  return { total, headers };
}

/** Decodes exactly one message. */
export function decodeMessage(bytes: Uint8Array): EventStreamMessage {
  if (bytes.length < overhead) throw malformed('a message is too short');
  const { total, headers } = readPrelude(bytes);
  if (total !== bytes.length) throw malformed('the length of a message is wrong');
  const end = total - 4;
  if (viewOf(bytes).getUint32(end) !== crc32(bytes.subarray(0, end))) {
    throw malformed('the checksum of a message is wrong');
  }
  const bodyStart = preludeLength + headers;
  return { headers: decodeHeaders(bytes.subarray(preludeLength, bodyStart)), payload: bytes.subarray(bodyStart, end) };
}

function decodeHeaders(bytes: Uint8Array): EventStreamMessage['headers'] {
  const reader = new Reader(bytes);
  const headers: [string, EventStreamHeader][] = [];
  while (!reader.isDone) headers.push([reader.text(reader.byte()), decodeHeader(reader)]);
  // Creates own properties, also for `__proto__`.
  return Object.fromEntries(headers);
}

function decodeHeader(reader: Reader): EventStreamHeader {
  const tag = reader.byte();
  switch (tag) {
    case 0:
    case 1:
      return { type: 'boolean', value: tag === 0 };
    case 2:
      return { type: 'byte', value: reader.view(1).getInt8(0) };
    case 3:
      return { type: 'short', value: reader.view(2).getInt16(0) };
    case 4:
      return { type: 'integer', value: reader.view(4).getInt32(0) };
    case 5:
      return { type: 'long', value: reader.view(8).getBigInt64(0) };
    case 6:
      return { type: 'binary', value: reader.take(reader.view(2).getUint16(0)) };
    case 7:
      return { type: 'string', value: reader.text(reader.view(2).getUint16(0)) };
    case 8:
      return { type: 'timestamp', value: new Date(Number(reader.view(8).getBigInt64(0))) };
    case 9:
      return { type: 'uuid', value: toUuid(reader.take(16)) };
    default:
      throw malformed(`a header has the unknown type ${tag}`);
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#position === this.#bytes.length;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  view(length: number): DataView {
    return viewOf(this.take(length));
  }

  text(length: number): string {
    try {
      return decoder.decode(this.take(length));
    } catch (error) {
      throw error instanceof SimpleAgentsError ? error : malformed('a header is not UTF-8');
    }
  }

  take(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw malformed('a header is cut off');
    const part = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return part;
  }
}

export function encodeMessage({ headers, payload }: EventStreamMessage): Uint8Array {
  const head = concat(Object.entries(headers).flatMap(([name, header]) => [...encodeName(name), encodeHeader(header)]));
  const message = new Uint8Array(head.length + payload.length + overhead);
  const view = viewOf(message);
  view.setUint32(0, message.length);
  view.setUint32(4, head.length);
  view.setUint32(8, crc32(message.subarray(0, 8)));
  message.set(head, preludeLength);
  message.set(payload, preludeLength + head.length);
  view.setUint32(message.length - 4, crc32(message.subarray(0, message.length - 4)));
  return message;
}

function encodeName(name: string): Uint8Array[] {
  const bytes = encoder.encode(name);
  if (bytes.length > 255) throw new SimpleAgentsError('internal', 'the name of a header is longer than 255 bytes');
  return [Uint8Array.of(bytes.length), bytes];
}

function encodeHeader(header: EventStreamHeader): Uint8Array {
  switch (header.type) {
    case 'boolean':
      return Uint8Array.of(header.value ? 0 : 1);
    case 'byte':
      return encodeNumber(2, 1, (view) => view.setInt8(1, header.value));
    case 'short':
      return encodeNumber(3, 2, (view) => view.setInt16(1, header.value));
    case 'integer':
      return encodeNumber(4, 4, (view) => view.setInt32(1, header.value));
    case 'long':
      return encodeNumber(5, 8, (view) => view.setBigInt64(1, header.value));
    case 'timestamp':
      return encodeNumber(8, 8, (view) => view.setBigInt64(1, BigInt(header.value.getTime())));
    case 'binary':
      return encodeBytes(6, header.value);
    case 'string':
      return encodeBytes(7, encoder.encode(header.value));
    case 'uuid':
      return concat([Uint8Array.of(9), fromHex(header.value.replaceAll('-', ''))]);
  }
}

function encodeNumber(tag: number, size: number, write: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(size + 1);
  bytes[0] = tag;
  write(viewOf(bytes));
  return bytes;
}

function encodeBytes(tag: number, value: Uint8Array): Uint8Array {
  if (value.length > mostHeaderBytes) {
    throw new SimpleAgentsError('internal', `the value of a header is longer than ${mostHeaderBytes} bytes`);
  }
  return concat([encodeNumber(tag, 2, (view) => view.setUint16(1, value.length)), value]);
}

function toUuid(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 as in gzip. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function malformed(problem: string): SimpleAgentsError {
  return new SimpleAgentsError('bad-response', `malformed event stream: ${problem}`);
}
