// Programs that record sessions are killed with SIGKILL at random moments, and a disk is full. For more kills, or to
// repeat a failure: `KILLS=2000 KILL_SEED=… node --test test/coder/session-kills.test.ts`.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runs } from '../support/enumeration.ts';
import { killSessions } from '../support/kills/sessions.ts';
import { skipWithout } from '../support/requirement.ts';

const count = Number(process.env['KILLS'] ?? runs(200, 40));
const seed = process.env['KILL_SEED'] ?? String(randomInt(1_000_000));
const run = promisify(execFile);

test(`${count} sessions whose program was killed`, { timeout: 240_000 }, async (context) => {
  const { sessions, records, torn } = await killSessions(count, seed);
  context.diagnostic(`seed ${seed}: ${sessions} sessions, ${records} records, none lost, ${torn} torn lines skipped`);
  assert.ok(sessions >= count);
});

/** A private mount that ends with the process. */
const enter = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];
const canMount = await run('unshare', [...enter, 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', '/mnt']).then(
  () => true,
  () => false,
);
const mount = { name: 'a mount of a small disk', isPresent: canMount, remedy: 'run as root, or allow user namespaces' };

test('a session on a full disk', { skip: skipWithout(mount), timeout: 60_000 }, async () => {
  const program = join(import.meta.dirname, '../support/kills/disk-full.ts');
  const script = `mount -t tmpfs -o size=256k none /mnt && exec "$0" --disable-warning=ExperimentalWarning "$1"`;
  const { stdout, stderr } = await run('unshare', [...enter, 'sh', '-c', script, process.execPath, program]);
  assert.equal(stderr, '');
  assert.equal(stdout, 'all records are there\n');
});
