// A cache in Redis, for several processes. This is the only file that uses Redis. The package `@redis/client` is loaded when
// a cache is created; users install it themselves. Invariants:
//   1. A connection that failed or missed a deadline is closed; the next operation opens a new one.
//   2. Only keys with our prefix are read, written, counted or deleted.
//   3. A connection never keeps the process alive, and closing does not wait.
//   4. The URL may contain a password, so no message contains it.

import type * as redis from '@redis/client';
import { SimpleAgentsError } from '../../core/error.ts';
import { guardCache } from './cache-guard.ts';
import type { Cache } from './cache.ts';
import type { Clock } from '../../core/clock.ts';

export interface RedisCacheOptions {
  /** `redis://…`, or `rediss://…` for TLS. */
  readonly url: string;
  /** The time limit of an operation, in milliseconds. Defaults to 50. */
  readonly timeout?: number;
  readonly clock?: Clock;
}

export interface RedisCache extends Cache {
  close(): Promise<void>;
}

export const defaultRedisTimeout = 50;

const prefix = 'simple-agents:cache:';

type Library = typeof redis;
type RedisConnection = InstanceType<Library['RedisClient']>;

export function createRedisCache({ url, timeout = defaultRedisTimeout, clock }: RedisCacheOptions): RedisCache {
  const store = new Redis(url);
  const guarded = guardCache(store, {
    timeout,
    onTimeout: () => store.disconnect(),
    ...(clock === undefined ? {} : { clock }),
  });
  // Loading the library takes longer than an operation may, so it starts at once and does not count.
  const { loaded } = store;
  return {
    get: (key) => loaded.then(() => guarded.get(key)),
    set: (key, bytes, ttl) => loaded.then(() => guarded.set(key, bytes, ttl)),
    delete: (key) => loaded.then(() => guarded.delete(key)),
    close: () => Promise.resolve(store.close()),
  };
}

/** The content of the store, and a way to clear it, for maintenance commands. */
export interface RedisInventory {
  /** Every key of ours, a few hundred at a time. */
  batches(): AsyncIterable<readonly RedisItem[]>;
  get(key: string): Promise<Uint8Array | undefined>;
  /** The remaining time to live of an entry, in milliseconds. */
  lifetime(key: string): Promise<number | undefined>;
  /** Returns the number of removed entries. */
  clear(): Promise<number>;
  /** Lookups by all clients since Redis started. */
  lookups(): Promise<{ readonly hits: number; readonly misses: number }>;
  close(): void;
}

export interface RedisItem {
  readonly key: string;
  readonly bytes: number;
}

/** For commands: waits longer than a call may, and explains failures. */
export function openRedisInventory(url: string, timeout = 5000): RedisInventory {
  return new Redis(url, timeout);
}

class Redis implements Cache, RedisInventory {
  readonly loaded: Promise<Library>;
  readonly #url: string;
  /** The time limit of each command, in milliseconds. Without it, the caller sets the limit. */
  readonly #timeout: number | undefined;
  #client: RedisConnection | undefined;
  #connecting: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(url: string, timeout?: number) {
    this.#url = url;
    this.#timeout = timeout;
    this.loaded = load(url);
    this.loaded.catch(() => undefined);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const { RESP_TYPES } = await this.loaded;
    const typeMapping = { [RESP_TYPES.BLOB_STRING]: Buffer };
    return (await this.#send<Buffer | null>(['GET', prefix + key], { typeMapping })) ?? undefined;
  }

  async set(key: string, bytes: Uint8Array, ttl: number): Promise<void> {
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await this.#send(['SET', prefix + key, value, 'PX', String(Math.max(1, Math.round(ttl)))]);
  }

  async delete(key: string): Promise<void> {
    await this.#send(['UNLINK', prefix + key]);
  }

  async *batches(): AsyncGenerator<readonly RedisItem[]> {
    const seen = new Set<string>();
    for await (const found of this.#scan()) {
      // SCAN may return a key twice while the table is resized.
      const names = found.filter((name) => !seen.has(name) && seen.add(name));
      const sizes = await Promise.all(names.map((name) => this.#send<number>(['STRLEN', name])));
      yield names.map((name, position) => ({ key: name.slice(prefix.length), bytes: sizes[position] ?? 0 }));
    }
  }

  async lifetime(key: string): Promise<number | undefined> {
    const left = await this.#send<number>(['PTTL', prefix + key]);
    return left < 0 ? undefined : left;
  }

  async clear(): Promise<number> {
    let removed = 0;
    for await (const found of this.#scan()) {
      if (found.length > 0) removed += await this.#send<number>(['UNLINK', ...found]);
    }
    return removed;
  }

  async lookups(): Promise<{ hits: number; misses: number }> {
    const report = await this.#send<string>(['INFO', 'stats']);
    const read = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(report)?.[1] ?? 0);
    return { hits: read('keyspace_hits'), misses: read('keyspace_misses') };
  }

  disconnect(): void {
    this.#client?.destroy();
    this.#client = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.disconnect();
  }

  async #send<T>(
    command: readonly (string | Buffer)[],
    options?: Parameters<RedisConnection['sendCommand']>[1],
  ): Promise<T> {
    const timer = this.#timeout === undefined ? undefined : setTimeout(() => this.close(), this.#timeout);
    try {
      return await (await this.#connect()).sendCommand<T>(command, options);
    } catch (error) {
      throw this.#timeout === undefined ? error : this.#explain(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #connect(): Promise<RedisConnection> {
    const library = await this.loaded;
    if (this.#isClosed) throw new SimpleAgentsError('network', 'the cache is closed');
    if (this.#client === undefined) {
      const client = createConnection(library, this.#url);
      if (this.#timeout === undefined) client.unref();
      client.on('error', () => this.#forget(client));
      this.#client = client;
      this.#connecting = client.connect();
      this.#connecting.catch(() => this.#forget(client));
    }
    const client = this.#client;
    await this.#connecting;
    return client;
  }

  #explain(error: unknown): SimpleAgentsError {
    if (error instanceof SimpleAgentsError) return error;
    const { host } = new URL(this.#url);
    const reason = error instanceof Error ? error.message : String(error);
    const problem = this.#isClosed ? `did not respond within ${this.#timeout} ms` : `cannot be used: ${reason}`;
    return new SimpleAgentsError('network', `Redis at ${host} ${problem}`, { cause: error });
  }

  /** Scans in batches, so that a large Redis stays responsive. */
  async *#scan(): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const scan = ['SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', '500'];
      const [next, found] = await this.#send<[string, string[]]>(scan);
      yield found;
      cursor = next;
    } while (cursor !== '0');
  }

  #forget(client: RedisConnection): void {
    if (this.#client === client) this.#client = undefined;
  }
}

/** The bare client, because one with a method for every command takes 60 ms to create. */
function createConnection({ RedisClient }: Library, url: string): RedisConnection {
  return new RedisClient({
    url,
    // Saves two round trips at the start, and supports old servers.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // A command that cannot be sent fails at once. The next operation opens a new connection.
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false },
  });
}

async function load(url: string): Promise<Library> {
  if (!isRedisUrl(url)) {
    throw new SimpleAgentsError('configuration', 'the Redis URL must be like redis://127.0.0.1:6379');
  }
  try {
    return await import('@redis/client');
  } catch (error) {
    const message = 'the Redis cache needs a package that is not installed: npm install @redis/client';
    throw new SimpleAgentsError('configuration', message, { cause: error });
  }
}

function isRedisUrl(url: string): boolean {
  return /^rediss?:$/.test(URL.parse(url)?.protocol ?? '');
}
