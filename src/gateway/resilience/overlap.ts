// Where a text that was cut and the text that goes on from it overlap: models asked to go on often begin again at the
// start of the word, the line or the sentence. Synchronous; holds back only what may still turn out to be a repetition.
// A short match may be chance ("10, 1" and "1, 12"; "tre" and "e"), so less than four letters or digits count as a
// repetition only when they are words from their start, without digits, or all there was.

/** Repetitions longer than this are not looked for. */
const longest = 400;
const leastCharacters = 4;

export class OverlapCutter {
  readonly #tail: string;
  #head = '';
  #isDecided = false;

  constructor(delivered: string) {
    this.#tail = delivered.slice(-longest);
  }

  /** What is new, as far as that is known. */
  push(text: string): string {
    if (this.#isDecided) return text;
    this.#head += text;
    const at = this.#tail.indexOf(this.#head);
    const mayGoOn = at !== -1 && at + this.#head.length < this.#tail.length;
    return mayGoOn ? '' : this.end();
  }

  /** Nothing more comes: what was held back is new but for the repetition. */
  end(): string {
    if (this.#isDecided) return '';
    this.#isDecided = true;
    return this.#head.slice(this.#overlap());
  }

  #overlap(): number {
    for (let length = Math.min(this.#head.length, this.#tail.length); length > 0; length--) {
      const start = this.#tail.length - length;
      if (this.#tail.startsWith(this.#head.slice(0, length), start) && this.#isRepetition(start)) return length;
    }
    return 0;
  }

  #isRepetition(start: number): boolean {
    const text = this.#tail.slice(start);
    if ((text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= leastCharacters) return true;
    const before = this.#tail.slice(0, start);
    return before === '' || (/[^\p{L}\p{N}]$/u.test(before) && /^\p{L}\P{N}*$/u.test(text));
  }
}
