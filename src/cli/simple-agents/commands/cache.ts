// `simple-agents cache`: looks after the answers that are kept. Each subcommand is one file.

import type { Command } from 'commander';
import type { Run } from '../../invocation.ts';
import { registerCacheClear } from './cache/clear.ts';
import { registerCacheInspect } from './cache/inspect.ts';
import { registerCacheStats } from './cache/stats.ts';

export function registerCache(program: Command, run: Run): void {
  const command = program.command('cache').description('look at the answers that are kept, or remove them');
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

These look into Redis, where the configuration says backend = "redis" in [cache]. A cache in memory lives and
ends with the process that keeps it.`;
