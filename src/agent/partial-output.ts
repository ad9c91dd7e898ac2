// The output of a running tool, kept for the model in case the call is cancelled: head and tail, without terminal escape
// sequences. Memory is bounded; sizes are in characters.

const half = 50_000;
// oxlint-disable-next-line no-control-regex -- matches escape sequences
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

export class PartialOutput {
  #head = '';
  #tail = '';
  #omitted = 0;

  push(chunk: string): void {
    const free = half - this.#head.length;
    this.#head += chunk.slice(0, free);
    this.#tail += chunk.slice(free);
    if (this.#tail.length <= 2 * half) return;
    this.#omitted += this.#tail.length - half;
    this.#tail = this.#tail.slice(-half);
  }

  /** Empty when nothing was written. */
  toText(): string {
    const excess = Math.max(0, this.#tail.length - half);
    const omitted = this.#omitted + excess;
    const gap = omitted === 0 ? '' : `\n… [${omitted} characters omitted] …\n`;
    return `${this.#head}${gap}${this.#tail.slice(excess)}`.replaceAll(escapeSequence, '').trimEnd();
  }
}
