// Who answered a call, learnt from what its observer is told on the way: the policies between need not carry it.

import type { CallContext, CallEvent, Observer } from '../../core/call.ts';

export class CallWatcher {
  /** `provider/model` of the last target that began to answer. */
  answeredBy: string | undefined;
  /** The answer came from the cache, or from another call. */
  isShared = false;
  /** Several targets gave parts of it. */
  isContinued = false;
  readonly context: CallContext;

  /** `others` are told as well; what one of them throws keeps nothing from the rest. */
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

/** Watching must not break what is watched. */
function quietly(observer: Observer, event: CallEvent): void {
  try {
    observer(event);
  } catch {
    // It is the observer's own concern.
  }
}
