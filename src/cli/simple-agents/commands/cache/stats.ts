// `simple-agents cache stats`: shows the number and size of cached responses.

import type { Command } from 'commander';
import type { Run } from '../../../invocation.ts';
import { toJsonText } from '../../../../heal/report/json-text.ts';
import { write } from '../../../terminal/terminal.ts';
import { addCacheOptions, describeBytes, withStore, type CacheFlags } from './store.ts';

export function registerCacheStats(parent: Command, run: Run): void {
  addCacheOptions(parent.command('stats').description('show the number and size of cached responses')).action(
    (flags: CacheFlags) =>
      run(
        (invocation) =>
          withStore(flags, invocation, async (store) => {
            // Read first, because counting the entries also causes look-ups.
            const { hits, misses } = await store.lookups();
            let entries = 0;
            let bytes = 0;
            for await (const batch of store.batches()) {
              entries += batch.length;
              for (const item of batch) bytes += item.bytes;
            }
            const text =
              flags.output === 'json'
                ? toJsonText({ backend: 'redis', entries, bytes, server: { hits, misses } }, 2)
                : `${entries} ${entries === 1 ? 'response' : 'responses'}, ${describeBytes(bytes)}\n` +
                  `look-ups in this Redis since it started, by all clients: hits ${hits}, misses ${misses}`;
            await write(invocation.terminal.stdout, `${text}\n`);
          }),
        flags.output,
      ),
  );
}
