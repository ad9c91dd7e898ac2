// The permission policy: when the user is asked, what is remembered, and that a run without a user never waits.

import assert from 'node:assert/strict';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { codingWorkspace, edit, file } from '../../../test/support/coding-workspace.ts';
import { on, subagentModel, task } from '../../../test/support/subagent-model.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { omitUndefined } from '../../core/json.ts';
import { createCodingTools } from '../tools/coding-tools.ts';
import type { PermissionMode } from './decision.ts';
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
    workspace,
    hasSandbox: false,
    memory: createRunMemory(),
    ...(reply === undefined ? {} : { ask }),
    ...changes,
    // A getter must not be read only once.
    get mode() {
      return changes.mode ?? 'ask';
    },
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

  test('tells the model the reason of a denial, and reports the refused call', async () => {
    const refused: string[] = [];
    const { append, run } = setUp({ onRefusal: ({ name }) => void refused.push(name) }, { denial: 'not on Fridays' });
    assert.equal((await append('denied.txt')).text, 'not on Fridays');
    assert.match((await run('rm -rf /')).text, /the guard refuses it/);
    assert.deepEqual(refused, ['Edit', 'Bash']);
  });

  test('runs the input that the user chose, unless the guard refuses it', async () => {
    const chosen = setUp({}, { input: { command: 'echo chosen' } });
    assert.equal((await chosen.run('echo original')).text, 'chosen');
    assert.equal(chosen.questions.length, 1);
    const evil = setUp({}, { input: { command: 'rm -rf /' } });
    assert.match((await evil.run('echo original')).text, /the guard refuses it/);
    const invalid = setUp({}, { input: { text: 1 } });
    assert.match((await invalid.run('echo original')).text, /command/);
  });

  test('reads the mode at every call', async () => {
    const setting: { mode: PermissionOptions['mode'] } = { mode: 'read-only' };
    const { run } = setUp({
      get mode() {
        return setting.mode;
      },
    });
    assert.match((await run('echo now')).text, /read-only/);
    setting.mode = 'full';
    assert.equal((await run('echo now')).text, 'now');
  });

  test('keeps a grant for a whole tool for the run, but not against the guard', async () => {
    const memory = createRunMemory();
    await memory.remember({ kind: 'tool', name: 'Bash' }, 'run');
    const { questions, run } = setUp({ memory }, 'no');
    assert.equal((await run('echo free')).text, 'free');
    assert.match((await run('rm -rf /')).text, /the guard refuses it/);
    assert.equal(questions.length, 0);
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

  test('does not ask again about what was refused for the rest of the run', async () => {
    const { questions, run } = setUp({}, 'never');
    for (let round = 0; round < 2; round += 1) assert.match((await run('echo never')).text, /did not allow Bash/);
    assert.equal(questions.length, 1);
    await run('echo other');
    assert.equal(questions.length, 2);
  });

  test('reads the mode before each call', async () => {
    const permission: { mode: PermissionMode } = { mode: 'read-only' };
    const policy = createPermissionPolicy({
      get mode() {
        return permission.mode;
      },
      workspace,
      hasSandbox: false,
      memory: createRunMemory(),
    });
    const run = () => call('Bash', { command: 'true' }, { policies: [policy] });
    assert.match((await run()).text, /read-only/);
    permission.mode = 'full';
    assert.equal((await run()).isError, false);
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
    await call('Read', file('shown.txt'));
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
    await call('Read', file('fixed.txt'));
    const cases: readonly (readonly [name: string, input: object, answer: RegExp])[] = [
      ['Edit', edit('twice.txt', 'b', 'c'), /old_str: not found in twice\.txt/],
      ['Edit', edit('twice.txt', 'a', 'c'), /old_str: found 2 times/],
      ['Edit', edit('missing.txt', 'a', 'c'), /missing\.txt does not exist/],
      ['Edit', edit('../outside.txt', '', 'c'), /outside the workspace/],
      ['Edit', edit('fixed.txt', 'a', 'c'), /read-only/],
      ['Write', { 'file_path': '.git/config', content: '' }, /belongs to git/],
      ['Write', { 'file_path': 'fixed.txt', content: 'b' }, /read-only/],
      ['Write', { 'file_path': 'twice.txt', content: 'b' }, /twice\.txt exists and was not read in this session/],
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
      [
        'Edit',
        edit('moving.txt', 'one', 'ONE'),
        /the file changed while the user was deciding.* changed since it was read/,
      ],
      ['Write', { 'file_path': 'appearing.txt', content: 'mine\n' }, /the file changed while the user was deciding/],
    ];
    for (const [name, input, answer] of cases) {
      write('moving.txt', 'one\n');
      if (name === 'Write') await call('Read', file('moving.txt'));
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

/** Starts a turn in which two subagents want to run a command. */
function startTasks(ask: PermissionOptions['ask'], commands: readonly [string, string], signal?: AbortSignal) {
  const policy = createPermissionPolicy({
    mode: 'ask',
    workspace,
    hasSandbox: false,
    memory: createRunMemory(),
    ...omitUndefined({ ask }),
  });
  const [first, second] = commands.map((command) => ({
    toolCalls: [{ name: 'Bash', id: 'c', input: { command } }],
  }));
  const tools = createCodingTools(workspace);
  const model = subagentModel(
    [
      { toolCalls: [task('t1', 'begin one'), task('t2', 'begin two')] },
      on('begin one', first ?? {}),
      on('begin two', second ?? {}),
      { match: { system: 'helper' }, text: 'Ready.' },
      { text: 'Done.' },
    ],
    { tools, policies: [policy] },
  );
  return { ...model, run: model.agent.run('Go', omitUndefined({ signal })) };
}

describe('the questions of parallel subagents', () => {
  test('are asked one after the other and name the subagent', async () => {
    let open = 0;
    const asked: PermissionQuestion[] = [];
    const ask = async (question: PermissionQuestion): Promise<PermissionReply> => {
      asked.push(question);
      open += 1;
      assert.equal(open, 1, 'one question at a time');
      await new Promise((resolve) => setTimeout(resolve, 20));
      open -= 1;
      return 'once';
    };
    await startTasks(ask, ['echo one', 'echo two']).run.result();
    assert.deepEqual(
      asked
        .map(({ subagent }) => subagent)
        .toSorted((left, right) => (String(left?.callId) < String(right?.callId) ? -1 : 1)),
      [
        { callId: 't1', name: 'helper', task: 'do t1' },
        { callId: 't2', name: 'helper', task: 'do t2' },
      ],
    );
    assert.equal(new Set(asked.map(({ id }) => id)).size, 2, 'the calls have different ids');
  });

  test('are not asked again after "always" or "never"', async () => {
    for (const reply of ['always', 'never'] as const) {
      let asked = 0;
      const ask = async (): Promise<PermissionReply> => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return reply;
      };
      await startTasks(ask, ['echo same', 'echo same']).run.result();
      assert.equal(asked, 1, reply);
    }
  });

  test('end with a cancel, and later questions are asked again', async () => {
    const controller = new AbortController();
    let asked = 0;
    const ask = (): Promise<PermissionReply> => {
      asked += 1;
      controller.abort();
      return new Promise(() => undefined);
    };
    const { agent, run } = startTasks(ask, ['echo one', 'echo two'], controller.signal);
    await assert.rejects(run.result());
    assert.equal(asked, 1);
    const again = agent.run('begin one');
    for await (const event of again) if (event.type === 'permission-request') again.cancel();
    assert.equal(asked, 2);
  });
});
