// scripts/setup.mjs and its lock, copied into minimal checkouts, with fake npm and apt-get commands that record their calls.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { platformPackage } from '../../scripts/pinned-node.mjs';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Like npm: `ci` clears node_modules first, `install` adds. In tools/node it installs the Node of this platform. */
const npm = `#!/bin/sh
echo "$(basename "$PWD"): $*" >> "$CALLS"
if [ "$1" = ci ]; then rm -rf node_modules; fi
mkdir -p node_modules
if [ -e broken ]; then echo 'npm error no network' >&2; exit 1; fi
sleep 0.1
case "$PWD" in
  */tools/node) mkdir -p "node_modules/$PLATFORM_PACKAGE/bin"
    if [ ! -e no-node ]; then ln -s '${process.execPath}' "node_modules/$PLATFORM_PACKAGE/bin/node"; fi ;;
  *) mkdir -p node_modules/runtime; touch "node_modules/by-$1" ;;
esac
`;
/** Like the compiler of the page. */
const compiler = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const folder = join(import.meta.dirname, '../dist/web');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'index.html'), '');
appendFileSync(process.env['CALLS'], 'web: compile\\n');
`;
const aptGet = '#!/bin/sh\necho "apt-get: $*" >> "$CALLS"\n';

let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setup-'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/npm'), npm, { mode: 0o755 });
  await writeFile(join(folder, 'bin/apt-get'), aptGet, { mode: 0o755 });
  // A PATH with only the commands that the fakes use, so that every system package is missing.
  for (const command of ['sh', 'rm', 'mkdir', 'sleep', 'ln', 'touch', 'basename']) {
    const { stdout } = await run('sh', ['-c', `command -v ${command}`]);
    await symlink(stdout.trim(), join(folder, 'bin', command));
  }
});

after(() => rm(folder, { recursive: true }));

describe('without Node', () => {
  test('every npm script and the CI say what to install', async () => {
    const { scripts = {} } = manifest('package.json');
    for (const script of Object.values(scripts)) assert.match(script, /^(sh scripts\/node\.sh scripts\/|npm run )/);
    const ci = await readFile(join(root, '.ci/run'), 'utf8');
    assert.match(ci, /^step sh scripts\/node\.sh scripts\/setup\.mjs$/m);
    const env = { PATH: join(folder, 'bin') };
    const { code, stderr } = await failureOf(run('sh', ['scripts/node.sh', 'scripts/run.mjs'], { cwd: root, env }));
    assert.equal(code, 127);
    assert.match(stderr, /^Node\.js is not on the PATH\. Install Node 18 or later from https:\/\/nodejs\.org/);
  });
});

describe('setup', () => {
  let checkout = '';

  beforeEach(async () => {
    checkout = await layOutCheckout();
  });

  test('for run installs Node, the runtime packages and the page, and no system packages', async () => {
    const { stderr } = await setUp('run');
    assert.match(
      stderr,
      /^Installing Node 26\.10\.0 into tools\/node.*\nDone in .*\nInstalling 1 npm packages that .* needs to run …\nDone in/,
    );
    const [node = '', packages = '', page = '', ...others] = await calls();
    assert.match(node, /^node: ci .*--ignore-scripts/);
    assert.match(packages, /^checkout-\w+: ci --omit=dev .*--ignore-scripts/);
    assert.match(page, /^web: ci --omit=dev .*--ignore-scripts/);
    assert.deepEqual(others, ['web: compile']);
    assert.match(
      stderr,
      /Installing 1 npm packages for the gateway's page …\nDone in .*\nCompiling the gateway's page …\nDone/,
    );
    assert.deepEqual(await setUp('run'), { stdout: '', stderr: '' });
    assert.equal((await calls()).length, 4);
  });

  test('for develop adds packages and removes none', async () => {
    await setUp('run');
    await setUp('develop');
    assert.match((await calls()).at(-1) ?? '', /^checkout-\w+: install --no-save --include=dev .*--ignore-scripts/);
    assert.ok(existsSync(join(checkout, 'node_modules/by-ci')));
    await setUp('run');
    await setUp('develop');
    assert.equal((await calls()).length, 5);
  });

  test('compiles the page again when one of its sources is newer', async () => {
    await setUp('run');
    for (const source of ['web/app/new.tsx', 'src/heal/new.ts']) {
      await mkdir(dirname(join(checkout, source)), { recursive: true });
      await writeFile(join(checkout, source), '');
      const known = (await calls()).length;
      await setUp('run');
      assert.deepEqual((await calls()).slice(known), ['web: compile'], source);
    }
  });

  test('prints what the compiler says if the page cannot be compiled', async () => {
    await writeFile(join(checkout, 'web/build.ts'), `throw new Error('no such view');`);
    const failure = await failureOf(setUp('run'));
    assert.match(failure.stderr, /no such view[^]*The page could not be compiled/);
  });

  test('only for test installs system packages, and prints which and why', async (context) => {
    if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) {
      const { stderr } = await setUp('test');
      assert.match(stderr, /Not installed.*\n {2}tmux: tests of the interactive terminal\n/);
      context.diagnostic('not root on Debian: the packages are listed');
      return;
    }
    const { stderr } = await setUp('test');
    assert.match(
      stderr,
      /Installing Debian packages for the tests with apt-get:\n {2}tmux: tests of the interactive terminal\n/,
    );
    assert.match(
      (await calls()).at(-1) ?? '',
      /^apt-get: install --yes .* tmux redis-server chromium bubblewrap ripgrep/,
    );
  });

  test('runs once, and again when a lockfile changes', async () => {
    await setUp('develop');
    await writeFile(join(checkout, 'package-lock.json'), JSON.stringify({ packages: {}, changed: true }));
    await setUp('run');
    // Installed development dependencies are kept up to date.
    assert.match((await calls()).at(-1) ?? '', /: ci --include=dev/);
    await writeFile(join(checkout, 'tools/node/package-lock.json'), JSON.stringify({ changed: true }));
    await setUp('run');
    assert.match((await calls()).at(-1) ?? '', /^node: ci /);
  });

  test('runs once if several processes start together', async () => {
    await Promise.all(Array.from({ length: 4 }, () => setUp('run')));
    assert.equal((await calls()).length, 4);
  });

  test('starts from the beginning after an interruption', async () => {
    await setUp('run');
    await writeFile(join(checkout, 'broken'), '');
    await assert.rejects(setUp('develop'));
    await rm(join(checkout, 'broken'));
    await setUp('develop');
    assert.match((await calls()).at(-1) ?? '', /: ci --include=dev/);
  });

  test('uses the packages and the Node of the checkout that node_modules links to', async () => {
    await setUp('develop');
    const worktree = await layOutCheckout();
    await symlink(join(checkout, 'node_modules'), join(worktree, 'node_modules'));
    await setUp('develop', worktree);
    // The page's own packages are small, so each checkout has its own.
    assert.deepEqual(
      (await calls()).slice(4).map((call) => call.split(' ', 2).join(' ')),
      ['web: ci', 'web: compile'],
    );
    assert.deepEqual(await setUp('develop', worktree), { stdout: '', stderr: '' });
  });

  test('never installs into a linked node_modules', async () => {
    await setUp('run');
    const worktree = await layOutCheckout();
    await symlink(join(checkout, 'node_modules'), join(worktree, 'node_modules'));
    const failure = await failureOf(setUp('develop', worktree));
    assert.match(failure.stderr, /node_modules is a link .*\nRun `node scripts\/setup\.mjs develop` in .*checkout-/);
    assert.equal((await calls()).length, 4);
  });

  test('shows the output of npm if it fails, and no stack', async () => {
    await writeFile(join(checkout, 'broken'), '');
    const failure = await failureOf(setUp('run'));
    assert.equal(failure.code, 1);
    assert.match(failure.stderr, /npm error no network\nnpm ci failed in .*\n$/);
    assert.doesNotMatch(failure.stderr, / at /);
  });

  test('prints what to do if there is no Node for the platform', async () => {
    await writeFile(join(checkout, 'tools/node/no-node'), '');
    assert.match((await failureOf(setUp('run'))).stderr, /installed no Node[^]*SIMPLE_AGENTS_NODE/);
    await setUp('run', checkout, { SIMPLE_AGENTS_NODE: process.execPath });
  });

  /** Through the runner, as in every npm script. */
  function setUp(
    purpose: string,
    place = checkout,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<{ stdout: string; stderr: string }> {
    const argv = [join(place, 'scripts/run.mjs'), '--for', purpose, 'node', '--eval', ''];
    const CALLS = join(checkout, 'calls');
    const env = { PATH: join(folder, 'bin'), CALLS, PLATFORM_PACKAGE: platformPackage(), ...environment };
    return run(process.execPath, argv, { env });
  }

  async function calls(): Promise<string[]> {
    return (await readFile(join(checkout, 'calls'), 'utf8')).trim().split('\n');
  }
});

async function layOutCheckout(): Promise<string> {
  const place = await mkdtemp(join(folder, 'checkout-'));
  await cp(join(root, 'scripts'), join(place, 'scripts'), { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    await cp(join(root, 'tools/node', file), join(place, 'tools/node', file));
  }
  const packages = { '': {}, 'node_modules/a': {}, 'node_modules/b': { dev: true } };
  await writeFile(join(place, 'package-lock.json'), JSON.stringify({ packages }));
  for (const source of ['web', 'src/core', 'src/heal', 'src/testing'])
    await mkdir(join(place, source), { recursive: true });
  await writeFile(join(place, 'web/package-lock.json'), JSON.stringify({ packages: { '': {}, 'node_modules/c': {} } }));
  await writeFile(join(place, 'web/build.ts'), compiler);
  return place;
}

async function failureOf(ending: Promise<unknown>): Promise<{ code: number; stderr: string }> {
  return (await ending.catch((error: unknown) => error)) as { code: number; stderr: string };
}

describe('the pinned Node', () => {
  test('is pinned to one version, with the integrity of each platform', () => {
    const wanted = manifest('tools/node/package.json').optionalDependencies ?? {};
    assert.equal(new Set(Object.values(wanted)).size, 1);
    const { packages = {} } = manifest('tools/node/package-lock.json');
    for (const [name, version] of Object.entries(wanted)) {
      const entry = packages[`node_modules/${name}`];
      assert.equal(entry?.version, version, name);
      assert.match(entry?.integrity ?? '', /^sha512-/, name);
      assert.notEqual(entry?.hasInstallScript, true, name);
    }
  });

  test('is in no published manifest, and no lockfile contains a registry URL', () => {
    const { dependencies, devDependencies, files } = manifest('package.json');
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) assert.doesNotMatch(name, /^node(-|$)/);
    assert.deepEqual(files, ['bin', 'dist']);
    for (const lockfile of globSync(['package-lock.json', '{tools/*,web}/package-lock.json'], { cwd: root })) {
      assert.doesNotMatch(readFileSync(join(root, lockfile), 'utf8'), /"resolved"/, lockfile);
    }
  });
});

function manifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
}

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly packages?: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

describe('the lock', () => {
  test('has one holder at a time, and is released if the holder died', async () => {
    const place = join(folder, 'lock');
    await mkdir(place);
    await writeFile(join(place, 'lock'), `${await deadProcess()} ${hostname()} some-token`);
    const program = `
      import { appendFileSync } from 'node:fs';
      const { withLock } = await import(${JSON.stringify(pathToFileURL(join(root, 'scripts/lock.mjs')).href)});
      await withLock(${JSON.stringify(place)}, async () => {
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
