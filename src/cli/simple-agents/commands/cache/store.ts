// Opens the Redis store of the configuration for the cache commands.

import type { Command } from 'commander';
import { SimpleAgentsError } from '../../../../core/error.ts';
import type { RedisInventory } from '../../../../gateway/cache/redis-cache.ts';
import { outputOption } from '../../../flags.ts';
import type { Invocation } from '../../../invocation.ts';

export interface CacheFlags {
  readonly config?: string;
  readonly output: 'text' | 'json';
}

export function addCacheOptions(command: Command): Command {
  return command.option('--config <file>', 'the configuration file to use').addOption(outputOption());
}

/** Opens the store, runs `look`, and always closes the store. */
export async function withStore(
  flags: CacheFlags,
  { terminal, signal }: Invocation,
  look: (store: RedisInventory) => Promise<void>,
): Promise<number> {
  const { loadFlagSettings } = await import('../../connect.ts');
  const { missingAddress } = await import('../../../../gateway/cache/configured-cache.ts');
  const { openRedisInventory } = await import('../../../../gateway/cache/redis-cache.ts');
  const { cache } = await loadFlagSettings(flags, terminal);
  if (cache.backend !== 'redis') throw inMemory();
  const store = openRedisInventory(cache.url ?? missingAddress(cache.urlEnv));
  const close = (): void => store.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    await look(store);
    return 0;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    close();
  }
}

function inMemory(): SimpleAgentsError {
  return new SimpleAgentsError(
    'configuration',
    'the cache is in memory, so it cannot be inspected from another process. ' +
      'Set backend = "redis" in [cache], or read the cache metrics of the server',
    { field: 'cache.backend' },
  );
}

export function describeBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  const rank = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** rank;
  return `${rank === 0 ? amount : amount.toFixed(1)} ${units[rank]}`;
}
