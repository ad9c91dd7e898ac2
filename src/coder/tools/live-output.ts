// Shows the output of a running command as text, rate-limited: after the first 256 KB only a readable amount per second is
// shown, and the rest is reported as a number of bytes.

const first = 256 * 1024;
const perSecond = 16 * 1024;

export interface LiveOutputOptions {
  readonly show: (chunk: string) => void;
  /** A clock in milliseconds with any origin. */
  readonly now?: () => number;
}

export class LiveOutput {
  readonly #show: (chunk: string) => void;
  readonly #now: () => number;
  #decoder = new TextDecoder();
  #allowance = first;
  #filledAt: number;
  #omitted = 0;

  constructor({ show, now = () => performance.now() }: LiveOutputOptions) {
    this.#show = show;
    this.#now = now;
    this.#filledAt = now();
  }

  push(bytes: Buffer): void {
    const now = this.#now();
    this.#allowance = Math.min(first, this.#allowance + ((now - this.#filledAt) / 1_000) * perSecond);
    this.#filledAt = now;
    if (bytes.length > this.#allowance) {
      this.#omitted += bytes.length;
      return;
    }
    this.#allowance -= bytes.length;
    this.#showOmitted();
    this.#show(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): void {
    this.#showOmitted();
    this.#show(this.#decoder.decode());
  }

  #showOmitted(): void {
    if (this.#omitted === 0) return;
    this.#show(`\n… ${this.#omitted} bytes not shown …\n`);
    this.#omitted = 0;
    this.#decoder = new TextDecoder();
  }
}
