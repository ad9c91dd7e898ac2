// `withSingleFlight`: equal requests that are in progress at the same time share one call. A late reader first gets the
// events so far. Invariants:
//   1. Each reader reads at its own pace. The call is read on as soon as one reader needs more.
//   2. A call uses bounded memory. If its readers are too far apart, the slowest get an error. The others do not wait for a
//      reader that may be gone, and no reader gets a response with a gap.
//   3. A reader that leaves does not affect the others. When the last one leaves, the call ends.
//   4. No reader joins a call whose first events were dropped, or one that is over.

import type { CallContext } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Notice, StreamEvent } from '../../core/event.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import { finished, PullIterator } from '../../core/pull-iterator.ts';
import type { ChatRequest } from '../../core/request.ts';
import { noUsage } from '../../core/usage.ts';
import { EventLog, type LogPosition } from './event-log.ts';
import { unlessAborted } from '../../core/abort.ts';

/** The approximate size that a shared call may buffer, in bytes. */
const defaultLimit = 1024 * 1024;

const sharedNotice: Notice = {
  type: 'notice',
  kind: 'shared',
  detail: 'an identical call was in progress; this is its response',
};

export function withSingleFlight(
  provider: Provider,
  keyOf: (request: ChatRequest, context?: CallContext) => string | undefined,
  limit = defaultLimit,
): Provider {
  const calls = new Map<string, SharedCall>();
  return {
    name: provider.name,
    async open(request, signal, context) {
      const key = keyOf(request, context);
      if (key === undefined) return provider.open(request, signal, context);
      signal.throwIfAborted();
      const [own, others] = namesOf(key, request, context);
      const joined = calls.get(own) ?? calls.get(others);
      if (joined !== undefined) {
        context?.observe({ call: context.id, type: 'call-join' });
        return joined.join(signal, sharedNotice);
      }
      const call = new SharedCall(limit, () => {
        if (calls.get(own) === call) calls.delete(own);
      });
      calls.set(own, call);
      call.start((ending) => provider.open(request, ending, context));
      return call.join(signal);
    },
  };
}

/** A request for a plain body may share a stream, but a request for a stream would wait too long for a plain body. */
function namesOf(key: string, { stream }: ChatRequest, context?: CallContext): readonly [own: string, others: string] {
  const streamed = `${key} ${context?.onCut ?? 'fail'}`;
  return [stream === false ? `${streamed} whole` : streamed, streamed];
}

class SharedCall {
  readonly log = new EventLog();
  /** How the call ended, when it has. */
  end: { readonly error?: unknown } | undefined;
  readonly #limit: number;
  readonly #close: () => void;
  readonly #ending = new AbortController();
  readonly #readers = new Set<SharedCallReader>();
  #opening: Promise<ModelStream> | undefined;
  #stream: ModelStream | undefined;
  #events: AsyncIterator<StreamEvent> | undefined;
  #isPulling = false;

  /** `close`: called when no reader may join any more. */
  constructor(limit: number, close: () => void) {
    this.#limit = limit;
    this.#close = close;
  }

  start(open: (ending: AbortSignal) => Promise<ModelStream>): void {
    this.#opening = open(this.#ending.signal).then((stream) => {
      this.#events = stream[Symbol.asyncIterator]();
      return (this.#stream = stream);
    });
    this.#opening.catch(this.#close);
  }

  /** `notice`: for a reader that did not start the call. */
  async join(signal: AbortSignal, notice?: Notice): Promise<ModelStream> {
    const reader = new SharedCallReader(this, signal, notice);
    this.#readers.add(reader);
    try {
      const { target } = await unlessAborted(this.#opening as Promise<ModelStream>, signal);
      reader.commit(target);
      return reader;
    } catch (error) {
      this.leave(reader);
      throw error;
    }
  }

  /** Reads the next event. Called when a reader has read everything so far. */
  pull(): void {
    if (this.#isPulling || this.#events === undefined) return;
    this.#isPulling = true;
    this.#events.next().then(this.#accept, this.#fail);
  }

  /** How the call itself ended. */
  async outcome(): Promise<Outcome> {
    return (await this.#stream?.ended) ?? { type: 'left', usage: noUsage };
  }

  /** Returns whether this was the last reader, so that the call ends. */
  leave(reader: SharedCallReader): boolean {
    this.#readers.delete(reader);
    if (this.#readers.size > 0 || this.end !== undefined) return false;
    this.end = {};
    this.#close();
    void this.#stop();
    return true;
  }

  /** Closes the stream, then aborts the call. While a read is pending, aborts first, because that read may take long. */
  async #stop(): Promise<void> {
    if (this.#isPulling) this.#ending.abort();
    await this.#events?.return?.().catch(() => undefined);
    this.#ending.abort();
  }

  readonly #accept = (result: IteratorResult<StreamEvent>): void => {
    this.#isPulling = false;
    if (result.done) return this.#finish({});
    this.log.append(result.value);
    if (result.value.type === 'message-end') {
      // Reads the end of the iterator, so that the stream is closed.
      void this.#events?.next().catch(() => undefined);
      return this.#finish({});
    }
    this.#wake();
    if (this.log.weight > this.#limit) this.#shrink();
  };

  readonly #fail = (error: unknown): void => {
    this.#isPulling = false;
    this.#finish({ error });
  };

  #finish(end: { readonly error?: unknown }): void {
    this.end ??= end;
    this.#close();
    this.#wake();
  }

  #wake(): void {
    for (const reader of this.#readers) reader.wake();
  }

  #shrink(): void {
    this.#close();
    const trim = (): void => this.log.trim(Array.from(this.#readers, ({ position }) => position));
    for (trim(); this.log.weight > this.#limit; trim()) {
      const [slowest] = [...this.#readers].toSorted((left, right) => left.position.entry - right.position.entry);
      if (slowest === undefined) return;
      slowest.fail(
        new SimpleAgentsError('timeout', 'this reader is too far behind the other readers of a shared response'),
      );
    }
  }
}

class SharedCallReader extends PullIterator<StreamEvent> implements ModelStream {
  target = '';
  readonly ended: Promise<Outcome>;
  readonly position: LogPosition = { entry: 0, offset: 0 };
  readonly #call: SharedCall;
  readonly #signal: AbortSignal;
  readonly #settle: (outcome: Outcome) => void;
  #failure: { readonly error: unknown } | undefined;
  #notice: Notice | undefined;
  #isClosed = false;
  #isRead = false;

  constructor(call: SharedCall, signal: AbortSignal, notice?: Notice) {
    super();
    this.#call = call;
    this.#notice = notice;
    this.#signal = signal;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.ended = promise;
    this.#settle = resolve;
  }

  /** The call is committed: from here on the reader's signal ends only its own reading. */
  commit(target: string): void {
    this.target = target;
    this.#signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  override [Symbol.asyncIterator](): this {
    if (this.#isRead) throw new SimpleAgentsError('internal', 'a stream can be read only once');
    this.#isRead = true;
    return this;
  }

  protected override take(): IteratorResult<StreamEvent, undefined> | undefined {
    const event = this.#isClosed ? undefined : (this.#takeNotice() ?? this.#call.log.read(this.position));
    if (event !== undefined) return this.#hand(event);
    return this.#isOver() ? this.#conclude() : undefined;
  }

  protected override request(): void {
    this.#call.pull();
  }

  protected override leave(): void {
    if (this.#isClosed) return;
    const isLast = this.#leave();
    if (isLast) void this.#call.outcome().then(({ usage }) => this.#settle({ type: 'left', usage }));
    else this.#settle({ type: 'left', usage: noUsage });
    this.wake();
  }

  /** Returns the notice once, after the message has started. */
  #takeNotice(): Notice | undefined {
    if (this.position.entry === 0 && this.position.offset === 0) return undefined;
    const notice = this.#notice;
    this.#notice = undefined;
    return notice;
  }

  /** Public, because the shared call wakes its readers. */
  override wake(): void {
    super.wake();
  }

  fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#leave();
    this.#settle({ type: 'failed', error, usage: noUsage });
    this.#failure = { error };
    this.wake();
  }

  readonly #onAbort = (): void => this.fail(this.#signal.reason);

  #isOver(): boolean {
    return this.#isClosed || this.#call.end !== undefined;
  }

  #hand(event: StreamEvent): IteratorYieldResult<StreamEvent> {
    if (event.type === 'message-end') {
      this.#settle({ type: 'complete', stopReason: event.stopReason, usage: event.usage });
      this.#leave();
    }
    return { done: false, value: event };
  }

  /** After the last event: throws the failure of the reader or of the call once, or returns the end. */
  #conclude(): IteratorReturnResult<undefined> {
    const failure = this.#failure ?? (this.#isClosed ? undefined : this.#call.end);
    this.#failure = undefined;
    if (!this.#isClosed) {
      this.#leave();
      void this.#call.outcome().then(this.#settle);
    }
    if (failure !== undefined && 'error' in failure) throw failure.error;
    return finished;
  }

  #leave(): boolean {
    this.#isClosed = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    return this.#call.leave(this);
  }
}
