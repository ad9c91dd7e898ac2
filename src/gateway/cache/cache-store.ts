// Stores the complete responses of a provider. It collects the events while they are read and does not change them. A
// stream that is to be stored has no `bytes`, because reading bytes produces no events to store.
// Invariants:
//   1. Only usable responses are stored: not those that failed, were cut off, left, refused or paused, not empty ones, and
//      none with a tool call that could not be parsed.
//   2. Only `settled` waits for the store.

import type { CallContext } from '../../core/call.ts';
import type { StopReason, StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import { finished } from '../../core/pull-iterator.ts';
import type { ChatRequest } from '../../core/request.ts';
import { CallWatcher } from '../observe/call-watcher.ts';
import { encodeEntry } from './cache-entry.ts';
import type { CacheOptions } from './cache.ts';

/** In bytes of JSON. Far more than models write today. */
const defaultLargestEntry = 4 * 1024 * 1024;

/** How long `settled` waits for a store that does not respond, in milliseconds. */
const settleLimit = 1000;

export function withStore(
  provider: Provider,
  store: ResponseStore,
  keyOf: (request: ChatRequest, context?: CallContext) => string | undefined,
): Provider {
  return {
    name: provider.name,
    async open(request, signal, context) {
      const key = keyOf(request, context);
      if (key === undefined) return provider.open(request, signal, context);
      const watch = context && new CallWatcher(context);
      const stream = await provider.open(request, signal, watch?.context);
      return withListener(stream, (events) => {
        store.keep(key, stream, { events, context, answeredBy: watch?.answeredBy });
      });
    },
  };
}

interface CompleteResponse {
  readonly events: readonly StreamEvent[];
  readonly context: CallContext | undefined;
  readonly answeredBy: string | undefined;
}

export class ResponseStore {
  readonly #options: CacheOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  keep(key: string, { ended, target }: ModelStream, whole: CompleteResponse): void {
    const storing = ended.then((outcome) => {
      const isWhole = outcome.type === 'complete' && isWorthKeeping(whole.events);
      return isWhole ? this.#store(key, target, whole) : undefined;
    });
    this.#underWay.add(storing);
    void storing.finally(() => this.#underWay.delete(storing));
  }

  async settled(): Promise<void> {
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, settleLimit);
    await Promise.race([Promise.all(this.#underWay), limit.promise]);
    clearTimeout(timer);
  }

  /** Never rejects. */
  async #store(key: string, target: string, { events, context, answeredBy }: CompleteResponse): Promise<void> {
    const { cache, calendar = Date.now, largestEntry = defaultLargestEntry } = this.#options;
    const ttl = typeof context?.cache === 'object' ? context.cache.ttl : this.#options.ttl;
    const bytes = encodeEntry(omitUndefined({ target, answeredBy, storedAt: calendar(), events }));
    if (bytes.length > largestEntry || !(ttl > 0)) return;
    try {
      await cache.set(key, bytes, ttl, context?.caller);
      context?.observe({ call: context.id, type: 'cache-store', key });
    } catch (error) {
      context?.observe({ call: context.id, type: 'cache-failure', operation: 'set', error });
    }
  }
}

const finalReasons: ReadonlySet<StopReason> = new Set(['end', 'stop-sequence', 'tool-calls']);

function isWorthKeeping(events: readonly StreamEvent[]): boolean {
  const end = events.at(-1);
  if (end?.type !== 'message-end' || !finalReasons.has(end.stopReason)) return false;
  const blocks = events.filter((event) => event.type === 'block-end').map(({ block }) => block);
  return blocks.length > 0 && !blocks.some((block) => block.type === 'tool-call' && block.error !== undefined);
}

function withListener(stream: ModelStream, onComplete: (events: readonly StreamEvent[]) => void): ModelStream {
  return {
    target: stream.target,
    ended: stream.ended,
    [Symbol.asyncIterator]: () => new StoringIterator(stream[Symbol.asyncIterator](), onComplete),
  };
}

/** Returns the promises of the inner iterator itself, so that reading is not delayed. */
class StoringIterator implements AsyncIterator<StreamEvent> {
  readonly #inner: AsyncIterator<StreamEvent>;
  readonly #onComplete: (events: readonly StreamEvent[]) => void;
  readonly #events: StreamEvent[] = [];

  constructor(inner: AsyncIterator<StreamEvent>, onComplete: (events: readonly StreamEvent[]) => void) {
    this.#inner = inner;
    this.#onComplete = onComplete;
  }

  next(): Promise<IteratorResult<StreamEvent>> {
    const result = this.#inner.next();
    result.then(this.#collect, ignore);
    return result;
  }

  return(): Promise<IteratorResult<StreamEvent>> {
    return this.#inner.return?.() ?? Promise.resolve(finished);
  }

  readonly #collect = (result: IteratorResult<StreamEvent>): void => {
    if (result.done === true) return;
    switch (result.value.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-call-delta':
      case 'tool-call-start':
        return;
      case 'message-end':
        this.#events.push(result.value);
        this.#onComplete(this.#events);
        return;
      default:
        this.#events.push(result.value);
    }
  };
}

/** The reader of the stream gets the error. */
function ignore(): void {}
