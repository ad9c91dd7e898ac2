// `withCache`: answers equal requests from a cache. A stored response is replayed as a stream; a response in progress is
// shared (single-flight.ts); a complete response is stored (cache-store.ts). Any key-value store of bytes can be used.
// Invariants:
//   1. A failing store never fails a call: the failure is reported to the observer, and the model is called.
//   2. Calls with `off`, `read` or `refresh` never share a call in progress.

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

/** A store for responses. Calls survive its errors. */
export interface Cache {
  /** `undefined` if there is no entry or it has expired. The caller does not change the bytes. */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Keeps the bytes for at most `ttl` milliseconds. `owner`: the caller who got it from the model. A store with a size limit should not let one owner displace the others.
   */
  set(key: string, bytes: Uint8Array, ttl: number, owner?: string): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface CacheOptions {
  readonly cache: Cache;
  /** Makes the keys. */
  readonly sha256: Sha256;
  /** Milliseconds. */
  readonly ttl: number;
  /** Everything besides the request that may change the response, above all what the model's name stands for. */
  readonly identify?: (model: string) => unknown;
  /** Whether callers share responses. Defaults to `false`. */
  readonly share?: boolean;
  /** Larger responses are not stored, in bytes. */
  readonly largestEntry?: number;
  /** Milliseconds since 1970. */
  readonly calendar?: () => number;
}

export interface CachedProvider extends Provider {
  /** Resolves when every response so far is stored or has failed to be stored. */
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

/** Computes the key of a request once. A request without a key bypasses the cache. */
function createKeys({ identify = () => undefined, share = false, sha256 }: CacheOptions): KeyOf {
  const known = new WeakMap<ChatRequest, { readonly caller: string | undefined; readonly key: string }>();
  return (request, context) => {
    const caller = share ? undefined : context?.caller;
    const before = known.get(request);
    if (before !== undefined && before.caller === caller) return before.key;
    // Only a part of such a response could be stored.
    if (bytesOnlyField(request) !== undefined) return undefined;
    try {
      const key = cacheKeyOf(request, { identity: identify(request.model), caller }, sha256);
      known.set(request, { caller, key });
      return key;
    } catch {
      // An unknown model name, or a value that is not JSON. The call itself reports the error.
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

/** Configuration errors fail the call, because a cache that never works would otherwise go unnoticed. */
export function isConfigurationError(error: unknown): boolean {
  return error instanceof SimpleAgentsError && error.kind === 'configuration';
}
