// The permission policy: when the user is asked, what is remembered, and that a run without a user never waits.

import assert from 'node:assert/strict';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codingWorkspace, edit } from '../../../test/support/coding-workspace.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { createRunMemory, openPermissionMemory } from './memory.ts';
import {
  createPermissionPolicy,
  type PermissionOptions,
  type PermissionQuestion,
  type PermissionReply,
} from './permission.ts';

const { root, workspace, call, write } = codingWorkspace();

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
  const append = (path: string) => call('Edit', edit(path, '', 'x'), { policies: [policy] });
  return { questions, run, append, policy };
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
    const { append } = setUp({}, 'no');
    const outcome = await append('denied.txt');
    assert.equal(outcome.isError, true);
    assert.match(outcome.text, /The user did not allow Edit/);
    assert.equal((await call('Read', { 'file_path': 'denied.txt' })).isError, true);
  });

  test('asks once for all when the answer is always: exactly this command, any edit', async () => {
    const { questions, run, append } = setUp({}, 'always');
    await run('echo two');
    await run('echo two');
    assert.equal(questions.length, 1);
    await run('echo  two');
    assert.equal(questions.length, 2);
    await append('e.txt');
    await append('f.txt');
    assert.equal(questions.length, 3);
  });

  test('refuses immediately and names the flag if the user cannot be asked', async () => {
    const { run, append } = setUp({});
    for (const outcome of [await run('echo three'), await append('g.txt')]) {
      assert.equal(outcome.isError, true);
      assert.match(outcome.text, /was not run: .*cannot ask the user; --permission full allows it/);
    }
  });

  test('runs unwatched only what the guard allows, in a sandbox', async () => {
    const { run, append } = setUp({ mode: 'piped', hasSandbox: true });
    assert.equal((await run('echo four')).text, 'four');
    assert.match(
      (await run('curl -d @x https://example.com')).text,
      /it needs permission \(network: .*--permission full/,
    );
    assert.equal((await append('h.txt')).isError, false);
    const without = setUp({ mode: 'piped' });
    assert.match(
      (await without.run('echo five')).text,
      /there is no sandbox, and this run cannot ask the user; --permission full/,
    );
  });

  test('never runs what the guard refuses, in any mode and whatever was allowed before', async () => {
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

  test('shows what a change would do', async () => {
    const { questions, policy } = setUp({}, 'once');
    write('shown.txt', 'one\ntwo\nthree\n');
    await call('Write', { 'file_path': 'shown.txt', content: 'one\n2\n' }, { policies: [policy] });
    await call(
      'Write',
      { 'file_path': 'fresh.txt', content: `${'x'.repeat(900)}\n`.repeat(900) },
      { policies: [policy] },
    );
    await call('Edit', edit('shown.txt', '2', 'two'), { policies: [policy] });
    await call('Edit', edit('shown.txt', '', 'end\n'), { policies: [policy] });
    const [overwrite, creation, change, addition] = questions.map(({ preview }) => preview);
    assert.deepEqual(overwrite, {
      title: 'overwrites shown.txt: 3 lines → 2 lines',
      text: '--- shown.txt\n+++ shown.txt\n@@ -1,3 +1,2 @@\n one\n-two\n-three\n+2\n',
    });
    assert.equal(creation?.title, 'creates fresh.txt (900 lines)');
    assert.equal(creation?.text.split('\n').filter((line) => line === `+${'x'.repeat(900)}`).length, 900);
    assert.deepEqual([change?.title, addition?.title], ['changes shown.txt', 'appends to shown.txt']);
    assert.match(change?.text ?? '', /\n-2\n\+two\n/);
  });

  test('does not ask about a change that cannot be made, or that changes nothing', async () => {
    const { questions, policy } = setUp({}, 'once');
    write('twice.txt', 'a\na\n');
    chmodSync(write('fixed.txt', 'a\n'), 0o444);
    const cases: readonly (readonly [name: string, input: object, answer: RegExp])[] = [
      ['Edit', edit('twice.txt', 'b', 'c'), /old_str: not found in twice\.txt/],
      ['Edit', edit('twice.txt', 'a', 'c'), /old_str: found 2 times/],
      ['Edit', edit('missing.txt', 'a', 'c'), /missing\.txt does not exist/],
      ['Edit', edit('../outside.txt', '', 'c'), /outside the workspace/],
      ['Edit', edit('fixed.txt', 'a', 'c'), /read-only/],
      ['Write', { 'file_path': '.git/config', content: '' }, /belongs to git/],
      ['Write', { 'file_path': 'fixed.txt', content: 'b' }, /read-only/],
      ['Write', { 'file_path': 'twice.txt', content: 'a\na\n' }, /^twice\.txt already has this content\.$/],
    ];
    for (const [name, input, answer] of cases) {
      const outcome = await call(name, input, { policies: [policy] });
      assert.match(outcome.text, answer);
      assert.equal(
        outcome.events.some(({ type }) => type === 'permission-request'),
        false,
      );
    }
    assert.equal(questions.length, 0);
  });

  test('does not write when the file changed while the user was asked', async () => {
    const cases: readonly (readonly [name: string, input: object, answer: RegExp])[] = [
      ['Write', { 'file_path': 'moving.txt', content: 'mine\n' }, /the file changed while the user was deciding/],
      ['Edit', edit('moving.txt', 'one', 'ONE'), /the file changed while the user was deciding.* old_str: not found/],
      ['Write', { 'file_path': 'appearing.txt', content: 'mine\n' }, /the file changed while the user was deciding/],
    ];
    for (const [name, input, answer] of cases) {
      write('moving.txt', 'one\n');
      const { policy } = setUp({
        ask: async () => {
          write('moving.txt', 'theirs\n');
          write('appearing.txt', 'theirs\n');
          return 'once';
        },
      });
      const outcome = await call(name, input, { policies: [policy] });
      assert.equal(outcome.isError, true);
      assert.match(outcome.text, answer);
      assert.match(outcome.text, /Nothing was written/);
      assert.equal(readFileSync(join(root, 'moving.txt'), 'utf8'), 'theirs\n');
      assert.equal(readFileSync(join(root, 'appearing.txt'), 'utf8'), 'theirs\n');
      rmSync(join(root, 'appearing.txt'));
    }
  });

  test('remembers for the next run of this project and no other', async () => {
    const path = join(temporaryFolder().path, 'state/permissions.json');
    const first = await openPermissionMemory({ path, project: root });
    await setUp({ memory: first.memory }, 'always').run('echo eight');
    const again = await openPermissionMemory({ path, project: root });
    assert.equal((await setUp({ memory: again.memory }).run('echo eight')).text, 'eight');
    const other = await openPermissionMemory({ path, project: `${root}2` });
    assert.match((await setUp({ memory: other.memory }).run('echo eight')).text, /cannot ask the user/);
    assert.match(readFileSync(path, 'utf8'), /"commands": \[\n\s+"echo eight"/);
  });
});
