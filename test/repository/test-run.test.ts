// scripts/test.ts with test files that hang, fail by chance, end their process or leave processes behind.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTests } from '../../scripts/testing/run.ts';
import { findTestFiles, suites } from '../../scripts/testing/suites.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const script = join(root, 'scripts/test.ts');
const head = `import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';\n`;

/** Passes the second time. */
const flaky = (path: string): string => `test('depends on chance', () => {
  if (existsSync('${path}')) return;
  writeFileSync('${path}', '');
  throw new Error('the first error');
});`;

const steady = (): string => `test('passes', () => {});`;

/** Fails after its end, the first time. */
const late = (path: string): string => `test('ends early', () => {
  if (existsSync('${path}')) return;
  writeFileSync('${path}', '');
  setTimeout(() => { throw new Error('too late'); });
});
test('waits', (_context, done) => void setTimeout(done, 50));`;

/** A hook of its suite fails, the first time. */
const hook = (path: string): string => `describe('a suite', () => {
  test('passes', () => {});
  after(() => { ${flaky(path).split('\n').slice(1, -1).join('\n')} });
});`;

/** Never ends. Its processes hold stderr open and ignore signals: one each per way to get away from the runner. */
const hangsWithOrphans = (ready: string): string => `test('hangs', async () => {
  const loop = "trap '' TERM HUP INT; echo ready; while :; do sleep 1; done";
  const start = (script, options) => new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'inherit'];
    spawn('sh', ['-c', script], { stdio, ...options }).stdout.once('data', resolve);
  });
  const env = { PATH: process.env.PATH, ORPHAN_MARK: process.env.ORPHAN_MARK };
  await start(loop);
  await start('(' + loop + ') & exit 0', { env });
  await start(loop, { detached: true, env });
  await start('(' + loop + ') & exit 0', { detached: true });
  writeFileSync('${ready}', '');
  setInterval(() => {}, 1000);
  await new Promise(() => {});
});`;

interface Project {
  readonly pattern: string;
  readonly path: (name: string) => string;
}

function projectWith(files: Readonly<Record<string, (path: string) => string>>): Project {
  const folder = temporaryFolder().path;
  const path = (name: string): string => join(folder, name);
  for (const [name, code] of Object.entries(files)) {
    writeFileSync(path(`${name}.test.ts`), head + code(path(`${name}.mark`)));
  }
  return { pattern: path('*.test.ts'), path };
}

interface Ending {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

function runScript(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ending> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, [script, 'quick', ...argv], options, (error, out, err) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

async function exists(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(20);
}

describe('a file that fails', () => {
  test('and passes alone is named as unsteady, with its first error', async () => {
    const { pattern } = projectWith({ chance: flaky, steady });
    const { exitCode, out } = await runScript([pattern]);
    assert.equal(exitCode, 0, out);
    const expected = /\nUnsteady: 1 failed .*\n.*chance\.test\.ts\n {4}depends on chance\n {4}Error: the first error\n/;
    assert.match(out, expected);
    assert.match(out, /\n2 passed, 0 failed, 0 skipped\n$/);
  });

  test('and fails again fails the run, and counts once', async () => {
    const { pattern } = projectWith({
      chance: flaky,
      broken: () => `test('breaks', () => { throw new Error('always'); }); test('skips', { skip: true }, () => {});`,
    });
    const { exitCode, out } = await runScript([pattern]);
    assert.equal(exitCode, 1);
    assert.match(out, /✖ failing tests:[^]*Error: always[^]*Unsteady: 1 failed/);
    assert.doesNotMatch(out.slice(out.indexOf('Unsteady')), /always/);
    assert.match(out, /\n1 passed, 1 failed, 1 skipped\n$/);
  });

  test('is one of more than three unsteady ones in a run that fails', async () => {
    const { pattern } = projectWith({ one: flaky, two: flaky, three: flaky, four: flaky });
    const { exitCode, out } = await runScript([pattern]);
    assert.equal(exitCode, 1);
    assert.match(out, /\nUnsteady: 4 failed [^]*\n4 passed, 0 failed, 0 skipped\n$/);
  });

  test('because of an error after its last test is run again', async () => {
    const { exitCode, out } = await runScript([projectWith({ late }).pattern]);
    assert.equal(exitCode, 0, out);
    assert.match(out, /\nUnsteady: 1 failed [^]*late\.test\.ts[^]*too late[^]*\n2 passed, 0 failed, 0 skipped\n$/);
  });

  test('in a hook of a suite is the one that is run again', async () => {
    const { exitCode, out } = await runScript([projectWith({ hook, steady }).pattern]);
    assert.equal(exitCode, 0, out);
    assert.match(
      out,
      /\nUnsteady: 1 failed [^\n]*\n[^\n]*hook\.test\.ts\n {4}a suite\n[^]*the first error[^]*\n2 passed, 0 failed/,
    );
  });

  test('because it cannot be loaded fails the run', async () => {
    const { pattern } = projectWith({ absent: () => `import './absent.ts';` });
    const { exitCode, out } = await runScript([pattern]);
    assert.equal(exitCode, 1);
    assert.match(out, /Cannot find module[^]*\n0 passed, 1 failed, 0 skipped\n$/);
  });
});

test('a process that ends before its tests fails the run, also with exit code 0', async () => {
  const { pattern } = projectWith({ exits: () => `test('exits', () => process.exit(0));` });
  const { exitCode, out } = await runScript([pattern]);
  assert.equal(exitCode, 1);
  assert.match(out, /Ended before its tests: .*exits\.test\.ts\n[^]*\n0 passed, 1 failed, 0 skipped\n$/);
});

test('a run without test files fails', async () => {
  const { exitCode, err } = await runScript(['test/absent/*.test.ts']);
  assert.deepEqual([exitCode, err], [1, 'Found no test files for test/absent/*.test.ts.\n']);
});

describe('the end of a run', { skip: process.platform !== 'linux' }, () => {
  test('stops tests that hang, and leaves no process', async () => {
    const { pattern, path } = projectWith({ hanging: hangsWithOrphans });
    const mark = randomUUID();
    const stop = new AbortController();
    let out = '';
    const running = runTests(findTestFiles([pattern]), {
      cwd: root,
      env: { ...process.env, ORPHAN_MARK: mark },
      options: [],
      processes: 1,
      stop: stop.signal,
      write: (text) => void (out += text),
    });
    await exists(path('hanging.mark'));
    assert.ok(markedProcesses(mark).length >= 5);
    stop.abort();
    assert.equal(await running, false);
    assert.deepEqual(markedProcesses(mark), []);
    assert.match(out, /Ended before its tests: .*hanging\.test\.ts\n[^]*\n0 passed, 1 failed, 0 skipped\n$/);
  });

  test('comes at its time limit, also during a loop that never yields', async () => {
    const { pattern } = projectWith({ loop: () => `test('loops', () => { for (;;); });` });
    const { exitCode, out, err } = await runScript([pattern], { SIMPLE_AGENTS_TEST_MINUTES: '0.02' });
    assert.equal(exitCode, 1);
    assert.match(out, /Ended before its tests: .*loop\.test\.ts\n/);
    assert.match(err, /^The tests did not end within 0\.02 minutes/);
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`leaves no process if ${signal} ends it`, async () => {
      const { pattern, path } = projectWith({ hanging: hangsWithOrphans });
      const mark = randomUUID();
      const env = { ...process.env, ORPHAN_MARK: mark };
      const run = spawn(process.execPath, [script, 'quick', pattern], { env, stdio: 'ignore' });
      await exists(path('hanging.mark'));
      run.kill(signal);
      await once(run, 'exit');
      // Nothing reports the end of the processes of a run that was killed.
      while (markedProcesses(mark).length > 0) await sleep(20);
    });
  }
});

test('every test file in Git is in exactly one of the suites full, clients and live', () => {
  const tracked = execFileSync('git', ['ls-files', '*.test.*'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const found = new Set(findTestFiles());
  for (const file of tracked) {
    const names = ['full', 'clients', 'live'].filter(
      (name) => found.has(file) && suites[name]?.contains(file) === true,
    );
    assert.equal(names.length, 1, `${file} is in ${names.join(' and ') || 'no suite'}`);
  }
});
