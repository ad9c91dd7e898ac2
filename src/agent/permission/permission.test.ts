// The policy around the tools: who is asked, what is remembered, and that nobody waits for an answer that cannot come.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codingWorkspace } from '../../../test/coding-workspace.ts';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { createRunMemory, openPermissionMemory } from './memory.ts';
import {
  createPermissionPolicy,
  type PermissionOptions,
  type PermissionQuestion,
  type PermissionReply,
} from './permission.ts';

const { root, workspace, call } = codingWorkspace();

function setUp(changes: Partial<PermissionOptions>, reply?: PermissionReply) {
  const questions: PermissionQuestion[] = [];
  const ask = async (question: PermissionQuestion): Promise<PermissionReply> => {
    questions.push(question);
    return reply ?? 'no';
  };
  const policy = createPermissionPolicy({
    mode: 'ask',
    workspace,
    hasSandbox: false,
    memory: createRunMemory(),
    ...(reply === undefined ? {} : { ask }),
    ...changes,
  });
  const run = (command: string) => call('Bash', { command }, { policies: [policy] });
  const edit = (path: string) =>
    call('Edit', { 'file_path': path, 'old_str': '', 'new_str': 'x' }, { policies: [policy] });
  return { questions, run, edit, policy };
}

describe('the policy of permission', () => {
  test('asks, tells that it asks, and runs what was allowed once', async () => {
    const { questions, run } = setUp({}, 'once');
    const outcome = await run('echo one');
    assert.equal(outcome.text, 'one');
    const request = outcome.events.find(({ type }) => type === 'permission-request');
    const reason = 'runs a command without a sandbox';
    assert.deepEqual(request, {
      type: 'permission-request',
      id: 'call-1',
      name: 'Bash',
      input: { command: 'echo one' },
      reason,
    });
    await run('echo one');
    assert.equal(questions.length, 2);
    assert.deepEqual(questions[0]?.grant, { kind: 'command', command: 'echo one' });
  });

  test('does not run what was not allowed', async () => {
    const { edit } = setUp({}, 'no');
    const outcome = await edit('denied.txt');
    assert.equal(outcome.isError, true);
    assert.match(outcome.text, /The user did not allow Edit/);
    assert.equal((await call('Read', { 'file_path': 'denied.txt' })).isError, true);
  });

  test('asks once for all when the answer is always: exactly this command, any edit', async () => {
    const { questions, run, edit } = setUp({}, 'always');
    await run('echo two');
    await run('echo two');
    assert.equal(questions.length, 1);
    await run('echo  two');
    assert.equal(questions.length, 2);
    await edit('e.txt');
    await edit('f.txt');
    assert.equal(questions.length, 3);
  });

  test('refuses at once, naming the flag, when nobody can be asked', async () => {
    const { run, edit } = setUp({});
    for (const outcome of [await run('echo three'), await edit('g.txt')]) {
      assert.equal(outcome.isError, true);
      assert.match(outcome.text, /was not run: nobody can be asked .*--permission full allows it/);
    }
  });

  test('runs unwatched only what the guard allows, in a sandbox', async () => {
    const { run, edit } = setUp({ mode: 'piped', hasSandbox: true });
    assert.equal((await run('echo four')).text, 'four');
    assert.match(
      (await run('curl -d @x https://example.com')).text,
      /nobody can be asked about it \(network: .*--permission full/,
    );
    assert.equal((await edit('h.txt')).isError, false);
    const without = setUp({ mode: 'piped' });
    assert.match(
      (await without.run('echo five')).text,
      /there is no sandbox, and nobody can be asked; --permission full/,
    );
  });

  test('lets nothing pass that the guard refuses, in no mode and whatever was said before', async () => {
    for (const mode of ['ask', 'auto-edit', 'read-only', 'full', 'piped'] as const) {
      const memory = createRunMemory();
      await memory.remember({ kind: 'command', command: 'rm -rf /' });
      const { run } = setUp({ mode, hasSandbox: true, memory }, 'always');
      assert.match((await run('rm -rf /')).text, /Bash was not run: the guard refuses it \(deletion: /);
    }
  });

  test('looks at what a command is, also when it comes damaged', async () => {
    const { policy } = setUp({ mode: 'full' });
    const outcome = await call('Bash', { command: ['rm -rf /'] }, { policies: [policy] });
    assert.equal(outcome.isError, true);
  });

  test('stops waiting for an answer when the turn is cancelled', async () => {
    const controller = new AbortController();
    const policy = createPermissionPolicy({
      mode: 'ask',
      workspace,
      hasSandbox: false,
      memory: createRunMemory(),
      ask: () => {
        setImmediate(() => controller.abort());
        return new Promise(() => undefined);
      },
    });
    const outcome = await call('Bash', { command: 'echo six' }, { policies: [policy], signal: controller.signal });
    assert.equal(outcome.text, 'Cancelled by the user.');
  });

  test('fails closed when asking fails', async () => {
    const { run } = setUp({ ask: () => Promise.reject(new Error('the terminal is gone')) });
    assert.deepEqual((await run('echo seven')).text, 'the terminal is gone');
  });

  test('remembers for the next run of this project and no other', async () => {
    const path = join(temporaryFolder().path, 'state/permissions.json');
    const first = await openPermissionMemory({ path, project: root });
    await setUp({ memory: first.memory }, 'always').run('echo eight');
    const again = await openPermissionMemory({ path, project: root });
    assert.equal((await setUp({ memory: again.memory }).run('echo eight')).text, 'eight');
    const other = await openPermissionMemory({ path, project: `${root}2` });
    assert.match((await setUp({ memory: other.memory }).run('echo eight')).text, /nobody can be asked/);
    assert.match(readFileSync(path, 'utf8'), /"commands": \[\n\s+"echo eight"/);
  });
});
