// Policies around tools: permissions and hooks can be built on them without changing the loop.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventsOf, hastyClock, linesOf, noticesOf, readRun } from '../../test/support/agent-model.ts';
import { createSimulatedProvider } from '../testing/model/provider.ts';
import type { ScriptedReply } from '../testing/model/script.ts';
import { createAgent } from './agent.ts';
import { isWithdrawal, type PolicySource, type ToolPolicy } from './policy.ts';
import { defineTool, toErrorAnswer } from './tool.ts';

function start(policies: readonly PolicySource[], replies: readonly ScriptedReply[]) {
  const ran: string[] = [];
  const tool = (name: string, effect: 'pure' | 'mutating') =>
    defineTool({ name, description: name, effect, run: (_input, { callId }) => ran.push(callId) && `${callId} ran` });
  const provider = createSimulatedProvider({ script: { replies } });
  const tools = [tool('read', 'pure'), tool('write', 'mutating')];
  const agent = createAgent({ provider, tools, policies, clock: hastyClock() });
  return { agent, ran, lines: () => agent.messages.flatMap(linesOf) };
}

const calls = (name: string, ...ids: string[]): ScriptedReply => ({ toolCalls: ids.map((id) => ({ name, id })) });
const done: ScriptedReply = { text: 'Done.' };

/** The block counter of the hooks: the third block in a row ends the turn. */
function blockCounter(isBlocked: (id: string) => boolean): () => ToolPolicy {
  return () => {
    let inARow = 0;
    const blocks = (id: string): boolean => {
      inARow = isBlocked(id) ? inARow + 1 : 0;
      return inARow > 0;
    };
    return {
      beforeBatch({ calls: batch, isParallel }) {
        if (!isParallel) return undefined;
        const blocked = batch.filter(({ id }) => blocks(id));
        if (inARow >= 3) return { withdraw: 'block-limit-consecutive' };
        return { answers: new Map(blocked.map(({ id }) => [id, toErrorAnswer(`${id} is blocked`)])) };
      },
      around(call, next) {
        if (call.effect === 'pure' || !blocks(call.id)) return next();
        return inARow >= 3 ? { withdraw: 'block-limit-consecutive' } : toErrorAnswer(`${call.id} is blocked`);
      },
    };
  };
}

const broken = () => {
  throw new Error('the guard is broken');
};

describe('a policy', () => {
  test('may answer instead of the tool, or change what it answers', async () => {
    const policy: ToolPolicy = {
      async around({ id, input, iterations }, next) {
        assert.deepEqual([input, iterations], [{}, 0]);
        if (id === 'a') return toErrorAnswer('not allowed');
        const answer = await next();
        return { ...answer, isError: true };
      },
    };
    const { agent, ran, lines } = start([policy], [calls('write', 'a', 'b'), done]);
    const { end } = await readRun(agent.run('Go'));
    assert.equal(end.reason, 'end');
    assert.deepEqual(ran, ['b']);
    assert.deepEqual(lines().slice(3, 5), ['user: a → not allowed', 'user: b → b ran']);
  });

  test('that changes the input sends it through the check and all policies again', async () => {
    const judged: string[] = [];
    const ran: unknown[] = [];
    const input = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
    const tool = defineTool({ name: 'write', description: 'w', input, run: (each) => void ran.push(each) });
    const guard: ToolPolicy = {
      around(call, next) {
        const { path } = call.input as { path: string };
        judged.push(path);
        return path === 'secret' ? toErrorAnswer('blocked') : next();
      },
    };
    const changes: Readonly<Record<string, unknown>> = {
      a: { path: 'b' },
      c: { path: 'secret' },
      d: {},
      e: { path: 'e' },
    };
    const changer: ToolPolicy = {
      around: (call, next) => {
        const { path } = call.input as { path: string };
        return path in changes ? { input: changes[path] } : next();
      },
    };
    const toolCalls = ['a', 'c', 'd', 'e'].map((path) => ({ name: 'write', id: path, input: { path } }));
    const provider = createSimulatedProvider({ script: { replies: [{ toolCalls }, done] } });
    const agent = createAgent({ provider, tools: [tool], policies: [guard, changer], clock: hastyClock() });
    await readRun(agent.run('Go'));
    assert.deepEqual(ran, [{ path: 'b' }]);
    assert.deepEqual(judged, ['a', 'b', 'c', 'secret', 'd', ...Array.from({ length: 5 }, () => 'e')]);
    const results = agent.messages.flatMap(linesOf).filter((line) => line.includes('→'));
    assert.equal(results[1], 'user: c → blocked');
    assert.match(results[2] ?? '', /path/);
    assert.equal(results[3], 'user: e → The input was changed too often.');
  });

  test('that throws keeps the tool from running', async () => {
    for (const policy of [{ around: broken }, { beforeBatch: broken }, { around: async () => broken() }]) {
      const { agent, ran, lines } = start([policy], [calls('read', 'a'), done]);
      assert.equal((await readRun(agent.run('Go'))).end.reason, 'end');
      assert.deepEqual(ran, []);
      assert.equal(lines()[2], 'user: a → the guard is broken');
    }
  });

  test('that gives no answer has not consented', async () => {
    for (const around of [() => undefined, async () => undefined, () => ({ ok: true })]) {
      const { agent, ran, lines } = start([{ around } as never], [calls('read', 'a'), done]);
      assert.equal((await readRun(agent.run('Go'))).end.reason, 'end');
      assert.deepEqual(ran, []);
      assert.match(lines()[2] ?? '', /^user: a → A policy around the tool returned no answer/);
    }
  });

  test('receives the results of the complete batch and may end the turn; an exception there changes nothing', async () => {
    const seen: string[] = [];
    const watch: ToolPolicy = {
      afterBatch: ({ calls: batch }, results) => {
        seen.push(`${batch.map(({ id }) => id).join()} ${results.map(({ callId }) => callId).join()}`);
        return seen.length === 2 ? 'convergence-signal' : undefined;
      },
    };
    const replies = [calls('read', 'a', 'b'), { toolCalls: [{ name: 'nowhere', id: 'x' }] }, done];
    const { agent } = start([{ afterBatch: broken }, watch], replies);
    const reading = await readRun(agent.run('Go'));
    assert.deepEqual(seen, ['a,b a,b', ' x']);
    assert.equal(reading.end.reason, 'convergence-signal');
    const failed = 'policy-failure: the guard is broken';
    assert.deepEqual(noticesOf(reading), [failed, failed]);
  });

  test('may ask for permission, and everybody sees it', async () => {
    const policy: ToolPolicy = {
      async around({ id, name, input }, next, { emit }) {
        void emit({ type: 'permission-request', id, name, input });
        await new Promise((resolve) => setImmediate(resolve));
        return next();
      },
    };
    const { agent } = start([policy], [calls('write', 'a'), done]);
    const { types } = await readRun(agent.run('Go'));
    assert.deepEqual(types, ['turn-start', 'tool-start', 'permission-request', 'tool-end', 'turn-end']);
  });

  test('wraps the policies after it', async () => {
    const order: string[] = [];
    const named = (name: string): ToolPolicy => ({
      async around(_call, next) {
        order.push(`${name} in`);
        const answer = await next();
        order.push(`${name} out`);
        return answer;
      },
    });
    await readRun(start([named('outer'), named('inner')], [calls('read', 'a'), done]).agent.run('Go'));
    assert.deepEqual(order, ['outer in', 'inner in', 'inner out', 'outer out']);
  });

  test('may end the turn once the results are recorded', async () => {
    const policy: ToolPolicy = {
      async around(_call, next) {
        const answer = await next();
        return isWithdrawal(answer) ? answer : { ...answer, endTurn: 'convergence-signal' };
      },
    };
    const { agent, ran, lines } = start([policy], [calls('read', 'a', 'b'), done]);
    const { end } = await readRun(agent.run('Go'));
    assert.deepEqual([end.reason, end.iterations], ['convergence-signal', 1]);
    assert.deepEqual(ran, ['a', 'b']);
    assert.deepEqual(lines().slice(3), [
      'user: a → a ran',
      'user: b → b ran',
      'assistant: [Stopped: convergence-signal]',
    ]);
  });

  test('knows which calls were started, and which another policy answered', async () => {
    for (const name of ['read', 'write']) {
      const seen: string[][] = [];
      const watch: ToolPolicy = {
        beforeBatch: ({ started }) => void seen.push([...started]),
        afterBatch: ({ started }) => void seen.push([...started]),
      };
      const refuse: ToolPolicy = { around: ({ id }, next) => (id === 'a' ? toErrorAnswer('no') : next()) };
      await readRun(start([watch, refuse], [calls(name, 'a', 'b'), done]).agent.run('Go'));
      assert.deepEqual(seen, [[], ['b']]);
    }
  });

  test('is not asked about calls that cannot run', async () => {
    const seen: string[] = [];
    const policy: ToolPolicy = {
      beforeBatch: ({ calls: batch }) => void seen.push(...batch.map(({ id }) => id)),
      around: (call, next) => (seen.push(call.id), next()),
    };
    const replies: ScriptedReply[] = [
      {
        toolCalls: [
          { name: 'nowhere', id: 'x' },
          { name: 'read', id: 'a' },
        ],
      },
      done,
    ];
    await readRun(start([policy], replies).agent.run('Go'));
    assert.deepEqual(seen, ['a', 'a']);
  });

  test('may be broken off by a cancel', async () => {
    const controller = new AbortController();
    const policy: ToolPolicy = {
      beforeBatch: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    };
    const { agent, ran } = start([policy], [calls('read', 'a')]);
    const { end } = await readRun(agent.run('Go', { signal: controller.signal }));
    assert.equal(end.reason, 'cancelled');
    assert.deepEqual(ran, []);
  });
});

describe('a batch that is withdrawn', () => {
  test('before it began starts nothing and leaves no trace', async () => {
    const { agent, ran, lines } = start([blockCounter(() => true)], [calls('read', 'a', 'b', 'c'), done]);
    const reading = await readRun(agent.run('Go'));
    assert.deepEqual([reading.end.reason, reading.end.iterations], ['block-limit-consecutive', 0]);
    assert.equal(eventsOf(reading, 'tool-start').length, 0);
    assert.deepEqual(ran, []);
    assert.deepEqual(lines(), ['user: Go', 'assistant: [Stopped: block-limit-consecutive]']);
  });

  test('in a sequence starts no more', async () => {
    const replies = [{ ...calls('write', 'a', 'b', 'c', 'd', 'e'), text: 'I write.' }, done];
    const { agent, ran, lines } = start([blockCounter((id) => id !== 'a')], replies);
    const reading = await readRun(agent.run('Go'));
    assert.equal(reading.end.reason, 'block-limit-consecutive');
    assert.deepEqual(ran, ['a']);
    assert.equal(eventsOf(reading, 'tool-end').length, 4);
    assert.deepEqual(lines(), ['user: Go', 'assistant: I write.']);
    assert.equal((await readRun(agent.run('Again'))).end.text, 'Done.');
  });

  test('counts per turn, and an allowed call resets the count', async () => {
    const replies = [
      calls('read', 'a', 'b', 'ok1', 'c'),
      calls('read', 'd', 'ok2'),
      done,
      calls('read', 'e', 'f'),
      done,
    ];
    const { agent } = start([blockCounter((id) => !id.startsWith('ok'))], replies);
    assert.equal((await readRun(agent.run('Go'))).end.iterations, 2);
    assert.equal((await readRun(agent.run('Go'))).end.reason, 'end');
  });
});
