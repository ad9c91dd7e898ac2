// Two agent processes and one session: the second one gets a choice, and neither loses anything.

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  forgeflare,
  forgeflareLauncher,
  projects,
  reaching,
  startModel,
  type Ending,
  type Project,
} from '../support/forgeflare-process.ts';
import { Screen, skipWithoutTmux } from '../support/tmux.ts';

const newProject = projects();

const script = {
  otherwise: 'reply',
  replies: [
    { match: 'begin', text: 'Begun.' },
    { match: 'hold it', text: 'a b c d e f g h', fault: { slow: 20_000 } },
    { match: 'soon', text: 'a b c d', fault: { slow: 100 } },
    { match: 'second', text: 'Second.' },
    { match: 'third', text: 'Third.' },
  ],
};

interface Held {
  readonly project: Project;
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
  readonly holder: ChildProcess;
  run(...argv: readonly string[]): Promise<Ending>;
}

/** A session, and a process that is in the middle of a turn of it until it is stopped. */
async function hold(context: TestContext): Promise<Held> {
  const project = newProject();
  const server = await startModel(context, script);
  const env = reaching(server);
  const run = (...argv: readonly string[]): Promise<Ending> => forgeflare(project, argv, { env });
  assert.equal((await run('begin please')).exitCode, 0);
  const [id = ''] = idsOf(project);
  const holder = spawn(process.execPath, [forgeflareLauncher, '--continue', 'hold it'], {
    cwd: project.path,
    env: { PATH: process.env['PATH'], HOME: project.home, ...env },
    stdio: 'ignore',
  });
  context.after(() => holder.kill('SIGKILL'));
  while (!linesOf(project, id).includes('hold it')) await sleep(20);
  return { project, id, env, holder, run };
}

function idsOf({ path }: Project): string[] {
  return readdirSync(join(path, '.entire', 'metadata')).filter((name) => name !== '.gitignore');
}

function linesOf({ path }: Project, id: string): string {
  return readFileSync(join(path, '.entire', 'metadata', id, 'full.jsonl'), 'utf8');
}

async function shown(held: Held, id: string): Promise<string> {
  return (await held.run('sessions', 'show', id)).out;
}

describe('a session in use', () => {
  test('is an error in a run without a user, and the message names process and flags', async (context) => {
    const held = await hold(context);
    const [again, named] = await Promise.all([
      held.run('--continue', 'second please'),
      held.run('--resume', held.id.slice(11, 19), '--output-format', 'json', 'second please'),
    ]);
    const expected = `session ${held.id} is in use by process ${held.holder.pid}; add --fork to continue in a copy, or --wait to wait until it is free`;
    assert.deepEqual([again.exitCode, again.out, again.err], [2, '', `forgeflare: ${expected}\n`]);
    assert.equal(named.exitCode, 2);
    assert.partialDeepStrictEqual(JSON.parse(named.out), { error: { kind: 'bad-request', message: expected } });
  });

  test('can be copied, or waited for, and no branch is lost', async (context) => {
    const held = await hold(context);
    const isWaiting = Promise.withResolvers<void>();
    const waiting = forgeflare(held.project, ['--resume', held.id, '--wait', 'third please'], {
      env: held.env,
      onError: (err) => void (err.includes('waiting until it is free') && isWaiting.resolve()),
    });
    const forked = await held.run('--continue', '--fork', 'second please');
    assert.deepEqual([forked.exitCode, forked.out], [0, 'Second.\n']);
    const [copy = ''] = idsOf(held.project).filter((id) => id !== held.id);
    assert.match(forked.err, new RegExp(`continuing in session ${copy}, a copy of ${held.id}\\n`));
    assert.equal(held.holder.exitCode, null, 'the first is still at work');
    await isWaiting.promise;
    held.holder.kill('SIGTERM');
    const third = await waiting;
    assert.deepEqual([third.exitCode, third.out], [0, 'Third.\n']);
    assert.match(third.err, new RegExp(`is in use by process ${held.holder.pid}; waiting until it is free`));
    assert.match(await shown(held, copy), /Begun\.[^]*Second\./);
    assert.match(await shown(held, held.id), /Begun\.[^]*> hold it\n[^]*> third please\n\nThird\.\n$/);
    assert.doesNotMatch(await shown(held, held.id), /Second/);
  });

  test('is free at once when its process was killed', async (context) => {
    const held = await hold(context);
    const ended = once(held.holder, 'exit');
    held.holder.kill('SIGKILL');
    await ended;
    const second = await held.run('--continue', 'second please');
    assert.deepEqual([second.exitCode, second.out], [0, 'Second.\n'], second.err);
    assert.deepEqual(globSync(`.entire/metadata/${held.id}/lock*`, { cwd: held.project.path }), []);
  });

  test('that many continue at once is continued by one, and the others report that', async (context) => {
    const project = newProject();
    const server = await startModel(context, script);
    const env = reaching(server);
    await forgeflare(project, ['begin please'], { env });
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => forgeflare(project, ['--continue', 'soon'], { env })),
    );
    const [id = ''] = idsOf(project);
    const done = runs.filter(({ exitCode }) => exitCode === 0);
    for (const { exitCode, err } of runs.filter((run) => !done.includes(run))) {
      assert.deepEqual([exitCode, /is in use by process \d+/.test(err)], [2, true], err);
    }
    assert.ok(done.length > 0);
    // Each that went on found what the one before it had left.
    const { out } = await forgeflare(project, ['sessions', 'show', id], { env });
    assert.equal(out.split('a b c d').length - 1, done.length);
  });

  test('--fork and --wait need a session, and exclude each other', async () => {
    const project = newProject();
    for (const [argv, message] of [
      [['--fork', 'go on'], /^forgeflare: --fork: needs a session; add --continue or --resume ID\n/],
      [['--wait', 'go on'], /^forgeflare: --wait: needs a session/],
      [['--continue', '--wait', '--fork', 'go on'], /cannot be used with option/],
    ] as const) {
      const { exitCode, err } = await forgeflare(project, argv);
      assert.equal(exitCode, 2);
      assert.match(err, message);
    }
  });
});

function open(context: TestContext, { project, env }: Held, ...argv: readonly string[]): Screen {
  const command = [process.execPath, forgeflareLauncher, ...argv];
  return new Screen(context, command, { cwd: project.path, env: { HOME: project.home, ...env }, columns: 160 });
}

describe('a session in use, at the keyboard', { skip: skipWithoutTmux }, () => {
  const asked = /is in use by process \d+\.\nf = continue in a copy, w = wait until it is free, n = neither: ?$/;

  test('is a question: a copy', async (context) => {
    const held = await hold(context);
    const screen = open(context, held, '--continue');
    await screen.shows(asked);
    screen.press('f', 'Enter');
    await screen.shows(/, a copy of [^]*continuing session \S+, \d+ messages\n>$/);
    assert.equal(held.holder.exitCode, null);
    screen.press('second please', 'Enter');
    await screen.shows(/Second\./);
  });

  test('is a question: waiting, which Ctrl-C ends', async (context) => {
    const held = await hold(context);
    const [screen, stopped, neither] = [1, 2, 3].map(() => open(context, held, '--continue')) as [
      Screen,
      Screen,
      Screen,
    ];
    for (const each of [screen, stopped, neither]) await each.shows(asked);
    for (const each of [screen, stopped]) each.press('w', 'Enter');
    neither.press('n', 'Enter');
    await neither.shows(/add --fork[^]*ended with 2/);
    await stopped.shows(/waiting until it is free/);
    stopped.press('C-c');
    await stopped.shows(/ended with 130/);
    held.holder.kill('SIGTERM');
    await screen.shows(/waiting until it is free\n[^]*continuing session \S+, 4 messages\n>$/);
  });

  test('is a question of /resume too; the own session is none', async (context) => {
    const held = await hold(context);
    const screen = open(context, held);
    await screen.shows(/\n>$/);
    screen.press(`/resume ${held.id}`, 'Enter');
    await screen.shows(asked);
    screen.press('f', 'Enter');
    await screen.shows(/continuing session \S+, \d+ messages\n[^]*>$/);
    const [copy = ''] = idsOf(held.project).filter((id) => id !== held.id);
    screen.press(`/resume ${copy}`, 'Enter');
    await screen.shows(new RegExp(`already in session ${copy}`));
  });
});
