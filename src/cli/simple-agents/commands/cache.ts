// `simple-agents cache`: inspects and clears the response cache. Each subcommand is one file.

import type { Command } from 'commander';
import type { Run } from '../../invocation.ts';
import { registerCacheClear } from './cache/clear.ts';
import { registerCacheInspect } from './cache/inspect.ts';
import { registerCacheStats } from './cache/stats.ts';

export function registerCache(program: Command, run: Run): void {
  const command = program.command('cache').description('inspect or clear the response cache');
  registerCacheStats(command, run);
  registerCacheInspect(command, run);
  registerCacheClear(command, run);
  command.addHelpText('after', examples);
}

const examples = `
Examples:
  simple-agents cache stats
  simple-agents cache inspect
  simple-agents cache inspect 9f2c --output json
  simple-agents cache clear

These commands require backend = "redis" in [cache] of the configuration. A cache in memory belongs to its process
and ends with it.`;
