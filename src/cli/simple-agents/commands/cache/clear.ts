// `simple-agents cache clear`: removes all cached responses, and nothing else from the same Redis.

import type { Command } from 'commander';
import type { Run } from '../../../invocation.ts';
import { toJsonText } from '../../../../heal/report/json-text.ts';
import { write } from '../../../terminal/terminal.ts';
import { addCacheOptions, withStore, type CacheFlags } from './store.ts';

export function registerCacheClear(parent: Command, run: Run): void {
  addCacheOptions(parent.command('clear').description('remove all cached responses')).action((flags: CacheFlags) =>
    run(
      (invocation) =>
        withStore(flags, invocation, async (store) => {
          const removed = await store.clear();
          const text =
            flags.output === 'json'
              ? toJsonText({ removed }, 2)
              : `${removed} ${removed === 1 ? 'response' : 'responses'} removed`;
          await write(invocation.terminal.stdout, `${text}\n`);
        }),
      flags.output,
    ),
  );
}
