// `npm start` in a fresh copy of the checkout, with the real npm and registry. Every program that could change the system is
// replaced by one that only records its calls.

import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { countPackages } from '../../scripts/npm-packages.mjs';
import { nodeIn } from '../../scripts/pinned-node.mjs';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const intrusive = ['apt', 'apt-get', 'dpkg', 'sudo', 'brew', 'dnf', 'apk'];

describe('npm start in a fresh checkout', { timeout: 300_000 }, () => {
  let folder = '';
  let checkout = '';
  let server: ChildProcess | undefined;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'start-'));
    checkout = join(folder, 'checkout');
    const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
    });
    const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
    for (const file of files) await cp(join(root, file), join(checkout, file));
    await mkdir(join(folder, 'bin'));
    const recorder = `#!/bin/sh\necho "$0 $*" >> '${join(folder, 'calls')}'\n`;
    for (const name of intrusive) await writeFile(join(folder, 'bin', name), recorder, { mode: 0o755 });
  });

  after(async () => {
    // npm, its shell, the runner and the server are one process group.
    if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    await rm(folder, { recursive: true, maxRetries: 5 });
  });

  test('installs the runtime packages, changes nothing on the system, and serves requests', async () => {
    const { SIMPLE_AGENTS_NODE: _other, ...inherited } = process.env;
    const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;
    server = spawn('npm', ['start', '--', '--port', '0'], {
      cwd: checkout,
      env: { ...inherited, PATH: path },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = await outputUntil(server, /^listening on (\S+)$/m);
    const [, address = ''] = /^listening on (\S+)$/m.exec(output) ?? [];
    assert.equal((await fetch(`${address}/health`)).status, 200, output);
    const [, script = ''] = /src="(\/assets\/main-[^"]+)"/.exec(await (await fetch(address)).text()) ?? [];
    assert.equal((await fetch(address + script)).status, 200, 'the page is compiled');
    assert.match(
      output,
      /Installing Node 26\.\S+ into tools\/node.*\n[^]*Installing \d+ npm packages that .* needs to run/,
    );
  });

  test('does not install development dependencies', async () => {
    const packages = '{*,@*/*}/package.json';
    const manifests = globSync([packages, `**/node_modules/${packages}`], { cwd: join(checkout, 'node_modules') });
    assert.equal(manifests.length, countPackages(root, 'run'));
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'tools/node/package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const { stdout } = await run(nodeIn(join(checkout, 'tools/node')), ['--version']);
    assert.equal(stdout.trim(), `v${Object.values(optionalDependencies)[0]}`);
  });

  test('calls no program that changes the system', () => assert.ok(!existsSync(join(folder, 'calls'))));
});

async function outputUntil(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Uint8Array) => (output += String(chunk)));
  const closed = once(child, 'close').then(() => Promise.reject(new Error(`npm start ended:\n${output}`)));
  while (!pattern.test(output)) await Promise.race([closed, once(child.stdout!, 'data'), once(child.stderr!, 'data')]);
  closed.catch(() => undefined);
  return output;
}
