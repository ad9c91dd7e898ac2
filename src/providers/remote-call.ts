// One call's lifetime: the caller's signal and the time-outs in a single signal, whose reason says which of
// them it was. The transport listens to that signal, so whatever ends the call also closes the socket.

import { startTimer, timeoutError } from '../core/timeout.ts';
import type { Timeouts } from './timeouts.ts';

/** Why a call ended that nobody waits for any more. */
const unwanted = new DOMException('the call is no longer wanted', 'AbortError');

export class RemoteCall {
  /** The caller has aborted. A plain field, because every event asks. */
  aborted = false;
  readonly #caller: AbortSignal;
  readonly #target: string;
  readonly #timeouts: Timeouts;
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout | undefined;
  #firstToken: NodeJS.Timeout | undefined;
  #isCommitted = false;
  #idle: NodeJS.Timeout | undefined;
  #idleExpired = false;
  #waiting = false;

  constructor(caller: AbortSignal, target: string, timeouts: Timeouts) {
    this.#caller = caller;
    this.#target = target;
    this.#timeouts = timeouts;
    const { firstToken, total } = timeouts;
    this.#firstToken = startTimer(firstToken, () => this.#expire('no answer came', 'firstToken'));
    this.#total = startTimer(total, () => this.#expire('the answer was not complete', 'total'));
    caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The answer has begun: from here on the idle time-out watches. */
  commit(): void {
    this.#isCommitted = true;
    clearTimeout(this.#firstToken);
    this.#firstToken = undefined;
  }

  /**
   * The reader waits for bytes, and only now does idle time count: a slow reader is not a silent server.
   * `fresh`: a piece of the answer has come since the last wait, so the clock starts anew.
   */
  startWaiting(fresh: boolean): void {
    if (!this.#isCommitted) return;
    this.#waiting = true;
    if (this.#idle === undefined) this.#idle = startTimer(this.#timeouts.idle, this.#onIdle);
    else if (fresh || this.#idleExpired) this.#idle.refresh();
    this.#idleExpired = false;
  }

  stopWaiting(): void {
    this.#waiting = false;
  }

  /** The whole answer is here: nothing can be late any more. */
  stopTimers(): void {
    clearTimeout(this.#firstToken);
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
  }

  /** Nothing more is to come, and nobody has to be told of an abort. */
  release(): void {
    this.stopTimers();
    this.#caller.removeEventListener('abort', this.#onAbort);
  }

  /** Nothing more is wanted: also closes the socket. */
  cancel(): void {
    this.release();
    this.#controller.abort(unwanted);
  }

  readonly #onAbort = (): void => {
    this.aborted = true;
    this.release();
    this.#controller.abort(this.#caller.reason);
  };

  readonly #onIdle = (): void => {
    if (this.#waiting) this.#expire('the stream fell silent: nothing new came', 'idle');
    else this.#idleExpired = true;
  };

  #expire(what: string, setting: 'firstToken' | 'idle' | 'total'): void {
    const limit = this.#timeouts[setting] ?? 0;
    this.release();
    this.#controller.abort(timeoutError(`${what} from ${this.#target}`, setting, limit));
  }
}
