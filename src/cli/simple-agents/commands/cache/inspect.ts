// `simple-agents cache inspect`: shows one cached response, or lists the keys if none is given.

import type { Command } from 'commander';
import { assemble } from '../../../../core/assembler.ts';
import { SimpleAgentsError } from '../../../../core/error.ts';
import { omitUndefined } from '../../../../core/json.ts';
import { textOf, toolCallsOf } from '../../../../core/message.ts';
import type { CacheEntry } from '../../../../gateway/cache/cache-entry.ts';
import type { RedisInventory, RedisItem } from '../../../../gateway/cache/redis-cache.ts';
import { describeTime, describeTokens } from '../../../response-writer.ts';
import type { Invocation, Run } from '../../../invocation.ts';
import { toJsonText } from '../../../../heal/report/json-text.ts';
import { formatTable } from '../../../terminal/table.ts';
import { toPrintable, widthOf, write } from '../../../terminal/terminal.ts';
import { addCacheOptions, describeBytes, withStore, type CacheFlags } from './store.ts';

export function registerCacheInspect(parent: Command, run: Run): void {
  addCacheOptions(
    parent
      .command('inspect')
      .description('show a cached response; without a key, list the keys')
      .argument('[key]', 'the key, or a unique prefix of it'),
  ).action((key: string | undefined, flags: CacheFlags) =>
    run(
      (invocation) =>
        withStore(flags, invocation, (store) =>
          key === undefined ? listKeys(store, flags, invocation) : showEntry(store, key, { flags, invocation }),
        ),
      flags.output,
    ),
  );
}

/** A longer list would not be readable. */
const maxListedKeys = 100;

async function listKeys(store: RedisInventory, { output }: CacheFlags, { terminal }: Invocation): Promise<void> {
  const items: RedisItem[] = [];
  let count = 0;
  for await (const batch of store.batches()) {
    items.push(...batch.slice(0, maxListedKeys - items.length));
    count += batch.length;
  }
  if (output === 'json') return write(terminal.stdout, `${toJsonText({ count, keys: items }, 2)}\n`);
  const columns = [
    { title: 'KEY', cell: ({ key }: RedisItem) => toPrintable(key, terminal.stdout) },
    { title: 'SIZE', cell: ({ bytes }: RedisItem) => describeBytes(bytes) },
  ];
  const more = count > items.length ? `… and ${count - items.length} more\n` : '';
  const table = count === 0 ? 'the cache is empty\n' : formatTable(items, columns, widthOf(terminal.stdout));
  return write(terminal.stdout, `${table}${more}`);
}

interface InspectContext {
  readonly flags: CacheFlags;
  readonly invocation: Invocation;
}

async function showEntry(store: RedisInventory, wanted: string, { flags, invocation }: InspectContext): Promise<void> {
  const { decodeEntry } = await import('../../../../gateway/cache/cache-entry.ts');
  const key = await findKey(store, wanted);
  const bytes = await store.get(key);
  const entry = bytes === undefined ? undefined : decodeEntry(bytes);
  if (bytes === undefined) throw missing(wanted);
  if (entry === undefined) {
    throw new SimpleAgentsError(
      'bad-response',
      `${key} was stored by another version of simple-agents, and this version ignores it`,
    );
  }
  const expiresIn = await store.lifetime(key);
  const { stdout } = invocation.terminal;
  const text =
    flags.output === 'json'
      ? toJsonText(toJson({ key, bytes: bytes.length, expiresIn, entry }), 2)
      : toPrintable(toText({ key, bytes: bytes.length, expiresIn, entry }), stdout);
  await write(stdout, `${text}\n`);
}

async function findKey(store: RedisInventory, wanted: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(wanted)) return wanted;
  const found: string[] = [];
  for await (const batch of store.batches()) {
    found.push(...batch.map(({ key }) => key).filter((key) => key.startsWith(wanted)));
  }
  const [only, another] = found;
  if (only === undefined) throw missing(wanted);
  if (another === undefined) return only;
  throw new SimpleAgentsError('bad-request', `${found.length} keys start with "${wanted}"; use a longer prefix`);
}

function missing(wanted: string): SimpleAgentsError {
  const message = `no cached response with the key "${wanted}"; run \`simple-agents cache inspect\` to list the keys`;
  return new SimpleAgentsError('bad-request', message);
}

interface InspectedEntry {
  readonly key: string;
  readonly bytes: number;
  readonly expiresIn: number | undefined;
  readonly entry: CacheEntry;
}

function toJson({ key, bytes, expiresIn, entry }: InspectedEntry): object {
  const { target, storedAt, events } = entry;
  const message = assemble(events);
  return omitUndefined({ key, bytes, expiresIn, storedAt: new Date(storedAt).toISOString(), target, message });
}

function toText({ key, bytes, expiresIn, entry }: InspectedEntry): string {
  const { target, storedAt, events } = entry;
  const message = assemble(events);
  const lifetime = expiresIn === undefined ? 'does not expire' : `expires in ${describeTime(expiresIn)}`;
  const calls = toolCallsOf(message.content).map(({ name, input }) => `${name}(${toJsonText(input)})`);
  return [
    `key      ${key}`,
    `target   ${target}, model ${message.model}, ${describeTokens(message)}`,
    `stored   ${new Date(storedAt).toISOString()}, ${describeBytes(bytes)}, ${lifetime}`,
    '',
    ...[textOf(message.content), ...calls].filter((part) => part !== ''),
  ].join('\n');
}
