// Bash with real processes: every command ends and leaves no process behind, its output is bounded, and its environment
// has no secret. With and without a sandbox.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { cleanUpAfter } from '../../src/coder/sandbox/cleanup.ts';
import { scrubEnvironment } from '../../src/coder/sandbox/environment.ts';
import { enterSandbox, probeSandbox } from '../../src/coder/sandbox/sandbox.ts';
import type { EnteredCommand } from '../../src/coder/tools/coding-tools.ts';
import { codingWorkspace, plainEnvironment, type CodingWorkspace } from '../support/coding-workspace.ts';
import { commandPart, skipWithout } from '../support/requirement.ts';
import { until } from '../support/until.ts';

const availability = await probeSandbox(process.env['PATH'] ?? '');
const skip =
  skipWithout(commandPart('bwrap', 'bubblewrap')) ||
  (availability.isAvailable ? false : `impossible on this kernel: ${availability.reason}`);

const canary = 'canary-7d1f0c92';
const environment = scrubEnvironment(
  {
    ...plainEnvironment,
    HOME: '/nonexistent',
    ANTHROPIC_API_KEY: canary,
    HARMLESS: `a ${canary} b`,
    LD_PRELOAD: 'x.so',
  },
  { secrets: [canary] },
);

function sandboxed(): CodingWorkspace {
  const place: { root?: string } = {};
  const enter = async (command: readonly string[]): Promise<EnteredCommand> => {
    const policy = {
      mode: 'workspace' as const,
      workspace: place.root ?? '',
      home: '/nonexistent',
      allowsNetwork: false,
    };
    const { layout, ...entered } = await enterSandbox(command, policy, availability);
    return { ...entered, leave: () => cleanUpAfter(layout) };
  };
  const made = codingWorkspace({ environment, enter });
  place.root = made.root;
  return made;
}

function brokenEntrance(): Promise<never> {
  return Promise.reject(new Error('bubblewrap is not installed'));
}

/** A unique `sleep` duration, which is not the beginning of another one, so that the process can be found again. */
let count = 1_000;
function nap(): string {
  count += 1;
  return `3${process.pid}.${count}`;
}

const runaways: readonly (readonly [name: string, script: (length: string) => string])[] = [
  ['setsid', (length) => `setsid sleep ${length} & sleep ${length}`],
  ['nohup', (length) => `nohup sleep ${length} > /dev/null 2>&1 & disown; sleep ${length}`],
  ['a double fork', (length) => `( ( sleep ${length} & ) & ); sleep ${length}`],
  [
    'a double fork with setsid',
    (length) => `( setsid sh -c "sleep ${length} & sleep ${length} &" & ); sleep ${length}`,
  ],
  ['a pipe held open', (length) => `sleep ${length} | cat`],
  [
    'ignored signals',
    (length) => `trap "" TERM INT HUP; setsid sh -c 'trap "" TERM INT HUP; sleep ${length}; :' & wait`,
  ],
  [
    'a daemon without files',
    (length) => `(setsid sleep ${length} </dev/null >/dev/null 2>&1 3>&- &) ; sleep ${length}`,
  ],
  ['another environment', (length) => `env -i setsid sleep ${length} & sleep ${length}`],
  ['a stopped process', (length) => `sleep ${length} & sleep 0.1; kill -STOP $!; wait`],
  ['many', (length) => `for each in $(seq 100); do setsid sleep ${length} & done; wait`],
  ['one that starts others', (length) => `while :; do setsid sleep ${length} & sleep 0.02; done`],
];

for (const [place, make] of [
  ['without a sandbox', () => codingWorkspace({ environment })],
  ['in the sandbox', sandboxed],
] as const) {
  const hasSandbox = place === 'in the sandbox';
  describe(`Bash ${place}`, { skip: hasSandbox ? skip : false }, () => {
    const { call, root, write } = make();

    describe('leaves nothing', { concurrency: 4 }, () => {
      for (const [name, script] of runaways) {
        test(`after a time-out: ${name}`, async () => {
          const length = nap();
          const outcome = await call('Bash', { command: `echo begun; ${script(length)}`, timeout: 2_000 });
          assert.equal(outcome.isError, true);
          assert.match(
            outcome.text,
            /^begun\n\[timed out after 2000 ms; the command and all its processes were killed\]$/,
          );
          assert.ok(outcome.duration < 60_000, `${outcome.duration}`);
          await until(() => processesWith(length) === 0);
        });

        test(`after a cancel: ${name}`, async () => {
          const length = nap();
          const controller = new AbortController();
          const running = call('Bash', { command: script(length) }, { signal: controller.signal });
          await until(() => processesWith(length) > 0);
          controller.abort();
          assert.equal((await running).text, 'Cancelled by the user.');
          await until(() => processesWith(length) === 0);
        });
      }
    });

    test('shows the output while it runs, and keeps what it printed before a cancel', async () => {
      const controller = new AbortController();
      const options = { signal: controller.signal, onOutput: () => controller.abort() };
      const { text, isError, shown } = await call(
        'Bash',
        { command: 'printf "\\033[31mpart one\\033[0m\\n"; sleep 60' },
        options,
      );
      assert.match(shown, /part one/);
      assert.equal(text, 'Cancelled by the user. Output so far:\npart one');
      assert.equal(isError, true);
    });

    test('returns when the command has ended, though something holds its output', async () => {
      for (const script of [
        (length: string) => `sleep ${length} &`,
        (length: string) => `setsid sleep ${length} & disown;`,
      ]) {
        const length = nap();
        const outcome = await call('Bash', { command: `${script(length)} echo done` });
        assert.match(outcome.text, /^done/);
        assert.equal(outcome.isError, false);
        assert.ok(outcome.duration < 60_000, `${outcome.duration}`);
        await until(() => processesWith(length) === 0);
      }
    });

    test('tells exit codes and signals as errors, with the output before them', async () => {
      const failed = await call('Bash', { command: 'echo out; echo err >&2; echo out; exit 3' });
      assert.deepEqual([failed.text, failed.isError], ['out\nerr\nout\n[exit code 3]', true]);
      const killed = await call('Bash', { command: 'kill -SEGV $$' });
      assert.match(killed.text, hasSandbox ? /\[exit code 139\]/ : /\[killed by SIGSEGV\]/);
      const silent = await call('Bash', { command: 'true' });
      assert.deepEqual([silent.text, silent.isError], ['(no output)', false]);
      assert.match((await call('Bash', { command: 'nonexistent-program' })).text, /not found\n\[exit code 127\]$/);
    });

    test('has nothing to read, and no terminal', async () => {
      const { text } = await call('Bash', {
        command: 'cat; read line || echo end; test -t 0 || echo none; : < /dev/tty',
      });
      assert.match(text, /^end\nnone\n.*\/dev\/tty/);
    });

    test('starts in the workspace and forgets where the last one went', async () => {
      await call('Bash', { command: 'mkdir -p sub && cd sub && export X=1' });
      assert.equal((await call('Bash', { command: 'pwd; echo "[$X]"' })).text, `${root}\n[]`);
    });

    test('keeps head and tail of a long output', async () => {
      const { text, shown } = await call('Bash', { command: 'echo head; seq 1 100000; echo tail' });
      assert.match(text, /^head\n1\n2\n/);
      assert.match(text, /\n… \[\d+ bytes omitted\] …\n/);
      assert.match(text, /\n100000\ntail$/);
      assert.ok(Buffer.byteLength(text) < 103_000);
      assert.ok(shown.length < 300_000);
    });

    test('gives text without colours, and what is no text as it can', async () => {
      assert.equal((await call('Bash', { command: String.raw`printf '\033[31mred\033[0m é'` })).text, 'red é');
      assert.equal((await call('Bash', { command: String.raw`printf 'a\377b'` })).text, 'a\uFFFDb');
    });

    test('has no secret in anything a command sees', async () => {
      const look = 'env; set; cat /proc/self/environ /proc/$$/environ /proc/1/environ 2>/dev/null; ls /proc/self/fd';
      const { result, events } = await call('Bash', { command: look });
      assert.doesNotMatch(JSON.stringify([result, events]), new RegExp(canary));
      assert.match(JSON.stringify(result), /PATH=/);
      assert.doesNotMatch(JSON.stringify(result), /LD_PRELOAD/);
    });

    test('refuses what cannot be a command', async () => {
      assert.match((await call('Bash', { command: 'a\0b' })).text, /^command: must not contain a NUL/);
      assert.match(
        (await call('Bash', { command: `: ${'x'.repeat(110_000)}` })).text,
        /^command: has 110002 bytes; the limit is/,
      );
      assert.match((await call('Bash', {})).text, /command: required/);
      assert.match((await call('Bash', { command: '' })).text, /command: /);
      assert.match((await call('Bash', { command: 'ls', timeout: 700_000 })).text, /timeout: must be at most 600000/);
      assert.equal((await call('Bash', { command: `: ${'x'.repeat(99_000)}` })).isError, false);
    });

    test('does not run when it was cancelled before', async () => {
      const outcome = await call('Bash', { command: 'touch made' }, { signal: AbortSignal.abort() });
      assert.equal(outcome.text, 'Cancelled by the user.');
      assert.equal(readdirSync(root).includes('made'), false);
    });

    test('runs a script of the project', async () => {
      write('run.sh', 'echo "$1 from $(basename "$PWD")"\n');
      assert.equal((await call('Bash', { command: 'bash run.sh hello' })).text, 'hello from project');
    });
  });
}

describe('Bash', () => {
  test('stays small while a command prints without end', async () => {
    const { call } = codingWorkspace();
    await call('Bash', { command: 'seq 1 100000' });
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const { text, isError } = await call('Bash', { command: 'yes', timeout: 1_500 });
    clearInterval(timer);
    assert.equal(isError, true);
    assert.ok(text.length < 103_000);
    assert.ok(peak - before < 32 * 1024 * 1024, `${(peak - before) / 1024 / 1024} MiB`);
  });

  test('says what is wrong when it cannot start', async () => {
    const gone = codingWorkspace({ root: '/nonexistent/project' });
    assert.match((await gone.call('Bash', { command: 'ls' })).text, /^The command cannot be started: \/nonexistent/);
    assert.equal(
      (await codingWorkspace({ enter: brokenEntrance }).call('Bash', { command: 'ls' })).text,
      'bubblewrap is not installed',
    );
  });

  test('tells the model what a command made in a protected place', { skip }, async () => {
    const { call, write, root } = sandboxed();
    write('.git/HEAD', 'ref: refs/heads/main\n');
    const { text } = await call('Bash', { command: 'echo /tmp/evil > .git/commondir; echo {} > .mcp.json' });
    assert.match(text, /commondir is protected; the file that the command created there was moved aside\]/);
    assert.match(text, /\.mcp\.json is protected/);
    assert.equal(readdirSync(root).includes('.mcp.json'), false);
  });
});

function processesWith(marker: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isAlive(name, marker)).length;
}

/** One that has ended and was not taken note of has no command line. */
function isAlive(pid: string, marker: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`sleep\0${marker}`);
  } catch {
    return false;
  }
}
