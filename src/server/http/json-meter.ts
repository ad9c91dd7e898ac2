// Counts the values of a JSON text while its bytes arrive, so that a body with too many of them is refused before it is
// parsed. A short text can have millions of values, each of which takes time and memory. Invariants:
//   1. The counts do not depend on how the bytes are split.
//   2. For a text that is not valid JSON, they are at least those of the part that a parser would read.

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const unicodeEscape = 0x75;
/** The first byte of a character that is not in Latin-1. */
const firstWide = 0xc4;

/** Numbers and literals take much less memory and time than texts and objects. */
const plainValuesPerValue = 8;

export class JsonMeter {
  #containers = 0;
  #texts = 0;
  #commas = 0;
  #depth = 0;
  #deepest = 0;
  #isWide = false;
  #isInText = false;
  #isEscaped = false;

  /** Objects, arrays and texts, including the names of members; eight numbers or literals count as one. */
  get values(): number {
    return this.#containers + this.#texts + Math.ceil(this.#commas / plainValuesPerValue);
  }

  /** The most objects and arrays around a value. */
  get deepest(): number {
    return this.#deepest;
  }

  /** Whether JavaScript needs two bytes for each character of the text. */
  get isWide(): boolean {
    return this.#isWide;
  }

  push(bytes: Uint8Array): void {
    let index = 0;
    while (index < bytes.length)
      index = this.#isInText ? this.#readText(bytes, index) : this.#readStructure(bytes, index);
  }

  /** Reads to the end of the text. Returns the index after what was read. */
  #readText(bytes: Uint8Array, start: number): number {
    let index = start;
    let isEscaped = this.#isEscaped;
    let isWide = this.#isWide;
    for (; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      if (byte >= firstWide || (isEscaped && byte === unicodeEscape)) isWide = true;
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) break;
    }
    this.#isEscaped = isEscaped;
    this.#isWide = isWide;
    this.#isInText = index === bytes.length;
    return index + 1;
  }

  /** Reads up to the next text. */
  #readStructure(bytes: Uint8Array, start: number): number {
    let index = start;
    let commas = 0;
    for (; index < bytes.length; index++) {
      const byte = bytes[index] as number;
      if (byte === quote) break;
      if (byte === comma) commas++;
      else if (byte === openBrace || byte === openBracket) this.#open();
      else if (byte === closeBrace || byte === closeBracket) this.#depth--;
    }
    this.#commas += commas;
    if (index < bytes.length) {
      this.#isInText = true;
      this.#texts++;
    }
    return index + 1;
  }

  #open(): void {
    this.#containers++;
    this.#depth++;
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
  }
}
