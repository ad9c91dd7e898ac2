// Removes the overlap between a text that was cut off and its continuation. Models often start again at the beginning of
// the word, the line or the sentence. Synchronous; holds back only text that may still be a repetition.
// A short match may be chance ("10, 1" and "1, 12"; "tre" and "e"). Fewer than four letters or digits therefore count as a
// repetition only if they are complete words without digits, or the entire delivered text.

/** The maximum length of a repetition. */
const longest = 400;
const leastCharacters = 4;

export class OverlapCutter {
  readonly #tail: string;
  #head = '';
  #isDecided = false;

  constructor(delivered: string) {
    this.#tail = delivered.slice(-longest);
  }

  /** Returns the text that is known to be new. */
  push(text: string): string {
    if (this.#isDecided) return text;
    this.#head += text;
    const at = this.#tail.indexOf(this.#head);
    const mayGoOn = at !== -1 && at + this.#head.length < this.#tail.length;
    return mayGoOn ? '' : this.end();
  }

  /** Ends the text: returns what was held back, without the repetition. */
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
