// `withCache`: the same question is answered once. A stored answer is replayed as a stream; an answer that is being
// given is shared (flight.ts); a whole one is stored (cache-store.ts). Knows no store: anything that keeps bytes under
// a name will do. Invariants:
//   1. A store that fails costs a call its answer never: it is told to the observer, and the model is asked.
//   2. `off`, `read` and `refresh` share nothing: each of them asks by itself when it asks.

import type { CallContext } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Sha256 } from '../../core/hash.ts';
import { omitUndefined } from '../../core/json.ts';
import type { Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { bufferedStream } from '../../providers/buffered-stream.ts';
import { bytesOnlyField } from '../output/bytes-only.ts';
import { decodeEntry, replayEvents, type CacheEntry } from './cache-entry.ts';
import { cacheKeyOf } from './cache-key.ts';
import { ResponseStore, withStore } from './cache-store.ts';
import { withSingleFlight } from './single-flight.ts';
import { unlessAborted } from '../../core/abort.ts';

/** Keeps answers. May be implemented over anything; what it throws is survived. */
export interface Cache {
  /** Nothing when there is none, or none any more. The bytes are not changed by whoever gets them. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Keeps the bytes for so many milliseconds, or shorter. */
  set(key: string, bytes: Uint8Array, ttl: number): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface CacheOptions {
  readonly cache: Cache;
  /** Makes the keys. */
  readonly sha256: Sha256;
  /** Milliseconds. */
  readonly ttl: number;
  /** Everything beside the request that may change its answer: what stands behind the model's name, above all. */
  readonly identify?: (model: string) => unknown;
  /** Whether callers are given each other's answers; `false` when left out. */
  readonly share?: boolean;
  /** Longer answers, in bytes, are not stored. */
  readonly largestEntry?: number;
  /** Milliseconds since 1970. */
  readonly calendar?: () => number;
}

export interface CachedProvider extends Provider {
  /** Resolves when every answer that was given so far is stored, or could not be. */
  settled(): Promise<void>;
}

type KeyOf = (request: ChatRequest, context?: CallContext) => string | undefined;

export function withCache(provider: Provider, options: CacheOptions): CachedProvider {
  const keyOf = createKeys(options);
  const store = new ResponseStore(options);
  const stored = withStore(provider, store, keyOf);
  const shared = withSingleFlight(stored, keyOf);
  return {
    name: provider.name,
    settled: () => store.settled(),
    async open(request, signal, context) {
      const control = context?.cache;
      const key = control === 'off' ? undefined : keyOf(request, context);
      if (key === undefined) return provider.open(request, signal, context);
      if (control === 'refresh') return stored.open(request, signal, context);
      const entry = await unlessAborted(lookUp(options.cache, key, context), signal);
      if (entry !== undefined)
        return bufferedStream(entry.target, replayEvents(entry, request.stream !== false), { signal });
      return (control === 'read' ? provider : shared).open(request, signal, context);
    },
  };
}

/** One key for each request, however many ask for it. What has no key is asked as if there were no cache. */
function createKeys({ identify = () => undefined, share = false, sha256 }: CacheOptions): KeyOf {
  const known = new WeakMap<ChatRequest, { readonly caller: string | undefined; readonly key: string }>();
  return (request, context) => {
    const caller = share ? undefined : context?.caller;
    const before = known.get(request);
    if (before !== undefined && before.caller === caller) return before.key;
    // Of such an answer only a part could be kept.
    if (bytesOnlyField(request) !== undefined) return undefined;
    try {
      const key = cacheKeyOf(request, { identity: identify(request.model), caller }, sha256);
      known.set(request, { caller, key });
      return key;
    } catch {
      // A name nobody answers to, or a value that cannot be sent: whoever is asked says it best.
      return undefined;
    }
  };
}

async function lookUp(cache: Cache, key: string, context?: CallContext): Promise<CacheEntry | undefined> {
  try {
    const bytes = await cache.get(key);
    const entry = bytes === undefined ? undefined : decodeEntry(bytes);
    if (entry === undefined) context?.observe({ call: context.id, type: 'cache-miss', key });
    else context?.observe(omitUndefined({ call: context.id, type: 'cache-hit', key, answeredBy: entry.answeredBy }));
    return entry;
  } catch (error) {
    if (isConfigurationError(error)) throw error;
    context?.observe({ call: context.id, type: 'cache-failure', operation: 'get', error });
    return undefined;
  }
}

/** What only a person can mend is told and not survived: a cache that never works would go unnoticed. */
export function isConfigurationError(error: unknown): boolean {
  return error instanceof SimpleAgentsError && error.kind === 'configuration';
}
