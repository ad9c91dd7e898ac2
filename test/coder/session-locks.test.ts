// Session locks between real processes: many that start at once, and some that are killed.

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { ownIdentity } from '../../src/coder/process/process-identity.ts';
import { lockFile, takeLock, type LockHolder, type SessionLock } from '../../src/coder/session/lock.ts';

const program = join(import.meta.dirname, '../support/kills/lock-taker.ts');

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Taker {
  readonly process: ChildProcess;
  /** The lines it has written so far, and those to come. */
  readonly next: () => Promise<string>;
  /** Makes it take the lock. */
  readonly take: () => void;
}

function startTaker(context: TestContext, folder: string): Taker {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  context.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    next: async () => String((await lines.next()).value),
    take: () => void child.stdin.write('take\n'),
  };
}

async function kill(taker: Taker): Promise<void> {
  taker.process.kill('SIGKILL');
  await once(taker.process, 'close');
}

function lockedBy(folder: string, changes: Partial<LockHolder>): void {
  const token = '3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b';
  const holder = { token, since: '2026-11-16T09:00:00.000Z', ...ownIdentity(), ...changes };
  writeFileSync(lockFile(folder), JSON.stringify(holder));
}

function take(folder: string): SessionLock {
  const outcome = takeLock(folder);
  assert.equal(outcome.kind, 'locked');
  return (outcome as { lock: SessionLock }).lock;
}

describe('the lock of a session', () => {
  for (const stale of ['', 'of a process that was killed', 'that is no lock']) {
    test(`has one taker of many that start at once${stale === '' ? '' : `, after a lock ${stale}`}`, async (context) => {
      const folder = folderOf(context);
      if (stale.includes('killed')) {
        const killed = startTaker(context, folder);
        killed.take();
        assert.deepEqual([await killed.next(), await killed.next()], ['ready', 'locked']);
        await kill(killed);
        assert.deepEqual(readdirSync(folder), ['lock']);
      } else if (stale !== '') {
        writeFileSync(lockFile(folder), 'garbage');
      }
      const takers = Array.from({ length: 10 }, () => startTaker(context, folder));
      for (const { next } of takers) assert.equal(await next(), 'ready');
      for (const taker of takers) taker.take();
      const outcomes = await Promise.all(takers.map(({ next }) => next()));
      assert.deepEqual(outcomes.toSorted(), [...Array.from({ length: 9 }, () => 'busy'), 'locked']);
      const winner = takers[outcomes.indexOf('locked')];
      const held = JSON.parse(readFileSync(lockFile(folder), 'utf8')) as LockHolder;
      assert.equal(held.pid, winner?.process.pid);
      assert.deepEqual(readdirSync(folder), ['lock']);
    });
  }

  test('of a killed process is free before its parent has looked at its end', async (context) => {
    const folder = folderOf(context);
    // The shell starts the taker and never waits for it, so that it stays a zombie. Without the redirection, the input of a
    // background process is empty.
    const script = `exec 3<&0; "$0" --disable-warning=ExperimentalWarning "$1" "$2" <&3 & echo $!; exec sleep 60 3<&-`;
    const shell = spawn('sh', ['-c', script, process.execPath, program, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    context.after(() => shell.kill('SIGKILL'));
    const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
    shell.stdin.write('take\n');
    const pid = Number((await lines.next()).value);
    context.after(() => process.kill(pid, 'SIGKILL'));
    assert.deepEqual([(await lines.next()).value, (await lines.next()).value], ['ready', 'locked']);
    assert.equal(takeLock(folder).kind, 'busy');
    process.kill(pid, 'SIGKILL');
    while (takeLock(folder).kind === 'busy') await new Promise(setImmediate);
    assert.doesNotThrow(() => process.kill(pid, 0), 'it is still a zombie');
  });

  test('is refused to the process that has it already, and free when it is released', (context) => {
    const folder = folderOf(context);
    const lock = take(folder);
    assert.equal(takeLock(folder).kind, 'busy');
    lock.release();
    lock.release();
    assert.deepEqual(readdirSync(folder), []);
    take(folder).release();
  });

  test('is taken over where the process cannot run any more, and nowhere else', (context) => {
    const folder = folderOf(context);
    const cases: readonly [string, Partial<LockHolder>, 'locked' | 'busy'][] = [
      ['another process with the same id', { started: '1' }, 'locked'],
      ['an id that is free', { pid: 2 ** 22 + 1 }, 'locked'],
      ['before the machine was started again', { boot: 'another' }, 'locked'],
      ['another machine', { host: 'another', boot: 'another', pid: 2 ** 22 + 1 }, 'busy'],
      ['another container', { namespace: 'pid:[1]', pid: 2 ** 22 + 1 }, 'busy'],
      ['a machine that has another name now', { host: 'another', pid: 2 ** 22 + 1 }, 'locked'],
      ['this process', {}, 'busy'],
    ];
    for (const [name, changes, expected] of cases) {
      lockedBy(folder, changes);
      assert.equal(takeLock(folder).kind, expected, name);
      rmSync(lockFile(folder));
    }
  });

  test('passes on from a process that died while it took the lock over', (context) => {
    const folder = folderOf(context);
    const tokens = ['3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b', '4f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b'];
    lockedBy(folder, { started: '1' });
    const second = { ...ownIdentity(), since: '', token: tokens[1], started: '2' };
    writeFileSync(`${lockFile(folder)}.after-${tokens[0]}`, JSON.stringify(second));
    take(folder).release();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('that was deleted is taken again, or its new holder is named', (context) => {
    const folder = folderOf(context);
    const lock = take(folder);
    rmSync(lockFile(folder));
    assert.equal(lock.confirm(), undefined);
    assert.equal(takeLock(folder).kind, 'busy');
    rmSync(lockFile(folder));
    const other = take(folder);
    assert.equal(lock.confirm()?.pid, process.pid);
    lock.release();
    assert.equal(other.confirm(), undefined, 'a lock of another is not released');
  });

  test('that cannot be created or read is reported, and nothing hangs', (context) => {
    const folder = folderOf(context);
    assert.deepEqual(takeLock(join(folder, 'absent')), { kind: 'failed', problem: 'ENOENT' });
    symlinkSync('/dev/zero', lockFile(folder));
    take(folder).release();
    mkdirSync(lockFile(folder));
    assert.equal(takeLock(folder).kind, 'failed');
    rmSync(lockFile(folder), { recursive: true });
    const tokens = ['3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b', '4f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b'] as const;
    lockedBy(folder, { started: '1' });
    for (const [from, to] of [tokens, tokens.toReversed()]) {
      const claim = { ...ownIdentity(), since: '', token: to, started: '1' };
      writeFileSync(`${lockFile(folder)}.after-${from}`, JSON.stringify(claim));
    }
    assert.equal(takeLock(folder).kind, 'failed', 'a chain in a circle');
  });
});
