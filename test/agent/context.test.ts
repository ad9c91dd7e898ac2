// A conversation that grows too long, over real HTTP in both wires: when it is trimmed or summarised, and that every
// request is valid and small enough.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAgent } from '../../src/agent/agent.ts';
import type { HistoryChange } from '../../src/agent/history.ts';
import { defineTool } from '../../src/agent/tool.ts';
import { text, type Message } from '../../src/core/message.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { eventsOf, inBothWires, linesOf, noticesOf, readRun, startAgent } from '../support/agent-model.ts';

const look = defineTool({ name: 'look', description: 'Looks', effect: 'pure', run: () => 'seen' });

const exchanges = (count: number, bytes: number): Message[] =>
  Array.from({ length: count }, (_, index): Message[] => [
    { role: 'user', content: [text(`Question ${index}`)] },
    { role: 'assistant', content: [{ type: 'tool-call', id: `c${index}`, name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool-result', callId: `c${index}`, content: [text('x'.repeat(bytes))] }] },
    { role: 'assistant', content: [text(`Answer ${index}`)] },
  ]).flat();

describe('a conversation that is too long', () => {
  inBothWires('by its size is trimmed before the first question of a turn', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'Yes.' }],
      tools: [look],
      messages: exchanges(8, 5_000),
      contextWindow: 10_000,
    });
    const reading = await readRun(agent.run('Well?'));
    assert.equal(reading.end.reason, 'end');
    const [trimmed] = eventsOf(reading, 'context-trim');
    assert.ok(trimmed !== undefined);
    assert.deepEqual([trimmed.how, trimmed.exchanges, trimmed.messages, trimmed.blocks], ['trim', 3, 12, 0]);
    assert.ok(trimmed.before > 36_000 && trimmed.after <= 28_800, JSON.stringify(trimmed));
    assert.equal(asked()[0]?.[0], 'user: Question 3');
    assert.equal(asked()[0]?.at(-1), 'user: Well?');
    assert.equal(agent.messages[0]?.content[0]?.type, 'text');
  });

  inBothWires('by the provider’s count, cached tokens and all, is trimmed within the turn', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        { toolCalls: [{ name: 'look', id: 'new' }], usage: { input: 10, output: 5, cacheRead: 125_000 } },
        { text: 'Yes.' },
      ],
      tools: [look],
      messages: exchanges(5, 5_000),
    });
    const reading = await readRun(agent.run('Well?'));
    assert.equal(reading.end.reason, 'end');
    assert.equal(eventsOf(reading, 'context-trim').length, 1);
    assert.equal(asked()[0]?.[0], 'user: Question 0');
    assert.notEqual(asked()[1]?.[0], 'user: Question 0');
    assert.deepEqual(asked()[1]?.slice(-3), ['user: Well?', 'assistant: new = look({})', 'user: new → seen']);
  });

  inBothWires('is left alone while the count is under the gate', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ toolCalls: [{ name: 'look' }], usage: { input: 119_000, output: 5 } }, { text: 'Yes.' }],
      tools: [look],
      messages: exchanges(5, 5_000),
    });
    const reading = await readRun(agent.run('Well?'));
    assert.equal(eventsOf(reading, 'context-trim').length, 0);
    assert.equal(asked()[1]?.[0], 'user: Question 0');
  });

  inBothWires('begins each turn without a count', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'One.', usage: { input: 150_000, output: 5 } }, { text: 'Two.' }],
      messages: exchanges(2, 1_000),
      tools: [look],
    });
    await readRun(agent.run('First'));
    assert.equal(eventsOf(await readRun(agent.run('Second')), 'context-trim').length, 0);
    assert.equal(asked()[1]?.[0], 'user: Question 0');
  });

  inBothWires('in one exchange has its long blocks cut', async (context, wire) => {
    const large = defineTool({ name: 'large', description: 'Much', run: () => 'ä'.repeat(40_000) });
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ toolCalls: [{ name: 'large', id: 'a' }] }, { text: 'Yes.' }],
      tools: [large],
      contextWindow: 20_000,
    });
    const reading = await readRun(agent.run('Go'));
    assert.equal(reading.end.reason, 'end');
    assert.deepEqual(
      eventsOf(reading, 'context-trim').map(({ exchanges: count, blocks }) => [count, blocks]),
      [[0, 1]],
    );
    assert.match(asked()[1]?.at(-1) ?? '', /^user: a → ä+\n\.\.\. \(cut from 80000 bytes\) \.\.\.\nä+$/);
  });
});

describe('a model whose window is smaller than thought', () => {
  const full = { fault: { status: 400, errorType: 'context_length_exceeded' } };

  inBothWires('is asked again with half of the conversation, until it fits', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [full, full, { text: 'Yes.' }],
      tools: [look],
      messages: exchanges(8, 1_000),
    });
    const reading = await readRun(agent.run('Well?'));
    assert.deepEqual([reading.end.reason, reading.end.text], ['end', 'Yes.']);
    assert.deepEqual(
      asked().map((lines) => lines.filter((line) => line.startsWith('user: Question')).length),
      [8, 3, 1],
    );
    assert.equal(eventsOf(reading, 'context-trim').length, 2);
  });

  inBothWires('and nothing to remove is reported unchanged', async (context, wire) => {
    const { agent } = await startAgent(context, wire, { replies: [full, { text: 'Yes.' }] });
    assert.equal((await readRun(agent.run('Well?'))).end.error?.kind, 'context-overflow');
    assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.');
  });
});

describe('compaction', () => {
  inBothWires('puts a summary in the place of what was before', async (context, wire) => {
    const { agent, asked, server } = await startAgent(context, wire, {
      replies: [
        { match: { contains: 'Summarise our conversation' }, text: 'They looked around.' },
        { match: { contains: 'Well?' }, text: 'Yes.' },
      ],
      tools: [look],
      messages: exchanges(8, 5_000),
      contextWindow: 10_000,
      compaction: true,
    });
    const reading = await readRun(agent.run('Well?'));
    assert.deepEqual([reading.end.reason, reading.end.text], ['end', 'Yes.']);
    const [told] = eventsOf(reading, 'context-trim');
    assert.deepEqual([told?.how, told?.exchanges, told?.messages], ['summary', 8, 32]);
    assert.deepEqual(asked()[1], [
      'user: Summary of the conversation so far:\n\nThey looked around.',
      'assistant: Understood. I will continue from there.',
      'user: Well?',
    ]);
    assert.ok(JSON.stringify(server.requests[0]?.body).includes('"none"'), 'no tools for the summary');
    const shown = reading.events.some((event) => JSON.stringify(event).includes('They looked'));
    assert.ok(!shown, 'the summary is not shown as an answer');
    assert.ok(reading.end.usage.output > 0);
  });

  inBothWires('that fails is reported, and the oldest exchanges are removed instead', async (context, wire) => {
    const { agent } = await startAgent(context, wire, {
      replies: [{ match: { contains: 'Summarise our conversation' }, fault: { status: 400 } }, { text: 'Yes.' }],
      tools: [look],
      messages: exchanges(8, 5_000),
      contextWindow: 10_000,
      compaction: true,
    });
    const reading = await readRun(agent.run('Well?'));
    assert.equal(reading.end.text, 'Yes.');
    assert.match(noticesOf(reading)[0] ?? '', /^compaction-failure: the conversation could not be summarised: /);
    assert.equal(eventsOf(reading, 'context-trim')[0]?.how, 'trim');
  });

  inBothWires('on request sums up all of it', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'One.' }, { text: 'They spoke.' }, { text: 'Yes.' }],
    });
    assert.equal(await agent.compact(), undefined);
    await readRun(agent.run('Hi'));
    assert.equal((await agent.compact())?.exchanges, 1);
    await readRun(agent.run('Well?'));
    assert.deepEqual(asked()[2], [
      'user: Summary of the conversation so far:\n\nThey spoke.',
      'assistant: Understood. I will continue from there.',
      'user: Well?',
    ]);
  });

  inBothWires('on request is tried again, and that can be watched', async (context, wire) => {
    const { agent } = await startAgent(context, wire, {
      replies: [{ text: 'One.' }, { fault: { status: 529 } }, { text: 'They spoke.' }],
    });
    await readRun(agent.run('Hi'));
    const waits: [number, number | undefined][] = [];
    await agent.compact({ onRetry: ({ attempt, error }) => void waits.push([attempt, error.status]) });
    assert.deepEqual(waits, [[1, 529]]);
  });

  inBothWires('on request throws what the model fails with, and changes nothing', async (context, wire) => {
    const { agent } = await startAgent(context, wire, { replies: [{ text: 'One.' }, { fault: { status: 401 } }] });
    await readRun(agent.run('Hi'));
    await assert.rejects(agent.compact(), { kind: 'auth' });
    assert.deepEqual(agent.messages.flatMap(linesOf), ['user: Hi', 'assistant: One.']);
  });
});

describe('a conversation from elsewhere', () => {
  inBothWires('is repaired, reported at the first run, and continues', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'Yes.' }, { text: 'Again.' }],
      tools: [look],
      messages: exchanges(1, 10).slice(0, 2),
    });
    const reading = await readRun(agent.run('Well?'));
    assert.equal(reading.end.text, 'Yes.');
    assert.deepEqual(reading.types, ['turn-start', 'notice', 'turn-end']);
    assert.deepEqual(noticesOf(reading), ['history-repair: the conversation was repaired: a tool call had no result']);
    assert.deepEqual(asked()[0], [
      'user: Question 0',
      'assistant: c0 = look({})',
      'user: c0 → [No result: the tool call was interrupted]',
      'assistant: [Interrupted]',
      'user: Well?',
    ]);
    assert.deepEqual(noticesOf(await readRun(agent.run('And?'))), []);
  });

  test('can be replaced later, and every change is observed', async () => {
    const changes: HistoryChange[] = [];
    const agent = createAgent({
      provider: createSimulatedProvider(),
      onHistory: (change) => void changes.push(change),
    });
    const { usage } = await agent.run('Count to 2').result();
    assert.deepEqual(
      changes.map(({ type, answer }) => [type, answer?.stopReason, answer?.usage]),
      [
        ['append', undefined, undefined],
        ['append', 'end', usage],
      ],
    );
    const kept = agent.messages;
    agent.reset();
    assert.deepEqual(agent.messages, []);
    agent.reset(kept);
    assert.deepEqual(agent.messages, kept);
  });

  test('cannot be created with invalid options', () => {
    const provider = createSimulatedProvider();
    assert.throws(() => createAgent({}), /^SimpleAgentsError: client: is missing; pass one/);
    assert.throws(() => createAgent({ provider, client: { provider } }), /provider: cannot be combined with client/);
    assert.throws(() => createAgent({ provider }).run('  '), /prompt: must not be empty/);
    const result = { type: 'tool-result', callId: 'a', content: [] } as const;
    assert.throws(
      () => createAgent({ provider }).run([result]),
      /prompt: a block of type "tool-result" is not allowed/,
    );
  });
});
