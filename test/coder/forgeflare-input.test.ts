// Where the prompt comes from and where the response goes: argument, pipe, /dev/null, an idle pipe. It never hangs, exits
// with the right code, reports invalid input before the first request, and opens no listening socket.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forgeflare, forgeflareLauncher, projects, reaching, startModel } from '../support/forgeflare-process.ts';

const newProject = projects();
const echo = {
  replies: [
    { match: 'first half\n\nsecond half', text: 'Both.' },
    { match: 'first half', text: 'The first.' },
    { match: 'second half', text: 'The second.' },
    { match: 'gaurd', text: 'The word.' },
  ],
};

interface Case {
  readonly name: string;
  readonly argv: readonly string[];
  readonly input?: string | { readonly idle: true };
  readonly out: string;
  readonly exitCode?: number;
  readonly err?: RegExp;
}

const idle = { idle: true } as const;
const cases: readonly Case[] = [
  { name: 'an argument and /dev/null', argv: ['first half'], out: 'The first.\n' },
  { name: 'an argument and an empty pipe', argv: ['first half'], input: '', out: 'The first.\n' },
  { name: 'an argument and an idle pipe', argv: ['first half'], input: idle, out: 'The first.\n', err: /is ignored/ },
  { name: 'an argument and a pipe', argv: ['first half'], input: 'second half\n', out: 'Both.\n' },
  { name: 'an argument, a dash and a pipe', argv: ['first half', '-'], input: 'second half\n', out: 'Both.\n' },
  { name: 'a pipe', argv: [], input: 'second half', out: 'The second.\n' },
  { name: 'words as arguments', argv: ['first', 'half'], out: 'The first.\n' },
  { name: '/dev/null', argv: [], out: '', exitCode: 2, err: /^forgeflare: no prompt given: .*forgeflare "/ },
  { name: 'an empty pipe', argv: [], input: ' \n', out: '', exitCode: 2, err: /no prompt given/ },
  { name: '-p and an argument', argv: ['-p', 'first half'], out: 'The first.\n' },
  { name: 'an argument and --print', argv: ['first half', '--print'], out: 'The first.\n' },
  { name: '-p and a pipe', argv: ['-p'], input: 'second half', out: 'The second.\n' },
  { name: '-p, an argument and a pipe', argv: ['-p', 'first half'], input: 'second half\n', out: 'Both.\n' },
  { name: '-p and nothing', argv: ['-p'], out: '', exitCode: 2, err: /no prompt given/ },
  { name: '-p and a word that is nearly a command', argv: ['-pq', 'gaurd'], out: 'The word.\n', err: /^$/ },
  { name: 'a mistyped command', argv: ['gaurd'], out: '', exitCode: 2, err: /unknown command 'gaurd'.*"guard"/ },
];

describe('a prompt from', () => {
  for (const { name, argv, input, out, exitCode = 0, err = /./ } of cases) {
    test(name, async (context) => {
      const server = await startModel(context, echo);
      const run = await forgeflare(newProject(), argv, { env: reaching(server), input });
      assert.deepEqual([run.out, run.exitCode], [out, exitCode], run.err);
      assert.match(run.err, err);
    });
  }
});

function toolRoundOf(name: string, input: object) {
  return { toolCalls: [{ name, input }], usage: { input: 1000, output: 1000 } };
}

const glob = toolRoundOf('Glob', { pattern: '*' });

describe('an exit code says what went wrong:', () => {
  const failing: readonly (readonly [name: string, script: object, argv: readonly string[], exitCode: number])[] = [
    ['the key is refused', { replies: [{ fault: { status: 401 } }] }, [], 3],
    ['the quota is used up', { replies: [{ fault: { status: 429, errorType: 'insufficient_quota' } }] }, [], 4],
    ['no such model', { replies: [{ fault: { status: 404 } }] }, [], 5],
    ['the model refuses', { replies: [{ text: 'No.', stopReason: 'refusal' }] }, [], 8],
    ['the money is spent', { replies: [glob, glob] }, ['--max-cost', '0.000001'], 8],
  ];
  for (const [name, script, argv, exitCode] of failing) {
    test(name, async (context) => {
      const server = await startModel(context, script);
      const run = await forgeflare(newProject(), [...argv, 'do it'], { env: reaching(server) });
      assert.equal(run.exitCode, exitCode, run.err);
      assert.doesNotMatch(run.err, /\n\s+at /);
    });
  }

  test('and JSON holds the error', async (context) => {
    const server = await startModel(context, { replies: [{ fault: { status: 401 } }] });
    const run = await forgeflare(newProject(), ['--output-format', 'json', 'do it'], { env: reaching(server) });
    const report = JSON.parse(run.out) as { stopReason: string; error: { kind: string; exitCode: number } };
    assert.deepEqual([report.stopReason, report.error.kind, report.error.exitCode], ['error', 'auth', 3]);
    const wrong = await forgeflare(newProject(), ['--output-format', 'json'], {});
    assert.equal((JSON.parse(wrong.out) as typeof report).error.kind, 'bad-request');
  });
});

describe('what is reported during a run', () => {
  test('a pause and a restart, in exactly these words; the answer comes once', async (context) => {
    const server = await startModel(context, {
      replies: [
        { text: 'It was cut here or there. '.repeat(40), fault: { cutAtByte: 3000 } },
        { fault: { status: 529, retryAfter: '0' } },
        { text: 'It is whole.' },
      ],
    });
    const run = await forgeflare(newProject(), ['do it'], { env: reaching(server) });
    assert.equal(run.out, 'It is whole.\n', run.err);
    const lines = run.err.split('\n').filter((line) => line.startsWith('['));
    assert.match(lines[0] ?? '', /^\[retry\] Attempt 1\/4: .+ — waiting 2s$/);
    assert.equal(lines[1], '[retry] Retrying from beginning of response...');
    assert.match(lines[2] ?? '', /^\[retry\] Attempt 2\/4: .+ — waiting 0s$/);
    assert.equal(server.requests.length, 3);
  });

  test('a continuation', async (context) => {
    const server = await startModel(context, {
      replies: [{ text: 'One half', stopReason: 'length' }, { text: ' and the other.' }],
    });
    const run = await forgeflare(newProject(), ['do it'], { env: reaching(server) });
    assert.equal(run.out, 'One half and the other.\n');
    assert.match(run.err, /^\[continue\] Response truncated at max_tokens, requesting continuation \(1\/3\)$/m);
  });

  test('escape sequences of the model and of files do not reach the screen', async (context) => {
    const project = newProject({ 'evil\u001b[2J.txt': 'x' });
    const server = await startModel(context, {
      replies: [
        { text: 'Look \u001b]0;title\u0007', ...toolRoundOf('Read', { file_path: 'evil\u001b[2J.txt' }) },
        { text: 'Done.' },
      ],
    });
    const run = await forgeflare(project, ['do it'], { env: reaching(server) });
    assert.ok(!run.err.includes('\u001b'), JSON.stringify(run.err));
  });

  test('the address, with --verbose; the flag overrides the environment', async (context) => {
    const server = await startModel(context, echo);
    const env = { ...reaching(server), ANTHROPIC_API_URL: 'http://127.0.0.1:9' };
    const run = await forgeflare(newProject(), ['--verbose', '--api-url', server.url, 'first half'], { env });
    assert.ok(run.err.includes(`using anthropic/claude-opus-4-6 at ${server.url}/\n`), run.err);
    assert.equal(run.out, 'The first.\n');
  });

  test('that the simulated model is used', async () => {
    const run = await forgeflare(newProject(), ['--demo', 'Count to 3']);
    assert.deepEqual([run.out, run.exitCode], ['1, 2, 3\n', 0]);
    assert.match(run.err, /using the simulated model/);
  });
});

describe('it refuses to start, and asks no model,', () => {
  const refusals: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[], RegExp])[] = [
    ['when hooks.toml is malformed', { '.forgeflare/hooks.toml': '[[hooks]\n' }, [], /hooks\.toml:1/],
    [
      'when the hooks are not trusted',
      { '.forgeflare/hooks.toml': '[[hooks]]\nevent = "Stop"\ncommand = "true"\n' },
      [],
      /not trusted.*--trust-hooks.*--no-hooks/,
    ],
    ['when the session is not there', {}, ['--resume', 'nosuch'], /nosuch/],
    ['when there is no session', {}, ['--continue'], /session/],
    ['when a flag is wrong', {}, ['--permission', 'some'], /--permission/],
    ['when the address is none', {}, ['--api-url', 'nowhere'], /--api-url/],
    ['when a further folder is missing', {}, ['--add-dir', 'none', '--'], /--add-dir: .*none does not exist/],
  ];
  for (const [name, files, argv, err] of refusals) {
    test(name, async (context) => {
      const server = await startModel(context, echo);
      const run = await forgeflare(newProject(files), [...argv, 'first half'], { env: reaching(server) });
      assert.deepEqual([run.exitCode, run.out], [2, ''], run.err);
      assert.match(run.err, err);
      assert.equal(server.requests.length, 0);
    });
  }

  test('when a sandbox is asked for and is not there', async (context) => {
    const server = await startModel(context, echo);
    const env = { ...reaching(server), PATH: '/nowhere' };
    const run = await forgeflare(newProject(), ['--sandbox', 'workspace', 'first half'], { env });
    assert.equal(run.exitCode, 2);
    assert.match(run.err, /--sandbox workspace: bubblewrap \(bwrap\) is not installed/);
    assert.equal(server.requests.length, 0);
    const without = await forgeflare(newProject(), ['first half'], { env });
    assert.match(without.err, /warning: Commands run without a sandbox/);
    assert.equal(without.out, 'The first.\n');
  });
});

test('hooks run with --trust-hooks, and are remembered; not with --no-hooks', async (context) => {
  const project = newProject({
    '.forgeflare/hooks.toml': '[[hooks]]\nevent = "Stop"\ncommand = "cat >> stops.txt"\n',
  });
  const server = await startModel(context, echo);
  const env = reaching(server);
  for (const argv of [['--no-hooks'], ['--trust-hooks'], []]) {
    const run = await forgeflare(project, [...argv, 'first half'], { env });
    assert.equal(run.exitCode, 0, run.err);
  }
  assert.equal(readFileSync(`${project.path}/stops.txt`, 'utf8').split('"end_turn"').length - 1, 2);
});

test('an unattended run may edit, and does not hang on a question', async (context) => {
  const project = newProject({ 'a.txt': 'old\n' });
  const server = await startModel(context, {
    replies: [
      toolRoundOf('Edit', { 'file_path': 'a.txt', 'old_str': 'old', 'new_str': 'new' }),
      toolRoundOf('Bash', { command: 'env' }),
      { text: 'Done.' },
    ],
  });
  const run = await forgeflare(project, ['do it'], { env: reaching(server) });
  assert.equal(run.out, 'Done.\n', run.err);
  assert.equal(readFileSync(`${project.path}/a.txt`, 'utf8'), 'new\n');
  assert.match(run.err, /Bash was not run: .*--permission full/);
});

test('the file tools use a further folder with --add-dir, and only then', async (context) => {
  const other = newProject({ 'note.txt': 'before\n' });
  const file = join(other.path, 'note.txt');
  const write = {
    toolCalls: [
      { name: 'Read', input: { 'file_path': file } },
      { name: 'Write', input: { 'file_path': file, content: 'after\n' } },
    ],
  };
  const server = await startModel(context, { replies: [write, { text: 'Refused.' }, write, { text: 'Done.' }] });
  const env = reaching(server);
  const refused = await forgeflare(newProject(), ['Write it'], { env });
  assert.equal(refused.out, 'Refused.\n', refused.err);
  assert.equal(readFileSync(file, 'utf8'), 'before\n');
  const done = await forgeflare(newProject(), ['--add-dir', other.path, '--', 'Write it'], { env });
  assert.equal(done.out, 'Done.\n', done.err);
  assert.equal(readFileSync(file, 'utf8'), 'after\n');
});

test('SIGTERM ends a run at once, with the session on the disk', async (context) => {
  const project = newProject();
  const server = await startModel(context, { replies: [{ text: 'slow', delayMs: 60_000 }] });
  const env = { PATH: process.env['PATH'], HOME: project.home, ...reaching(server) };
  const child = spawn(process.execPath, [forgeflareLauncher, 'do it'], { cwd: project.path, env, stdio: 'ignore' });
  context.after(() => child.kill('SIGKILL'));
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(listeningSockets(child.pid ?? 0), []);
  child.kill('SIGTERM');
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  assert.equal(exitCode, 143);
  assert.equal(globSync('.entire/metadata/*/full.jsonl', { cwd: project.path }).length, 1);
});

/** Of a process, as Linux lists them; none elsewhere. */
function listeningSockets(pid: number): string[] {
  if (process.platform !== 'linux') return [];
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((entry) => /socket:\[(\d+)\]/.exec(linkOf(`/proc/${pid}/fd/${entry}`))?.[1]),
  );
  const isListening = (line: string): boolean => {
    const fields = line.trim().split(/\s+/);
    return fields[3] === '0A' && inodes.has(fields[9]);
  };
  return ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/net/${kind}`, 'utf8').split('\n').filter(isListening));
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
