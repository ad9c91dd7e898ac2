// One turn with every feature, over real HTTP in both wires, interrupted at every point: a cancellation at each event, a
// failure of each call, tools that end in every order. The next prompt must always be accepted.

import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { defineTool } from '../../src/agent/tool.ts';
import type { Fault } from '../../src/testing/model/fault.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { inBothWires, readRun, startAgent, type WireName } from '../support/agent-model.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks',
  effect: 'pure',
  run: (_input, { output }) => (output('so far'), 'seen'),
});
const write = defineTool({ name: 'write', description: 'Writes', run: () => 'written' });
const tools = [look, write];

const turn: readonly ScriptedReply[] = [
  {
    text: 'I look.',
    toolCalls: [
      { name: 'look', id: 'a' },
      { name: 'look', id: 'b', rawInput: '{oops:' },
    ],
  },
  { text: 'So far', stopReason: 'length' },
  {
    toolCalls: [
      { name: 'write', id: 'c' },
      { name: 'look', id: 'd' },
    ],
  },
  { text: 'All done.' },
];
const afterwards: ScriptedReply = { match: { contains: 'Still there?' }, text: 'Yes.' };

async function stillAnswers(
  context: TestContext,
  wire: WireName,
  replies: readonly ScriptedReply[],
  cancelAt?: number,
) {
  const { agent } = await startAgent(context, wire, { replies: [afterwards, ...replies], tools });
  const controller = new AbortController();
  let count = 0;
  for await (const event of agent.run('Go', { signal: controller.signal })) {
    if (event.type === 'turn-end') assert.notEqual(event.error?.kind, 'bad-request', String(event.error));
    if ((count += 1) === cancelAt) controller.abort();
  }
  const { end } = await readRun(agent.run('Still there?'));
  assert.equal(end.text, 'Yes.', `after event ${cancelAt}`);
  return count;
}

inBothWires('a cancellation at any event leaves a conversation that can continue', async (context, wire) => {
  const count = await stillAnswers(context, wire, turn);
  assert.ok(count > 30, `${count} events`);
  for (let cancelAt = 1; cancelAt <= count; cancelAt += 1) await stillAnswers(context, wire, turn, cancelAt);
});

describe('a failure of any call', () => {
  const faults: Readonly<Record<string, Fault>> = {
    'for good': { status: 401 },
    'again and again': { status: 529 },
    'in the middle': { cutAtByte: 600 },
    'with a prompt that is too long': { status: 400, errorType: 'context_length_exceeded' },
  };
  for (const [name, fault] of Object.entries(faults)) {
    inBothWires(`${name} leaves a conversation that can continue`, async (context, wire) => {
      for (const index of turn.keys()) {
        const failing = turn.map((reply, place) => (place === index ? { ...reply, times: 9, fault } : reply));
        await stillAnswers(context, wire, failing);
      }
    });
  }
});

inBothWires('tools that end in any order have their results in call order', async (context, wire) => {
  const ids = ['a', 'b', 'c', 'd'];
  const orders = permutations(ids);
  const gates = new Map<string, () => void>();
  const gated = defineTool({
    name: 'gated',
    description: 'Ends on request',
    effect: 'pure',
    run: (_input, { callId }) =>
      new Promise<string>((resolve) => gates.set(callId.slice(0, 1), () => resolve(`${callId} ended`))),
  });
  const replies = orders.flatMap((): ScriptedReply[] => [
    { toolCalls: ids.map((id) => ({ name: 'gated', id })) },
    { text: 'Done.' },
  ]);
  const { agent, asked } = await startAgent(context, wire, { replies, tools: [gated] });
  for (const order of orders) {
    agent.reset();
    const reading = readRun(agent.run('Go'));
    while (gates.size < ids.length) await new Promise((resolve) => setImmediate(resolve));
    for (const id of order) {
      gates.get(id)?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    gates.clear();
    await reading;
    assert.deepEqual(
      asked().at(-1)?.slice(-4),
      ids.map((id) => `user: ${id} → ${id} ended`),
      order.join(),
    );
  }
});

function permutations(items: readonly string[]): string[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}
