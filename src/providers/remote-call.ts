// The lifetime of one call. It combines the caller's signal and the time-outs in one signal, whose reason says which of
// them ended the call. The transport listens to that signal, so whatever ends the call also closes the socket.

import { startTimer, timeoutError } from '../core/timeout.ts';
import type { Timeouts } from './timeouts.ts';

/** The reason of a call that was cancelled because it is no longer needed. */
const unwanted = new DOMException('the call is no longer needed', 'AbortError');

export class RemoteCall {
  /** The caller has aborted. A plain field, because it is read for every event. */
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
    this.#firstToken = startTimer(firstToken, () => this.#expire('no response arrived', 'firstToken'));
    this.#total = startTimer(total, () => this.#expire('no complete response arrived', 'total'));
    caller.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The response has started: from here on the idle time-out applies. */
  commit(): void {
    this.#isCommitted = true;
    clearTimeout(this.#firstToken);
    this.#firstToken = undefined;
  }

  /**
   * The reader waits for bytes. Idle time counts only while it waits, because a slow reader is not a silent server.
   * `fresh`: content has arrived since the last wait, so the idle time starts again.
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

  /** The complete response has arrived, so no time-out can expire any more. */
  stopTimers(): void {
    clearTimeout(this.#firstToken);
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
  }

  /** The call is over: stops the timers and no longer listens to the caller's signal. */
  release(): void {
    this.stopTimers();
    this.#caller.removeEventListener('abort', this.#onAbort);
  }

  /** Ends the call early and closes the socket. */
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
    if (this.#waiting) this.#expire('the stream stalled: no new content arrived', 'idle');
    else this.#idleExpired = true;
  };

  #expire(what: string, setting: 'firstToken' | 'idle' | 'total'): void {
    const limit = this.#timeouts[setting] ?? 0;
    this.release();
    this.#controller.abort(timeoutError(`${what} from ${this.#target}`, setting, limit));
  }
}
