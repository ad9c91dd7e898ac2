// Hook processes: they return in time and leave no process behind.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { until } from '../../../test/support/until.ts';
import { runHook, type HookOutcome, type HookProcess } from './process.ts';

function run(command: string, more: Partial<HookProcess> = {}): Promise<HookOutcome> {
  const { timeout = 5000, signal = new AbortController().signal, input = {} } = more;
  const environment = { PATH: process.env['PATH'] ?? '' };
  return runHook({ command, input, timeout, cwd: '/', environment, stderr: () => undefined, signal });
}

/** Processes that have the word among their arguments. */
function alive(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(word))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const home = temporaryFolder();
const isLinux = process.platform === 'linux';

describe('a hook that takes too long', { concurrency: true, skip: !isLinux && 'needs /proc' }, () => {
  // `: word` keeps the word in the arguments of the shell that sleeps.
  const ways: Readonly<Record<string, (nap: string) => string>> = {
    'by itself': (nap) => nap,
    'in a child': (nap) => `(${nap}) & (${nap}); wait`,
    'in a child that ignores signals': (nap) => `trap '' TERM INT HUP; (trap '' TERM; ${nap})`,
    'in a session of its own': (nap) => `setsid bash -c '${nap}' & ${nap}`,
    'behind nohup': (nap) => `nohup bash -c '${nap}' > /dev/null 2>&1 & ${nap}`,
    'in a grandchild whose parent is gone': (nap) => `(setsid bash -c '${nap}' &) & sleep 0.05; ${nap}`,
    'in an orphan that holds the pipe, while the hook is there': (nap) => `(setsid bash -c '${nap}' &); ${nap}`,
    'forking all the time': (nap) =>
      `for i in 1 2 3 4 5 6 7 8; do (setsid bash -c '${nap}' &); sleep 0.02; done; ${nap}`,
  };
  for (const [name, commandFor] of Object.entries(ways)) {
    test(`${name} is gone with all it started`, async () => {
      const word = randomUUID();
      const command = commandFor(`sleep 3600; : ${word}`);
      assert.deepEqual(await run(command, { timeout: 300 }), { type: 'timeout' });
      await until(() => alive(word).length === 0);
    });
  }
});

describe('a hook', () => {
  test('that has ended is not waited for when a child holds the pipe', async () => {
    assert.deepEqual(await run('sleep 3600 & echo said', { timeout: 3_600_000 }), { type: 'output', text: 'said\n' });
  });

  test('that wrote much before it ended is heard to the end', async () => {
    const outcome = await run('head -c 900000 /dev/zero | tr "\\0" x; sleep 3 &');
    assert.equal(outcome.type === 'output' && outcome.text.length, 900_000);
  });

  test('may read its input, or a part of it, or nothing, or close it; it may be more than a pipe holds', async () => {
    const input = { text: 'x'.repeat(1_000_000) };
    const ways: Readonly<Record<string, string>> = {
      'wc -c': '1000012\n',
      'head -c 5': '{"tex',
      'echo said': 'said\n',
      'exec <&-; echo said': 'said\n',
      'exec <&-; sleep 0.1; echo said': 'said\n',
    };
    for (const [command, text] of Object.entries(ways)) {
      assert.deepEqual(await run(command, { input }), { type: 'output', text }, command);
    }
  });

  test('that never stops writing is stopped, and little of it is held', async () => {
    const before = process.memoryUsage.rss();
    for (let time = 0; time < 5; time++) assert.deepEqual(await run('yes'), { type: 'flood' });
    assert.ok(process.memoryUsage.rss() - before < 64 * 1024 * 1024);
  });

  test('is not begun for a signal that was aborted', async () => {
    assert.deepEqual(await run('true', { signal: AbortSignal.abort() }), { type: 'cancelled' });
  });

  test('where there is no bash, or no such folder, has failed like a command that is not there', async () => {
    const { signal } = new AbortController();
    const nowhere = { command: 'true', input: {}, timeout: 1000, signal };
    const environment = { PATH: process.env['PATH'] ?? '' };
    const failed = { type: 'exit', code: 127 };
    assert.deepEqual(await runHook({ ...nowhere, cwd: '/no/such/folder', environment }), failed);
    assert.deepEqual(await runHook({ ...nowhere, cwd: '/', environment: { PATH: '/no/such/folder' } }), failed);
    assert.deepEqual(await runHook({ ...nowhere, cwd: '/', environment, command: `: ${'x'.repeat(200_000)}` }), failed);
  });

  test('does not read the user’s .bashrc, though its stdin looks like a network’s', async () => {
    home.write('.bashrc', 'echo from .bashrc');
    const { signal } = new AbortController();
    const environment = { PATH: process.env['PATH'] ?? '', HOME: home.path };
    const hook = { command: 'echo said', input: {}, timeout: 5000, cwd: '/', environment, signal };
    assert.deepEqual(await runHook(hook), { type: 'output', text: 'said\n' });
  });
});
