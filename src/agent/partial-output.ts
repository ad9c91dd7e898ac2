// What a tool has written while it ran, kept for the model in case the call is cancelled: head and tail, without the
// escape sequences of terminals. Counted in characters; memory is bounded.

const half = 50_000;
// oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

export class PartialOutput {
  #head = '';
  #tail = '';
  #omitted = 0;

  push(chunk: string): void {
    const room = half - this.#head.length;
    this.#head += chunk.slice(0, room);
    this.#tail += chunk.slice(room);
    if (this.#tail.length <= 2 * half) return;
    this.#omitted += this.#tail.length - half;
    this.#tail = this.#tail.slice(-half);
  }

  /** Empty when nothing was written. */
  toText(): string {
    const excess = Math.max(0, this.#tail.length - half);
    const omitted = this.#omitted + excess;
    const gap = omitted === 0 ? '' : `\n… [${omitted} characters left out] …\n`;
    return `${this.#head}${gap}${this.#tail.slice(excess)}`.replaceAll(escapeSequence, '').trimEnd();
  }
}
