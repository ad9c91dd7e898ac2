// Cancelling an agent at every kind of moment, over real HTTP in both wires: it stops immediately, the conversation stays
// valid, and the agent can run again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAgent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/event.ts';
import { defineTool } from '../../src/agent/tool.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { eventsOf, inBothWires, linesOf, readRun, startAgent } from '../support/agent-model.ts';

const reason = new Error('that will do');

function isText(event: AgentEvent): boolean {
  return event.type === 'model-event' && event.event.type === 'text-delta';
}

describe('a cancel', () => {
  inBothWires('during the text keeps the words that came', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'Once upon a time there was', fault: { slow: 20 } }, { text: 'Yes.' }],
    });
    const controller = new AbortController();
    const run = agent.run('Tell', { signal: controller.signal });
    const events: AgentEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (isText(event)) controller.abort(reason);
    }
    assert.equal(eventsOf({ events }, 'turn-end')[0]?.reason, 'cancelled');
    await assert.rejects(run.result(), reason);
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    // One wire keeps the mark as a block of its own, the other joins it to the words.
    const told = asked()[1]?.join(' | ').replace(' | assistant: \n', '\n');
    assert.equal(told, 'user: Tell | assistant: Once \n[Interrupted] | user: Well?');
  });

  inBothWires('before anything came keeps the prompt', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'Never', fault: { stallBeforeMs: 60_000 } }, { text: 'Yes.' }],
    });
    const controller = new AbortController();
    const reading = readRun(agent.run('Tell', { signal: controller.signal }));
    while (asked().length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    assert.equal((await reading).end.reason, 'cancelled');
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    assert.deepEqual(asked()[1], ['user: Tell', 'assistant: [Interrupted]', 'user: Well?']);
  });

  inBothWires('during a tool that streams keeps what it wrote', async (context, wire) => {
    const tool = defineTool({
      name: 'stream',
      description: 'Writes and never ends',
      run: (_input, { output }) => {
        output('one\n');
        output(`${'x'.repeat(120_000)}\n`);
        output('two\n');
        return new Promise(() => undefined);
      },
    });
    const replies = [{ toolCalls: [{ name: 'stream', id: 'a' }] }, { text: 'Yes.' }];
    const { agent, asked } = await startAgent(context, wire, { replies, tools: [tool] });
    const controller = new AbortController();
    for await (const event of agent.run('Go', { signal: controller.signal })) {
      if (event.type === 'tool-output' && event.chunk === 'two\n') controller.abort(reason);
    }
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    const told = asked()[1]?.find((line) => line.includes('Cancelled')) ?? '';
    assert.match(told, /Cancelled by the user\. Output so far:\none\nx+\n… \[20009 characters omitted\] …\nx+\ntwo/);
  });

  inBothWires('during tools answers those that were not done, and waits for none', async (context, wire) => {
    const signals: AbortSignal[] = [];
    const tools = [
      defineTool({ name: 'quick', description: 'Quick', effect: 'pure', run: () => 'done' }),
      defineTool({
        name: 'deaf',
        description: 'Never ends and does not listen',
        effect: 'pure',
        run: (_input, { signal }) => {
          signals.push(signal);
          return new Promise(() => undefined);
        },
      }),
    ];
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        {
          toolCalls: [
            { name: 'quick', id: 'a' },
            { name: 'deaf', id: 'b' },
          ],
        },
        { text: 'Yes.' },
      ],
      tools,
    });
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    for await (const event of agent.run('Go', { signal: controller.signal })) {
      events.push(event);
      if (event.type === 'tool-end') controller.abort(reason);
    }
    assert.deepEqual([signals[0]?.aborted, signals[0]?.reason], [true, reason]);
    assert.deepEqual(
      eventsOf({ events }, 'tool-end').map(({ id }) => id),
      ['a', 'b'],
    );
    assert.equal(eventsOf({ events }, 'turn-end')[0]?.reason, 'cancelled');
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    assert.deepEqual(asked()[1]?.slice(3), [
      'user: a → done',
      'user: b → Cancelled by the user.',
      'assistant: [Interrupted]',
      'user: Well?',
    ]);
  });

  inBothWires('during a sequence of tools does not start the next', async (context, wire) => {
    const started: string[] = [];
    const controller = new AbortController();
    const stop = defineTool({
      name: 'stop',
      description: 'Cancels',
      run: (_input, { callId }) => {
        started.push(callId);
        controller.abort(reason);
        return 'stopped';
      },
    });
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        {
          toolCalls: [
            { name: 'stop', id: 'a' },
            { name: 'stop', id: 'b' },
          ],
        },
        { text: 'Yes.' },
      ],
      tools: [stop],
    });
    const reading = await readRun(agent.run('Go', { signal: controller.signal }));
    assert.deepEqual(started, ['a']);
    assert.equal(eventsOf(reading, 'tool-start').length, 1);
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    assert.equal(asked()[1]?.filter((line) => line.includes('→')).length, 2);
  });

  inBothWires('during a pause before another try ends it', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ fault: { status: 529 } }, { text: 'Yes.' }],
      clock: systemClock,
    });
    const controller = new AbortController();
    for await (const event of agent.run('Go', { signal: controller.signal })) {
      if (event.type === 'retry-wait') setImmediate(() => controller.abort(reason));
    }
    assert.equal(asked().length, 1);
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    assert.deepEqual(asked()[1], ['user: Go', 'assistant: [Interrupted]', 'user: Well?']);
  });

  inBothWires('is also leaving the loop', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'Once upon a time there was', fault: { slow: 20 } }, { text: 'Yes.' }],
    });
    const run = agent.run('Tell');
    for await (const event of run) if (isText(event)) break;
    await assert.rejects(run.result(), { name: 'AbortError' });
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    assert.match(asked()[1]?.slice(1, -1).join('') ?? '', /^assistant: Once .*\[Interrupted\]$/s);
  });

  inBothWires('that came before the run began asks nothing', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, { replies: [{ text: 'Yes.' }] });
    await assert.rejects(agent.run('Go', { signal: AbortSignal.abort(reason) }).result(), reason);
    assert.equal(asked().length, 0);
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
  });

  inBothWires('in a tool call that is being written runs nothing', async (context, wire) => {
    const never = defineTool({
      name: 'never',
      description: 'Must not run',
      run: () => assert.fail('it ran'),
    });
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        {
          text: 'So.',
          toolCalls: [
            { name: 'never', id: 'a' },
            { name: 'never', id: 'b', input: { x: 'y'.repeat(300) } },
          ],
          fault: { slow: 5 },
        },
        { text: 'Yes.' },
      ],
      tools: [never],
    });
    const run = agent.run('Go');
    for await (const event of run) {
      if (event.type === 'model-event' && event.event.type === 'tool-call-start' && event.event.id === 'b')
        run.cancel();
    }
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
    assert.ok(!asked()[1]?.some((line) => line.includes('never(')), 'no call without its result');
  });
});

test('a run can be awaited and iterated at once, read once, and not beside another', async () => {
  const agent = createAgent({ provider: createSimulatedProvider() });
  const run = agent.run('Count to 3');
  const types: string[] = [];
  let words = '';
  const iterating = (async () => {
    for await (const event of run) {
      types.push(event.type);
      if (event.type === 'model-event' && event.event.type === 'text-delta') words += event.event.text;
    }
  })();
  assert.throws(() => run[Symbol.asyncIterator](), /iterated only once/);
  await assert.rejects(agent.run('Count to 4').result(), /the agent is already running/);
  assert.equal((await run.result()).text, '1, 2, 3');
  await iterating;
  assert.deepEqual([types[0], types.at(-1), words], ['turn-start', 'turn-end', '1, 2, 3']);
  assert.equal((await agent.run('Count to 2').result()).text, '1, 2');
  assert.deepEqual(agent.messages.flatMap(linesOf).length, 4);
});

test('the result can be awaited inside the loop, and the later events still arrive', async () => {
  const agent = createAgent({ provider: createSimulatedProvider() });
  const run = agent.run('Count to 3');
  const types: string[] = [];
  for await (const event of run) {
    if (types.push(event.type) === 1) assert.equal((await run.result()).text, '1, 2, 3');
  }
  assert.equal(types.at(-1), 'turn-end');
});
