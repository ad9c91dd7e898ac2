// scripts/setup.mjs and its lock, copied into made-up checkouts, with a made-up npm that writes down its calls
// and an apt-get that does nothing.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

const npm = `#!/bin/sh
echo "$*" >> calls
if [ -e broken ]; then echo 'npm error no network' >&2; exit 1; fi
rm -rf node_modules
sleep 0.1
mkdir -p node_modules/node/bin
ln -s '${process.execPath}' node_modules/node/bin/node
`;

let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setup-'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/npm'), npm, { mode: 0o755 });
  await writeFile(join(folder, 'bin/apt-get'), '#!/bin/sh\n', { mode: 0o755 });
});

after(() => rm(folder, { recursive: true }));

describe('set-up', () => {
  let checkout = '';

  beforeEach(async () => {
    checkout = await mkdtemp(join(folder, 'checkout-'));
    await cp(join(root, 'scripts'), join(checkout, 'scripts'), { recursive: true });
    await writeFile(join(checkout, 'package-lock.json'), '{}');
  });

  test('installs once, and again when the lockfile changes', async () => {
    assert.match((await setUp()).stderr, /^Installing dependencies .*\nInstalled in/);
    assert.deepEqual(await setUp(), { stdout: '', stderr: '' });
    assert.equal(await installs(), 1);
    await writeFile(join(checkout, 'package-lock.json'), '{ "changed": true }');
    await setUp();
    assert.equal(await installs(), 2);
  });

  test('installs once when several start together', async () => {
    await Promise.all(Array.from({ length: 4 }, setUp));
    assert.equal(await installs(), 1);
  });

  test('installs again after it was interrupted', async () => {
    await mkdir(join(checkout, 'node_modules/node/bin'), { recursive: true });
    await writeFile(join(checkout, 'node_modules/node/bin/node'), '');
    await setUp();
    assert.equal(await installs(), 1);
  });

  test('leaves a linked folder of dependencies alone', async () => {
    await mkdir(join(checkout, 'elsewhere/node/bin'), { recursive: true });
    await symlink(process.execPath, join(checkout, 'elsewhere/node/bin/node'));
    await symlink(join(checkout, 'elsewhere'), join(checkout, 'node_modules'));
    await setUp();
    await assert.rejects(installs(), { code: 'ENOENT' });
  });

  test('shows what npm said when it fails, and no stack', async () => {
    await writeFile(join(checkout, 'broken'), '');
    const failure = (await setUp().catch((error: unknown) => error)) as { code: number; stderr: string };
    assert.equal(failure.code, 1);
    assert.match(failure.stderr, /npm error no network\nnpm ci failed in .*\n$/);
    assert.doesNotMatch(failure.stderr, / at /);
  });

  /** By way of the runner, which is how every npm script sets up. */
  function setUp(): Promise<{ stdout: string; stderr: string }> {
    const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
    const argv = [join(checkout, 'scripts/run.mjs'), 'node', '--eval', ''];
    return run(process.execPath, argv, { env: { ...process.env, PATH: path, SIMPLE_AGENTS_NODE: process.execPath } });
  }

  async function installs(): Promise<number> {
    const calls = await readFile(join(checkout, 'calls'), 'utf8');
    return calls.split('\n').filter((line) => line.startsWith('ci ')).length;
  }
});

describe('the lock', () => {
  test('lets one in at a time, also past a holder that died', async () => {
    const place = join(folder, 'lock');
    await mkdir(place);
    await writeFile(join(place, 'lock'), `${await deadProcess()} ${hostname()} some-token`);
    const program = `
      import { appendFileSync } from 'node:fs';
      const { withLock } = await import(${JSON.stringify(pathToFileURL(join(root, 'scripts/lock.mjs')).href)});
      await withLock(${JSON.stringify(place)}, () => {
        appendFileSync(${JSON.stringify(join(place, 'log'))}, 'in ');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        appendFileSync(${JSON.stringify(join(place, 'log'))}, 'out ');
      });`;
    const argv = ['--input-type=module', '--eval', program];
    await Promise.all(Array.from({ length: 6 }, () => run(process.execPath, argv)));
    assert.equal(await readFile(join(place, 'log'), 'utf8'), 'in out '.repeat(6));
  });
});

async function deadProcess(): Promise<number> {
  const { stdout } = await run(process.execPath, ['--print', 'process.pid']);
  return Number(stdout);
}
