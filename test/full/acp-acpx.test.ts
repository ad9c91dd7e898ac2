// `simple-agents acp` driven by acpx, the command-line client of others: a turn with a tool and permission, a denial, and a
// cancel. And what is left of a tool when the agent or the editor is killed.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import { startAcpProcess } from '../support/acp-client.ts';
import { launcher } from '../support/cli-process.ts';
import { projects, reaching, startModel } from '../support/forgeflare-process.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { outsideAgents, outsideProgram } from '../support/outside-agents.ts';
import { until } from '../support/until.ts';

const makeProject = projects();
const timeout = 600_000;

// Installs them, which takes longer than a test may.
before(() => outsideAgents());

interface Run {
  readonly path: string;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly out: string; readonly err: string }>;
  readonly interrupt: () => void;
  readonly kill: () => void;
  readonly mark: string;
}

async function acpx(context: TestContext, argv: readonly string[], command: string): Promise<Run> {
  const { path, home } = makeProject();
  const model = await startModel(context, {
    replies: [{ text: 'I use the shell.', toolCalls: [{ name: 'Bash', input: { command } }] }, { text: 'All done.' }],
  });
  const agent = `${process.execPath} ${launcher} acp`;
  const child = spawn(
    process.execPath,
    [await outsideProgram('acpx'), '--agent', agent, '--cwd', path, ...argv, 'exec', 'Use the shell'],
    { cwd: path, env: { PATH: process.env['PATH'], HOME: home, ACP_TEST: path, ...reaching(model) } },
  );
  context.after(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.end();
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, out, err }));
  return {
    path,
    ended,
    interrupt: () => child.kill('SIGINT'),
    kill: () => child.kill('SIGKILL'),
    mark: `ACP_TEST=${path}`,
  };
}

test('acpx runs a turn with a tool that it approves', { timeout }, async (context) => {
  const { path, ended } = await acpx(context, ['--approve-all'], 'echo acpx > word.txt');
  const { exitCode, out, err } = await ended;
  assert.equal(exitCode, 0, err);
  assert.match(out, /I use the shell\.[^]*echo acpx > word\.txt[^]*All done\./);
  assert.equal(readFileSync(join(path, 'word.txt'), 'utf8'), 'acpx\n');
});

test('acpx denies, and nothing runs', { timeout }, async (context) => {
  const { path, ended } = await acpx(context, ['--deny-all'], 'echo acpx > word.txt');
  const { out } = await ended;
  assert.match(out, /All done\./);
  assert.equal(existsSync(join(path, 'word.txt')), false);
});

test('acpx cancels, and no process is left', { timeout }, async (context) => {
  const { path, ended, interrupt, mark } = await acpx(context, ['--approve-all'], 'touch started; sleep 3600');
  await until(() => existsSync(join(path, 'started')));
  interrupt();
  await ended;
  await until(() => markedProcesses(mark).length === 0);
});

test('an editor that is killed during a tool leaves neither the agent nor the tool', { timeout }, async (context) => {
  const { path, kill, mark } = await acpx(context, ['--approve-all'], 'touch started; setsid sleep 3600 & sleep 3601');
  await until(() => existsSync(join(path, 'started')));
  assert.ok(markedProcesses(mark).length >= 3, markedProcesses(mark).join('\n'));
  kill();
  await until(() => markedProcesses(mark).length === 0);
  const [session = ''] = globSync('.entire/metadata/2*/full.jsonl', { cwd: path });
  assert.match(readFileSync(join(path, session), 'utf8'), /I use the shell\./);
});

for (const sandbox of ['workspace', 'off']) {
  test(`kill -9 during a tool leaves no process (sandbox ${sandbox})`, { timeout }, async (context) => {
    const project = makeProject();
    // The process leaves its group, its session and its parent.
    const command = 'touch started; setsid sleep 3600 & (sleep 3601 &); sleep 3602';
    const model = await startModel(context, { replies: [{ toolCalls: [{ name: 'Bash', input: { command } }] }] });
    const client = await startAcpProcess(context, {
      folder: project.path,
      argv: ['--sandbox', sandbox, '--permission', 'full'],
      env: { HOME: project.home, ACP_TEST: project.path, ...reaching(model) },
    });
    client.prompt(await client.newSession(), 'Sleep').catch(() => undefined);
    await until(() => existsSync(join(project.path, 'started')));
    const mark = `ACP_TEST=${project.path}`;
    await until(() => markedProcesses(mark).length >= 3);
    client.child.kill('SIGKILL');
    await until(() => markedProcesses(mark).length === 0);
  });
}
