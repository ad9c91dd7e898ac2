// Shows that the model has been asked, until its first word is there.

import type { Paint, TerminalOutput } from './terminal.ts';

export class WaitIndicator {
  readonly #screen: TerminalOutput | undefined;
  readonly #paint: Paint;
  #isShown = false;

  /** Without a screen it shows nothing. */
  constructor(screen: TerminalOutput | undefined, paint: Paint) {
    this.#screen = screen;
    this.#paint = paint;
  }

  /** At the beginning of a line. */
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
