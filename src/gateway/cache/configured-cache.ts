// Creates the cache from the settings. A store that is passed in belongs to the caller; a store that is created here is
// closed here.

import { SimpleAgentsError } from '../../core/error.ts';
import type { Sha256 } from '../../core/hash.ts';
import type { Provider } from '../../core/provider.ts';
import { guardCache } from './cache-guard.ts';
import { withCache, type Cache } from './cache.ts';
import { LearnedState } from '../learned-state.ts';
import { createRedisCache } from './redis-cache.ts';

export interface CacheSettings {
  readonly enabled?: boolean;
  /** One of the built-in stores, or your own. */
  readonly backend?: 'memory' | 'redis' | Cache;
  /** How long a response is kept, in milliseconds. Defaults to one hour. */
  readonly ttl?: number;
  /** Whether callers, such as the keys of a gateway, share responses. Defaults to `false`. */
  readonly share?: boolean;
  /** For `memory`: the maximum size of all responses together. */
  readonly maxBytes?: number;
  /** For `redis`: its URL, which may contain a password. */
  readonly url?: string;
  /** For `redis`: the environment variable with the URL, for the error message if it is missing. */
  readonly urlEnv?: string;
  /** For `redis`: the time limit of an operation, in milliseconds. */
  readonly timeout?: number;
}

export const defaultTtl = 3_600_000;

/** The time limit for the user's own store. A slower one would be no faster than the model. */
const ownTimeout = 1000;

export interface ClosableProvider extends Provider {
  close(): Promise<void>;
}

export interface ConfiguredCacheOptions {
  readonly sha256: Sha256;
  /** Everything besides the request that may change the response. */
  readonly identify: (model: string) => unknown;
  /** Keeps responses in memory beyond the life of this provider. */
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

export interface OpenStore {
  readonly cache: Cache;
  close(): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

export function openStore(settings: CacheSettings, learnedState: LearnedState): OpenStore {
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
  const message = `the Redis cache needs a URL: set ${variable}, for example to redis://127.0.0.1:6379`;
  throw new SimpleAgentsError('configuration', message, { field: 'cache.url_env' });
}
