// Finds out which target responded to a call from the events of the call, so that policies need not pass it along.

import type { CallContext, CallEvent, Observer } from '../../core/call.ts';

export class CallWatcher {
  /** `provider/model` of the last target that started to respond. */
  answeredBy: string | undefined;
  /** The response came from the cache, or from another call. */
  isShared = false;
  /** Several targets contributed to the response. */
  isContinued = false;
  readonly context: CallContext;

  /** `others` gets the events as well. An error of one observer does not affect the other. */
  constructor(context: CallContext, others?: Observer) {
    const { observe } = context;
    const watch: Observer = (event) => {
      this.#learn(event);
      quietly(observe, event);
      if (others !== undefined) quietly(others, event);
    };
    this.context = { ...context, observe: watch };
  }

  #learn(event: CallEvent): void {
    if (event.type === 'attempt-end' && event.error === undefined && !event.aborted) {
      this.answeredBy = event.target;
      this.isShared = false;
    } else if (event.type === 'cache-hit') {
      this.answeredBy = event.answeredBy;
      this.isShared = true;
    } else if (event.type === 'call-join') this.isShared = true;
    else if (event.type === 'continuation') this.isContinued = true;
  }
}

/** An observer must not break the call. */
function quietly(observer: Observer, event: CallEvent): void {
  try {
    observer(event);
  } catch {
    // Errors of an observer are ignored.
  }
}
