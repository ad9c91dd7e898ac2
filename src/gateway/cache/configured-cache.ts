// The cache as the settings say: which store, for how long, around what. A store that was handed in belongs to whoever
// made it; one that is made here is closed here.

import { SimpleAgentsError } from '../../core/error.ts';
import type { Sha256 } from '../../core/hash.ts';
import type { Provider } from '../../core/provider.ts';
import { guardCache } from './cache-guard.ts';
import { withCache, type Cache } from './cache.ts';
import { LearnedState } from '../learned-state.ts';
import { createRedisCache } from './redis-cache.ts';

export interface CacheSettings {
  readonly enabled?: boolean;
  /** A store of your own goes before the two there are. */
  readonly backend?: 'memory' | 'redis' | Cache;
  /** Milliseconds an answer is kept; an hour when left out. */
  readonly ttl?: number;
  /** Whether callers, such as the keys of a gateway, are given each other's answers; `false` when left out. */
  readonly share?: boolean;
  /** For `memory`: all answers together. */
  readonly maxBytes?: number;
  /** For `redis`: where it is. May hold a password. */
  readonly url?: string;
  /** For `redis`: the environment variable the address comes from, so that a missing one can be named. */
  readonly urlEnv?: string;
  /** For `redis`: milliseconds an operation may take. */
  readonly timeout?: number;
}

export const defaultTtl = 3_600_000;

/** A store we know nothing of may be slow, but not so slow that asking the model is quicker. */
const ownTimeout = 1000;

export interface ClosableProvider extends Provider {
  close(): Promise<void>;
}

export interface ConfiguredCacheOptions {
  readonly sha256: Sha256;
  /** Everything beside the request that may change its answer. */
  readonly identify: (model: string) => unknown;
  /** Where answers in memory outlive this provider. */
  readonly learnedState?: LearnedState;
}

export function withConfiguredCache(
  provider: Provider,
  settings: CacheSettings,
  { identify, sha256, learnedState = new LearnedState() }: ConfiguredCacheOptions,
): ClosableProvider {
  const store = openStore(settings, learnedState);
  const cached = withCache(provider, {
    cache: store.cache,
    sha256,
    ttl: settings.ttl ?? defaultTtl,
    identify,
    share: settings.share ?? false,
  });
  return {
    name: provider.name,
    open: (request, signal, context) => cached.open(request, signal, context),
    async close() {
      await cached.settled();
      await store.close();
    },
  };
}

interface OpenStore {
  readonly cache: Cache;
  close(): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

function openStore(settings: CacheSettings, learnedState: LearnedState): OpenStore {
  const { backend = 'memory', maxBytes, timeout, url, urlEnv } = settings;
  if (typeof backend === 'object') return { cache: guardCache(backend, { timeout: ownTimeout }), close: nothing };
  if (backend === 'memory') return { cache: learnedState.memoryCacheOf(maxBytes), close: nothing };
  const cache = createRedisCache({
    url: url ?? missingAddress(urlEnv),
    ...(timeout === undefined ? {} : { timeout }),
  });
  return { cache, close: () => cache.close() };
}

export function missingAddress(variable = 'REDIS_URL'): never {
  const message = `the cache in Redis needs an address: set ${variable}, for example to redis://127.0.0.1:6379`;
  throw new SimpleAgentsError('configuration', message, { field: 'cache.url_env' });
}
