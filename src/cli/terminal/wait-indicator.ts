// Shows that a response is pending, until its first text arrives.

import type { Paint, TerminalOutput } from './terminal.ts';

export class WaitIndicator {
  readonly #screen: TerminalOutput | undefined;
  readonly #paint: Paint;
  #isShown = false;

  /** Shows nothing without a screen. */
  constructor(screen: TerminalOutput | undefined, paint: Paint) {
    this.#screen = screen;
    this.#paint = paint;
  }

  /** Call this at the beginning of a line. */
  show(): void {
    if (this.#isShown) return;
    this.#screen?.write(this.#paint('dim', '…'));
    this.#isShown = true;
  }

  hide(): void {
    if (this.#isShown) this.#screen?.write('\r\u001b[K');
    this.#isShown = false;
  }
}
