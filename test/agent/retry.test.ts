// An agent whose model fails, over real HTTP in both wires: what is retried and when, which events are emitted, and that
// the conversation can always continue.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAgent } from '../../src/agent/agent.ts';
import { defineTool } from '../../src/agent/tool.ts';
import type { CallContext } from '../../src/core/call.ts';
import type { Provider } from '../../src/core/provider.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';
import { eventsOf, hastyClock, inBothWires, linesOf, readRun, startAgent } from '../support/agent-model.ts';
import { createClient } from '../../src/node.ts';

const look = defineTool({ name: 'look', description: 'Looks', effect: 'pure', run: () => 'seen' });
const overloaded: ScriptedReply = { fault: { status: 529, message: 'Overloaded, sorry.' } };
const times = (count: number, reply: ScriptedReply): ScriptedReply => ({ ...reply, times: count });

describe('a transient error', () => {
  inBothWires('is tried again after 2, 4, 8 and 16 seconds', async (context, wire) => {
    const { agent, pauses, asked } = await startAgent(context, wire, {
      replies: [times(4, overloaded), { text: 'At last.' }],
    });
    const { end, types, events } = await readRun(agent.run('Hi'));
    assert.deepEqual([end.reason, end.text], ['end', 'At last.']);
    assert.deepEqual(pauses, [2_000, 4_000, 8_000, 16_000]);
    assert.deepEqual(types, ['turn-start', 'retry-wait', 'retry-wait', 'retry-wait', 'retry-wait', 'turn-end']);
    const waits = eventsOf({ events }, 'retry-wait');
    assert.deepEqual(
      waits.map(({ attempt, limit, delay }) => [attempt, limit, delay]),
      [
        [1, 4, 2_000],
        [2, 4, 4_000],
        [3, 4, 8_000],
        [4, 4, 16_000],
      ],
    );
    assert.match(waits[0]?.error.message ?? '', /Overloaded, sorry/);
    assert.equal(new Set(asked().map(String)).size, 1, 'the same question each time');
  });

  inBothWires('five times is final, and the next prompt works', async (context, wire) => {
    const { agent, asked, pauses } = await startAgent(context, wire, {
      replies: [{ text: 'Hello.' }, times(5, overloaded), { text: 'Back.' }],
    });
    await readRun(agent.run('Hi'));
    const { end } = await readRun(agent.run('Lost'));
    assert.deepEqual([end.reason, end.error?.kind], ['error', 'overloaded']);
    assert.equal(pauses.length, 4);
    assert.equal(asked().length, 6);
    assert.deepEqual(agent.messages.flatMap(linesOf), ['user: Hi', 'assistant: Hello.']);
    assert.equal((await readRun(agent.run('Again'))).end.text, 'Back.');
    assert.deepEqual(asked().at(-1), ['user: Hi', 'assistant: Hello.', 'user: Again']);
  });

  for (const [retryAfter, expected] of [
    ['0', 0],
    ['7', 7_000],
    ['3600', 60_000],
    ['soon', 2_000],
  ] as const) {
    inBothWires(`with Retry-After: ${retryAfter} waits ${expected} ms`, async (context, wire) => {
      const { agent, pauses } = await startAgent(context, wire, {
        replies: [{ fault: { status: 429, retryAfter } }, { text: 'Hello.' }],
      });
      assert.equal((await readRun(agent.run('Hi'))).end.reason, 'end');
      assert.deepEqual(pauses, [expected]);
    });
  }

  const forms: Readonly<Record<string, ScriptedReply>> = {
    'a 500': { fault: { status: 500 } },
    'a 503': { fault: { status: 503 } },
    'a reset connection': { fault: { reset: true } },
    'an error as the first event': { fault: { errorAfterEvents: 0 } },
    'a body that ends before it begins': { fault: { endAtByte: 0 } },
  };
  for (const [name, reply] of Object.entries(forms)) {
    inBothWires(`may be ${name}`, async (context, wire) => {
      const { agent, pauses } = await startAgent(context, wire, { replies: [reply, { text: 'Hello.' }] });
      const { end, types } = await readRun(agent.run('Hi'));
      assert.deepEqual([end.reason, end.text], ['end', 'Hello.']);
      assert.deepEqual(pauses, [2_000]);
      assert.ok(!types.includes('stream-restart'), 'nothing had been shown');
    });
  }

  inBothWires('restarts its count with each model call', async (context, wire) => {
    const { agent, pauses } = await startAgent(context, wire, {
      replies: [overloaded, { toolCalls: [{ name: 'look' }] }, overloaded, overloaded, { text: 'Done.' }],
      tools: [look],
    });
    assert.equal((await readRun(agent.run('Hi'))).end.reason, 'end');
    assert.deepEqual(pauses, [2_000, 2_000, 4_000]);
  });
});

describe('a stream that is cut', () => {
  const cutForms: Readonly<Record<string, ScriptedReply>> = {
    'by the connection': { text: 'Once upon a time', fault: { cutAtByte: 700 } },
    'by its proper end': { text: 'Once upon a time', fault: { endAtByte: 700 } },
    'by an error event': { text: 'Once upon a time', fault: { errorAfterEvents: 3 } },
    'by an event that is not JSON': { text: 'Once upon a time', fault: { malformedSse: true } },
  };
  for (const [name, reply] of Object.entries(cutForms)) {
    inBothWires(`${name} starts over, with an event`, async (context, wire) => {
      const { agent, asked, pauses } = await startAgent(context, wire, { replies: [reply, { text: 'The end.' }] });
      const { end, types, events } = await readRun(agent.run('Tell'));
      assert.deepEqual([end.reason, end.text], ['end', 'The end.']);
      assert.deepEqual(types, ['turn-start', 'retry-wait', 'stream-restart', 'turn-end']);
      assert.deepEqual(pauses, [2_000]);
      const words = events.flatMap((event) =>
        event.type === 'model-event' && event.event.type === 'text-delta' ? [event.event.text] : [],
      );
      assert.equal(words[0], 'Once ');
      assert.deepEqual(asked()[1], ['user: Tell']);
      assert.deepEqual(agent.messages.flatMap(linesOf), ['user: Tell', 'assistant: The end.']);
    });
  }

  inBothWires('in a tool call runs nothing of it', async (context, wire) => {
    let runs = 0;
    const count = defineTool({ name: 'count', description: 'Counts', run: () => String((runs += 1)) });
    const calls = [
      { name: 'count', id: 'a' },
      { name: 'count', id: 'b', input: { long: 'x'.repeat(400) } },
    ];
    const { agent } = await startAgent(context, wire, {
      replies: [{ toolCalls: calls, fault: { cutAtByte: 1_500 } }, { text: 'No.' }],
      tools: [count],
    });
    const { end, types } = await readRun(agent.run('Count'));
    assert.equal(end.text, 'No.');
    assert.ok(types.includes('stream-restart'));
    assert.equal(runs, 0);
  });

  inBothWires('five times is final', async (context, wire) => {
    const { agent } = await startAgent(context, wire, {
      replies: [times(5, { text: 'Once upon a time', fault: { cutAtByte: 700 } }), { text: 'The end.' }],
    });
    const { end, types } = await readRun(agent.run('Tell'));
    assert.deepEqual([end.reason, end.error?.kind], ['error', 'network']);
    assert.equal(types.filter((type) => type === 'stream-restart').length, 4);
    assert.equal((await readRun(agent.run('Tell'))).end.text, 'The end.');
  });
});

describe('a plan of one’s own', () => {
  const retry = { delays: [1_000, 2_000], restart: false };

  inBothWires('tries as often as it says', async (context, wire) => {
    const { agent, pauses } = await startAgent(context, wire, { replies: [times(3, overloaded)], retry });
    assert.equal((await readRun(agent.run('Hi'))).end.error?.kind, 'overloaded');
    assert.deepEqual(pauses, [1_000, 2_000]);
  });

  inBothWires('may leave an answer alone that was shown', async (context, wire) => {
    const { agent, pauses } = await startAgent(context, wire, {
      replies: [{ text: 'Once upon a time', fault: { cutAtByte: 700 } }],
      retry,
    });
    const { end, types } = await readRun(agent.run('Hi'));
    assert.equal(end.error?.kind, 'network');
    assert.deepEqual([pauses.length, types.includes('stream-restart')], [0, false]);
  });

  inBothWires('may start over as long as no text was shown', async (context, wire) => {
    const { agent, pauses } = await startAgent(context, wire, {
      replies: [
        { toolCalls: [{ name: 'look', input: { at: 'the sky above us' } }], fault: { errorAfterEvents: 4 } },
        { text: 'Once upon a time', fault: { cutAtByte: 700 } },
      ],
      retry: { delays: [1_000, 2_000], restart: 'before-text' },
    });
    const { end, types } = await readRun(agent.run('Hi'));
    assert.equal(end.error?.kind, 'network');
    assert.deepEqual(types, ['turn-start', 'retry-wait', 'stream-restart', 'turn-end']);
    assert.deepEqual(pauses, [1_000]);
  });
});

test('the layers below are asked not to retry', async () => {
  const contexts: (CallContext | undefined)[] = [];
  const inner = createSimulatedProvider();
  const provider: Provider = {
    name: 'own',
    open: (request, signal, given) => (contexts.push(given), inner.open(request, signal)),
  };
  await createAgent({ provider }).run('Hi').result();
  assert.deepEqual(
    contexts.map((given) => given?.retry),
    [false],
  );
});

inBothWires('a client’s own retries do not multiply the agent’s', async (context, wire) => {
  const server = await createSimulateServer({ script: { replies: [times(9, overloaded)] } });
  context.after(() => server.close());
  const told: string[] = [];
  const client = createClient({
    provider: wire,
    apiKey: 'any',
    baseUrl: `${server.url}/v1`,
    breaker: false,
    observer: ({ type }) => void told.push(type),
  });
  context.after(() => client.close());
  const agent = createAgent({ client, model: `${wire}/m`, clock: hastyClock() });
  assert.equal((await readRun(agent.run('Hi'))).end.error?.kind, 'overloaded');
  assert.equal(server.requests.length, 5);
  assert.equal(told.filter((type) => type === 'call-start').length, 5);
  assert.ok(!told.includes('retry-wait'));
});

describe('a permanent error', () => {
  const permanent = {
    'a bad request': [400, 'bad-request'],
    'a wrong key': [401, 'auth'],
    'no such model': [404, 'not-found'],
  } as const;
  for (const [name, [status, kind]] of Object.entries(permanent)) {
    inBothWires(`stops at once: ${name}`, async (context, wire) => {
      const { agent, pauses, asked } = await startAgent(context, wire, {
        replies: [{ fault: { status } }, { text: 'Hello.' }],
      });
      const { end } = await readRun(agent.run('Hi'), true);
      assert.deepEqual([end.reason, end.error?.kind], ['error', kind]);
      assert.deepEqual([pauses.length, asked().length], [0, 1]);
      assert.equal((await readRun(agent.run('Hello'))).end.text, 'Hello.');
      assert.deepEqual(asked()[1], ['user: Hello']);
    });
  }

  inBothWires('stops at once: a quota that is used up, though its status is 429', async (context, wire) => {
    const errorType = wire === 'openai' ? 'insufficient_quota' : 'billing_error';
    const { agent, pauses } = await startAgent(context, wire, { replies: [{ fault: { status: 429, errorType } }] });
    const { end } = await readRun(agent.run('Hi'));
    assert.deepEqual([end.reason, end.error?.kind], ['error', 'quota']);
    assert.equal(pauses.length, 0);
  });

  inBothWires('is thrown by result()', async (context, wire) => {
    const { agent } = await startAgent(context, wire, { replies: [{ fault: { status: 401 } }] });
    await assert.rejects(agent.run('Hi').result(), { kind: 'auth' });
  });
});

describe('the conversation after a failure in the middle of a turn', () => {
  const denied: ScriptedReply = { fault: { status: 401 } };

  inBothWires('loses the results that were never sent and their calls', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, denied, { text: 'Yes.' }],
      tools: [look],
    });
    assert.equal((await readRun(agent.run('Go'))).end.reason, 'error');
    assert.equal((await readRun(agent.run('Again'))).end.text, 'Yes.');
    assert.deepEqual(asked().at(-1), ['user: Go', 'assistant: I look.', 'user: Again']);
  });

  inBothWires('loses the prompt too if there was no response', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ toolCalls: [{ name: 'look' }] }, denied, { text: 'Yes.' }],
      tools: [look],
    });
    assert.equal((await readRun(agent.run('Go'))).end.reason, 'error');
    assert.equal((await readRun(agent.run('Again'))).end.text, 'Yes.');
    assert.deepEqual(asked().at(-1), ['user: Again']);
  });

  inBothWires('keeps the batches before it, because their effects happened', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        { toolCalls: [{ name: 'look', id: 'a' }] },
        { toolCalls: [{ name: 'look', id: 'b' }] },
        denied,
        { text: 'Yes.' },
      ],
      tools: [look],
    });
    assert.equal((await readRun(agent.run('Go'))).end.reason, 'error');
    assert.equal((await readRun(agent.run('Again'))).end.text, 'Yes.');
    assert.deepEqual(asked().at(-1), [
      'user: Go',
      'assistant: a = look({})',
      'user: a → seen',
      'assistant: [No response: the request failed]',
      'user: Again',
    ]);
  });

  inBothWires('keeps the text before a failed continuation', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'One', stopReason: 'length' }, denied, { text: 'Yes.' }],
    });
    assert.equal((await readRun(agent.run('Go'))).end.reason, 'error');
    await readRun(agent.run('Again'));
    assert.deepEqual(asked().at(-1), ['user: Go', 'assistant: One', 'user: Again']);
  });
});

inBothWires('a pause of no length is really waited for', async (context, wire) => {
  const { agent } = await startAgent(context, wire, {
    replies: [{ fault: { status: 529, retryAfter: '0' } }, { text: 'Hello.' }],
    clock: systemClock,
  });
  assert.equal((await readRun(agent.run('Hi'))).end.text, 'Hello.');
});
