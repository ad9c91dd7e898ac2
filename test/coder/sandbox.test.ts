// The sandbox on a real kernel with a real bubblewrap: every escape fails, its harmless counterpart works, and no process
// is left. If the kernel does not allow sandboxes, the tests are skipped with the reason.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { cleanUpAfter } from '../../src/coder/sandbox/cleanup.ts';
import { scrubEnvironment } from '../../src/coder/sandbox/environment.ts';
import type { SandboxPolicy } from '../../src/coder/sandbox/policy.ts';
import { enterSandbox, probeSandbox } from '../../src/coder/sandbox/sandbox.ts';
import { sample } from '../support/enumeration.ts';
import { commandPart, skipWithout } from '../support/requirement.ts';
import { probes } from '../support/sandbox/probes.ts';
import { visibleBase, visibleNode } from '../support/sandbox/visible-folder.ts';
import { until } from '../support/until.ts';

const secret = 'topsecret-4b1f9c';
const availability = await probeSandbox(process.env['PATH'] ?? '');
/** A missing bubblewrap is a fault in the machine's set-up; a kernel that forbids sandboxes is a reason to skip. */
const base = visibleBase();
const skip =
  skipWithout(commandPart('bwrap', 'bubblewrap')) ||
  (availability.isAvailable ? false : `impossible on this kernel: ${availability.reason}`) ||
  (base === undefined ? 'impossible here: no folder can be written that the sandbox shows' : false);

let folder = '';
let canaryFolder = '';
let servers: Server[] = [];
let variables: Record<string, string> = {};

const files: Readonly<Record<string, string>> = {
  'workspace/file.txt': 'mine\n',
  'workspace/src/a.ts': '',
  'workspace/.git/config': '[core]\n',
  'workspace/.git/HEAD': 'ref: refs/heads/main\n',
  'workspace/.git/hooks/pre-push': '#!/bin/sh\n',
  'workspace/.forgeflare/hooks.toml': '',
  'workspace/.forgeflare/audit.jsonl': secret,
  'workspace/.forgeflare/convergence.json': secret,
  'workspace/.entire/settings.json': '{"enabled":true}',
  'workspace/.entire/metadata/2026-11-16-3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b/full.jsonl': secret,
  'workspace/.claude/settings.json': '{}',
  'workspace/.mcp.json': '{}',
  'outside/secret.txt': 'outside\n',
  'outside/folder/file': '',
  'home/visible.txt': 'visible\n',
  'home/.bashrc': '',
  'home/.ssh/id_rsa': secret,
  'home/.aws/credentials': secret,
  'home/.netrc': secret,
  'home/.npmrc': secret,
};

async function setUp(): Promise<void> {
  folder = realpathSync(mkdtempSync(join(base ?? tmpdir(), 'sandbox-')));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  mkdirSync(join(folder, 'workspace/.git/objects'));
  symlinkSync('../outside', join(folder, 'workspace/out'));
  symlinkSync('src', join(folder, 'workspace/in'));
  canaryFolder = mkdtempSync(join(tmpdir(), 'canary-'));
  const canaryFile = join(canaryFolder, 'file');
  writeFileSync(canaryFile, secret);
  const abstract = `canary-${process.pid}`;
  const tcp = await listen(0);
  await listen(`\0${abstract}`);
  variables = {
    OUTSIDE: join(folder, 'outside'),
    WORKSPACE: join(folder, 'workspace'),
    HOST_PID: String(process.pid),
    TCP_PORT: String((tcp.address() as AddressInfo).port),
    ABSTRACT: abstract,
    CANARY_FILE: canaryFile,
    NODE: visibleNode(folder),
  };
}

function tearDown(): void {
  for (const server of servers) server.close();
  servers = [];
  for (const each of [folder, canaryFolder]) rmSync(each, { recursive: true, force: true });
}

async function listen(target: number | string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => {
    if (typeof target === 'number') server.listen(target, '127.0.0.1', resolve);
    else server.listen({ path: target }, resolve);
  });
  return server;
}

interface Ending {
  readonly succeeded: boolean;
  readonly output: string;
}

function policyWith(changes: Partial<SandboxPolicy> = {}): SandboxPolicy {
  return {
    mode: 'workspace',
    workspace: join(folder, 'workspace'),
    home: join(folder, 'home'),
    allowsNetwork: false,
    ...changes,
  };
}

function environment(): Record<string, string> {
  const all = {
    PATH: process.env['PATH'],
    HOME: join(folder, 'home'),
    ...variables,
    CANARY_API_KEY: secret,
    HARMLESS: `x${secret}`,
  };
  return scrubEnvironment(all, { secrets: [secret] });
}

async function runIn(script: string, changes: Partial<SandboxPolicy> = {}): Promise<Ending> {
  const { program, args } = await enterSandbox(['bash', '-c', script], policyWith(changes), availability);
  return new Promise((resolve) => {
    execFile(program, [...args], { env: environment(), timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ succeeded: error === null, output: stdout + stderr });
    });
  });
}

function outsideNow(): unknown {
  const outside = join(folder, 'outside');
  const home = join(folder, 'home');
  const git = join(folder, 'workspace/.git');
  return {
    names: [readdirSync(outside), readdirSync(home), readdirSync(join(git, 'hooks')), readdirSync(folder)],
    sessions: readdirSync(join(folder, 'workspace/.entire/metadata'), { recursive: true }),
    audit: readFileSync(join(folder, 'workspace/.forgeflare/audit.jsonl'), 'utf8'),
    texts: [readFileSync(join(outside, 'secret.txt'), 'utf8'), readFileSync(join(git, 'config'), 'utf8')],
  };
}

describe('ways out of the sandbox', { skip }, () => {
  // Each has a folder of its own: the quick suite runs a random third of them.
  beforeEach(setUp);
  afterEach(tearDown);

  test('are many', () => assert.ok(probes.length >= 60, `${probes.length} probes`));

  for (const { name, escape, twin } of sample(probes, 3)) {
    test(name, async () => {
      const untouched = outsideNow();
      const tried = await runIn(escape);
      assert.equal(tried.succeeded, false, tried.output);
      assert.doesNotMatch(tried.output, new RegExp(secret));
      assert.deepEqual(outsideNow(), untouched);
      const harmless = await runIn(twin);
      assert.equal(harmless.succeeded, true, harmless.output);
    });
  }
});

describe('the sandbox', { skip }, () => {
  before(setUp);
  after(tearDown);

  test('lets the network through when it may, but never in strict mode', async () => {
    const connect = 'exec 3<>"/dev/tcp/127.0.0.1/$TCP_PORT"';
    assert.equal((await runIn(connect, { allowsNetwork: true })).succeeded, true);
    assert.equal((await runIn(connect, { allowsNetwork: true, mode: 'strict' })).succeeded, false);
  });

  test('hides the home in strict mode, and the workspace in it stays', async () => {
    assert.equal((await runIn('cat "$HOME/visible.txt"', { mode: 'strict' })).succeeded, false);
    const workspace = join(folder, 'home/project');
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'a.txt'), 'here');
    const { succeeded, output } = await runIn('cat a.txt && echo x > b.txt && ! cat ../visible.txt', {
      mode: 'strict',
      workspace,
    });
    assert.equal(succeeded, true, output);
    rmSync(workspace, { recursive: true });
  });

  test('keeps sessions from git clean, and does not cover what a link of the repository leads to', async () => {
    const workspace = join(folder, 'cleaned');
    const session = join(workspace, '.entire/metadata/2026-11-16-3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b');
    mkdirSync(session, { recursive: true });
    writeFileSync(join(session, 'full.jsonl'), 'said');
    writeFileSync(join(workspace, 'scratch.txt'), '');
    const { output } = await runIn('git init -q . && git clean -fdx', { workspace });
    assert.match(output, /Removing scratch\.txt/);
    assert.equal(readFileSync(join(session, 'full.jsonl'), 'utf8'), 'said');
    rmSync(join(workspace, '.entire'), { recursive: true });
    for (const target of ['..', '../src', '/', folder]) {
      mkdirSync(join(workspace, '.entire'));
      mkdirSync(join(workspace, 'src'), { recursive: true });
      writeFileSync(join(workspace, 'src/a.txt'), 'here');
      symlinkSync(target, join(workspace, '.entire/metadata'));
      assert.equal((await runIn('cat src/a.txt && ls /usr > /dev/null', { workspace })).succeeded, true, target);
      rmSync(join(workspace, '.entire'), { recursive: true });
    }
    rmSync(workspace, { recursive: true });
  });

  test('opens further folders when the policy says so', async () => {
    const writable = [join(folder, 'outside')];
    assert.equal((await runIn('echo x > "$OUTSIDE/allowed" && rm "$OUTSIDE/allowed"', { writable })).succeeded, true);
  });

  test('hides secrets also when the workspace is the home itself', async () => {
    const home = join(folder, 'home');
    assert.equal((await runIn('grep topsecret .ssh/id_rsa .netrc', { workspace: home })).succeeded, false);
  });

  test('keeps a command from making settings that were not there, and leaves nothing behind', async () => {
    const workspace = join(folder, 'fresh');
    mkdirSync(join(workspace, '.git/objects'), { recursive: true });
    const policy = policyWith({ workspace });
    const { layout } = await enterSandbox(['true'], policy, availability);
    assert.equal((await runIn('echo x > .forgeflare/hooks.toml', { workspace })).succeeded, false);
    assert.equal((await runIn('echo x > .git/hooks/pre-commit', { workspace })).succeeded, false);
    assert.equal((await runIn('echo /tmp/evil > .git/commondir', { workspace })).succeeded, true);
    assert.deepEqual(await cleanUpAfter(layout), [join(workspace, '.git/commondir')]);
    assert.equal(existsSync(join(workspace, '.git/commondir')), false);
    assert.deepEqual(readdirSync(workspace), ['.git']);
    rmSync(workspace, { recursive: true });
  });

  for (const [name, script] of [
    ['setsid', 'setsid sleep 3600.5 & sleep 3600.5'],
    ['nohup', 'nohup sleep 3600.5 > /dev/null 2>&1 & disown; sleep 3600.5'],
    ['a double fork', '( ( sleep 3600.5 & ) & ) ; sleep 3600.5'],
    ['ignored signals', 'trap "" TERM INT HUP; sleep 3600.5 & wait'],
  ] as const) {
    test(`leaves no process when it is killed: ${name}`, async () => {
      const marker = `3600.${process.pid}${probes.length}${name.length}`;
      const { program, args } = await enterSandbox(
        ['bash', '-c', script.replaceAll('3600.5', marker)],
        policyWith(),
        availability,
      );
      const child = spawn(program, [...args], { env: environment(), stdio: 'ignore', detached: true });
      const gone = once(child, 'exit');
      await until(() => processesWith(`sleep\0${marker}`) > 0);
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await gone;
      await until(() => processesWith(marker) === 0);
    });
  }

  test('leaves no process when the command ends before what it started', async () => {
    const marker = `3601.${process.pid}`;
    await runIn(`setsid sleep ${marker} > /dev/null 2>&1 & exit 0`);
    await until(() => processesWith(marker) === 0);
  });
});

function processesWith(marker: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLine(name).includes(marker)).length;
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
