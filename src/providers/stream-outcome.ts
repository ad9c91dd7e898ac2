// The end of a remote stream: settles `ended` and releases the connection, once, for both kinds of readers.

import type { StopReason } from '../core/event.ts';
import type { Outcome } from '../core/provider.ts';
import type { Usage } from '../core/usage.ts';
import { drain } from './body.ts';
import type { Upstream } from './upstream.ts';

export class StreamOutcome {
  readonly ended: Promise<Outcome>;
  readonly #settle: (outcome: Outcome) => void;
  readonly #upstream: Upstream;
  #isOver = false;

  constructor(upstream: Upstream) {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.ended = promise;
    this.#settle = resolve;
    this.#upstream = upstream;
  }

  /** The response is complete, although the body may not have been read to its very end. */
  complete(stopReason: StopReason, usage: Usage): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle({ type: 'complete', stopReason, usage });
    const { body, call } = this.#upstream;
    void drain(body, () => call.cancel()).then(() => call.release());
  }

  /** Returns the error to throw. */
  fail(error: unknown, usage: Usage): unknown {
    const explained = this.#upstream.explain(error);
    this.#end({ type: 'failed', error: explained, usage });
    return explained;
  }

  leave(usage: Usage): void {
    this.#end({ type: 'left', usage });
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(outcome);
    this.#upstream.call.cancel();
  }
}
