// `withSingleFlight`: requests that are alike and under way at the same time share one call. Who comes later reads what
// was said so far and goes on with the others. Invariants:
//   1. Each reads at its own pace; the model is asked for more as soon as one wants more.
//   2. A call takes bounded memory. When its readers are further apart than that, the slowest get an error: better than
//      have everyone wait for one who may be gone, or give that one an answer with a hole.
//   3. Who leaves does not disturb the others; with the last one the call ends.
//   4. Nobody joins a call whose beginning is forgotten, or one that is over.

import type { CallContext } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Notice, StreamEvent } from '../../core/event.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import { finished, PullIterator } from '../../core/pull-iterator.ts';
import type { ChatRequest } from '../../core/request.ts';
import { noUsage } from '../../core/usage.ts';
import { EventLog, type LogPosition } from './event-log.ts';
import { unlessAborted } from '../../core/abort.ts';

/** About the bytes a shared call may hold: an answer of some hundred thousand words. */
const defaultLimit = 1024 * 1024;

const sharedNotice: Notice = {
  type: 'notice',
  kind: 'shared',
  detail: 'an identical call was under way; this is its answer',
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

/** Who wants the whole may read along with a stream; who wants a stream would wait too long for the whole. */
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

  /** `close`: nobody may join from now on. */
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

  /** `notice`: for who did not begin the call. */
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

  /** One reader has read everything there is. */
  pull(): void {
    if (this.#isPulling || this.#events === undefined) return;
    this.#isPulling = true;
    this.#events.next().then(this.#accept, this.#fail);
  }

  /** How the call itself ended, for the last to leave and for those it failed. */
  async outcome(): Promise<Outcome> {
    return (await this.#stream?.ended) ?? { type: 'left', usage: noUsage };
  }

  /** Says whether that was the last one, with whom the call ends. */
  leave(reader: SharedCallReader): boolean {
    this.#readers.delete(reader);
    if (this.#readers.size > 0 || this.end !== undefined) return false;
    this.end = {};
    this.#close();
    void this.#stop();
    return true;
  }

  /** Lets the call know first that it was left, unless its next event is awaited: that may be long in coming. */
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
      // What comes after the last event is the iterator's own end, which nobody else would ask for.
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
      slowest.fail(new SimpleAgentsError('timeout', 'this reader is too far behind the others of a shared answer'));
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

  /** The call is committed: from here on the reader's own signal ends only its reading. */
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

  /** Once, when the message has begun. */
  #takeNotice(): Notice | undefined {
    if (this.position.entry === 0 && this.position.offset === 0) return undefined;
    const notice = this.#notice;
    this.#notice = undefined;
    return notice;
  }

  /** There may be something new to read. */
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

  /** Everything was handed out: now what the reader or the call ended with, once. */
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
