// bin/simple-agents, copied into minimal checkouts and packages with a stub command line.

import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nodeIn } from '../../scripts/pinned-node.mjs';
import { commandPart, skipWithout } from '../support/requirement.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const commandLine = `
export async function main(argv) {
  const actions = {
    echo: () => console.log('from', import.meta.url.split('/').slice(-4).join('/'), ...argv),
    exit: () => Number(argv[1]),
    complain: () => { console.error('a complaint'); console.log('said'); return 3; },
    throw: () => { throw new Error('it broke'); },
    throwLate: () => { setTimeout(() => { throw new Error('it broke late'); }); },
    flood: () => { setInterval(() => process.stdout.write('y'.repeat(65_536))); },
    wait: () => {
      let interrupts = 0;
      process.on('SIGINT', () => {
        interrupts += 1;
        setTimeout(() => { console.log('interrupts', interrupts); process.exit(130); }, 200);
      });
      setInterval(() => {}, 1_000);
      console.log('waiting');
    },
    tidy: () => {
      process.on('SIGTERM', () => { console.log('tidied'); process.exit(0); });
      setInterval(() => {}, 1_000);
      console.log('waiting');
    },
    environment: () => {
      const { execFileSync } = process.getBuiltinModule('node:child_process');
      const seen = execFileSync(process.execPath, ['-p', 'process.env.SIMPLE_AGENTS_LIFELINE'], { encoding: 'utf8' });
      console.log(process.env.SIMPLE_AGENTS_LIFELINE, seen.trim());
    },
    die: () => { process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1_000); },
  };
  return actions[argv[0]]() ?? 0;
}`;

interface Ending {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
}

let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'launcher-'));
  await layOut('checkout', 'src/cli/simple-agents/main.ts');
  await mkdir(join(folder, 'checkout/node_modules'));
  const pinnedNode = nodeIn(join(folder, 'checkout/tools/node'));
  await mkdir(dirname(pinnedNode), { recursive: true });
  await symlink(process.execPath, pinnedNode);
  await layOut('bare-checkout', 'src/cli/simple-agents/main.ts');
  await layOut('package', 'dist/cli/simple-agents.js');
  const oldNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });`;
  await writeFile(join(folder, 'old-node.cjs'), oldNode);
});

after(() => rm(folder, { recursive: true }));

describe('the launcher', () => {
  test('handles --version and -V itself', async () => {
    for (const flag of ['--version', '-V']) {
      const { exitCode, output } = await end(launch('bare-checkout', [flag]));
      assert.deepEqual({ exitCode, output }, { exitCode: 0, output: '1.2.3\n' });
    }
  });

  test('runs the sources of a checkout and the compiled files of a package', async () => {
    assert.equal(
      (await end(launch('checkout', ['echo', 'a b']))).output,
      'from src/cli/simple-agents/main.ts echo a b\n',
    );
    assert.equal(
      (await end(launch('package', ['echo', 'a b']))).output,
      'from package/dist/cli/simple-agents.js echo a b\n',
    );
  });

  test('ends with the exit code of the command', async () => {
    assert.equal((await end(launch('checkout', ['exit', '7']))).exitCode, 7);
  });

  test('prints an unexpected error without its stack, unless a debug variable is set', async () => {
    for (const [action, message] of [
      ['throw', 'it broke'],
      ['throwLate', 'it broke late'],
    ] as const) {
      const { exitCode, errors } = await end(launch('checkout', [action]));
      assert.deepEqual({ exitCode, errors }, { exitCode: 1, errors: `simple-agents: internal error: ${message}\n` });
      const debugged = await end(launch('checkout', [action], { environment: { SIMPLE_AGENTS_DEBUG: '1' } }));
      assert.match(debugged.errors, /\n +at .*main\.ts/);
    }
  });

  test('ends quietly when the reader closes the pipe', async () => {
    const child = launch('checkout', ['flood']);
    await once(child.stdout!, 'data');
    child.stdout!.destroy();
    const [[exitCode], errors] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
    assert.deepEqual({ exitCode, errors }, { exitCode: 0, errors: '' });
  });

  for (const argv of [['echo'], ['--version']]) {
    test(
      `reports that standard output cannot be written: ${argv.join(' ')}`,
      { skip: !existsSync('/dev/full') },
      async () => {
        const full = openSync('/dev/full', 'w');
        try {
          const child = spawn(process.execPath, [join(folder, 'checkout/bin/simple-agents'), ...argv], {
            stdio: ['ignore', full, 'pipe'],
          });
          const [[exitCode], errors] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
          assert.equal(exitCode, 9);
          assert.match(
            errors,
            /^simple-agents: standard output cannot be written \(ENOSPC: no space left on device\)\n.+\n$/,
          );
        } finally {
          closeSync(full);
        }
      },
    );
  }

  test('prints its result even if standard error cannot be written', { skip: !existsSync('/dev/full') }, async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, [join(folder, 'checkout/bin/simple-agents'), 'complain'], {
        stdio: ['ignore', 'pipe', full],
      });
      const [[exitCode], output] = await Promise.all([once(child, 'close'), text(child.stdout!)]);
      assert.deepEqual([exitCode, output], [3, 'said\n']);
    } finally {
      closeSync(full);
    }
  });

  test('prints how to install missing dependencies', async () => {
    const { exitCode, errors } = await end(launch('bare-checkout', ['echo']));
    assert.equal(exitCode, 1);
    assert.match(errors, /^simple-agents: the dependencies .* not installed\.\nRun `npm run setup` in .*\n$/);
  });
});

describe('a script of the checkout', () => {
  test('ends when its parent is killed', { timeout: 30_000 }, async () => {
    const code = 'console.log("waiting"); setInterval(() => {}, 1_000)';
    const script = join(root, 'scripts/run.mjs');
    const child = spawn(process.execPath, [script, 'node', '-e', code], { stdio: ['ignore', 'pipe', 'pipe'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    assert.equal((await end(child)).signal, 'SIGKILL');
  });
});

describe('the launcher on a Node that is too old', () => {
  test('runs again with the Node of the checkout', async () => {
    assert.equal((await end(launchOld('checkout', ['echo']))).output, 'from src/cli/simple-agents/main.ts echo\n');
    assert.equal((await end(launchOld('checkout', ['exit', '7']))).exitCode, 7);
  });

  test('ends with the signal of its child', async () => {
    assert.equal((await end(launchOld('checkout', ['die']))).signal, 'SIGKILL');
  });

  test('prints the required version if there is no other Node', async () => {
    const { exitCode, errors } = await end(launchOld('package', ['echo']));
    assert.equal(exitCode, 1);
    assert.match(errors, /^simple-agents: Node 20\.1\.0 is too old; >=22\.19\.0 is required\.\nInstall .*\n$/);
  });

  test(
    'delivers Ctrl-C in a terminal once',
    { skip: skipWithout(commandPart('tmux')), timeout: 30_000 },
    async (context) => {
      const socket = join(folder, 'tmux');
      const tmux = (...argv: string[]) => run('tmux', ['-f', '/dev/null', '-S', socket, ...argv]);
      const output = join(folder, 'terminal-output');
      const command = [process.execPath, '--require', join(folder, 'old-node.cjs'), launcherOf('checkout'), 'wait'];
      await writeFile(output, '');
      await tmux('new-session', '-d', `'${command.join("' '")}' > '${output}'; tmux -S '${socket}' wait-for -S ended`);
      context.after(() => tmux('kill-server').catch(() => {}));
      while (!(await readFile(output, 'utf8')).includes('waiting')) await sleep(20);
      await tmux('send-keys', 'C-c');
      await tmux('wait-for', 'ended');
      assert.equal(await readFile(output, 'utf8'), 'waiting\ninterrupts 1\n');
    },
  );

  test('forwards an interrupt without a terminal', async () => {
    const child = launchOld('checkout', ['wait'], { detached: true });
    await once(child.stdout!, 'data');
    child.kill('SIGINT');
    const { exitCode, output } = await end(child);
    assert.deepEqual({ exitCode, output }, { exitCode: 130, output: 'interrupts 1\n' });
  });

  test('ends its child when it is killed', { timeout: 30_000 }, async () => {
    for (const action of ['wait', 'tidy']) {
      const child = launchOld('checkout', [action]);
      await once(child.stdout!, 'data');
      child.kill('SIGKILL');
      // The output stays open as long as the successor lives.
      const { signal, output } = await end(child);
      assert.deepEqual({ signal, output }, { signal: 'SIGKILL', output: action === 'tidy' ? 'tidied\n' : '' });
    }
  });

  test('does not pass the pipe on to processes of its child', async () => {
    const { output } = await end(launchOld('checkout', ['environment']));
    assert.equal(output, 'undefined undefined\n');
  });

  test('forwards a termination', async () => {
    const child = launchOld('checkout', ['wait']);
    await once(child.stdout!, 'data');
    child.kill('SIGTERM');
    assert.equal((await end(child)).signal, 'SIGTERM');
  });
});

async function layOut(name: string, entry: string): Promise<void> {
  const place = join(folder, name);
  await cp(join(root, 'bin'), join(place, 'bin'), { recursive: true });
  await chmod(join(place, 'bin/simple-agents'), 0o755);
  await mkdir(dirname(join(place, entry)), { recursive: true });
  await writeFile(join(place, entry), commandLine);
  await writeFile(
    join(place, 'package.json'),
    JSON.stringify({ version: '1.2.3', type: 'module', engines: { node: '>=22.19.0' } }),
  );
  if (name.endsWith('checkout')) await cp(join(root, 'scripts'), join(place, 'scripts'), { recursive: true });
}

function launcherOf(place: string): string {
  return join(folder, place, 'bin/simple-agents');
}

interface LaunchOptions {
  readonly nodeOptions?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly detached?: boolean;
}

function launch(place: string, argv: readonly string[], options: LaunchOptions = {}): ChildProcess {
  return spawn(process.execPath, [...(options.nodeOptions ?? []), launcherOf(place), ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.environment },
    detached: options.detached ?? false,
  });
}

function launchOld(place: string, argv: readonly string[], options: LaunchOptions = {}): ChildProcess {
  return launch(place, argv, { ...options, nodeOptions: ['--require', join(folder, 'old-node.cjs')] });
}

async function end(child: ChildProcess): Promise<Ending> {
  const [output, errors, [exitCode, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ]);
  return { exitCode, signal, output, errors };
}
