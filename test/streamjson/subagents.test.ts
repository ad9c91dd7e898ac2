// A real run with subagents as stream-json lines: decode(encode(events)) = events, and every line of a subagent names the
// call that started it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent } from '../../src/agent/event.ts';
import { StreamJsonDecoder } from '../../src/streamjson/decoder.ts';
import { noUsage } from '../../src/core/usage.ts';
import { StreamJsonEncoder } from '../../src/streamjson/encoder.ts';
import type { ModelTotal } from '../../src/streamjson/turn-result.ts';
import { on, subagentModel, task } from '../support/subagent-model.ts';

const replies = [
  { text: 'I delegate.', toolCalls: [task('t1', 'begin one'), task('t2', 'begin two'), task('t3', 'begin three')] },
  on('begin one', { text: 'I look.', toolCalls: [{ name: 'look', id: 'c1', input: { at: 'sky' } }] }),
  on('begin two', { toolCalls: [{ name: 'change', id: 'c2' }] }),
  on('begin three', { fault: { status: 401 } }),
  { match: { contains: 'sky is blue', system: 'helper' }, text: 'One.' },
  { match: { contains: 'changed', system: 'helper' }, text: 'Two.' },
  { text: 'Done.' },
];

/** Cancels at the event of that number. */
async function eventsOf(cancelAt = Number.POSITIVE_INFINITY): Promise<AgentEvent[]> {
  const { agent } = subagentModel(replies);
  const events: AgentEvent[] = [];
  const run = agent.run('Go');
  for await (const event of run) if (events.push(event) === cancelAt) run.cancel();
  return events;
}

/** The cost of a turn includes its subagents. */
function totalOf(events: readonly AgentEvent[]): ModelTotal {
  const end = events.at(-1);
  return end?.type === 'turn-end' ? { usage: end.usage, cost: end.cost } : { usage: noUsage };
}

function roundTrip(events: readonly AgentEvent[]) {
  let ids = 0;
  const encoder = new StreamJsonEncoder({
    sessionId: 's',
    createId: () => `uuid-${(ids += 1)}`,
    includePartialMessages: true,
    replayUserMessages: true,
    session: () => ({ cwd: '/' }),
    totals: () => new Map([['m', totalOf(events)]]),
    now: () => 0,
  });
  const lines = events.flatMap((event) => encoder.push(event)).map((line) => JSON.stringify(line));
  const decoder = new StreamJsonDecoder();
  const decoded = lines.flatMap((line) => {
    const result = decoder.push(line);
    return result.kind === 'line' ? result.events : assert.fail(result.message);
  });
  return { lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>), decoded };
}

describe('a run with subagents in stream-json', () => {
  test('keeps its meaning', async () => {
    const events = await eventsOf();
    const { lines, decoded } = roundTrip(events);
    assert.deepEqual(decoded, events);
    const parents = new Set(lines.map((line) => line['parent_tool_use_id']));
    assert.deepEqual([...parents], [null, 't1', 't2', 't3']);
    const result = lines.at(-1);
    const nested = events.flatMap((event) =>
      event.type === 'subagent-event' && event.event.type === 'turn-end' ? [event.event.cost ?? 0] : [],
    );
    assert.equal(nested.length, 3);
    assert.ok(Number(result?.['total_cost_usd']) > nested.reduce((sum, cost) => sum + cost, 0));
  });

  test('keeps its meaning when it is cancelled, and every task that started is reported as ended', async () => {
    const { length } = await eventsOf();
    for (let place = 1; place < length; place += 5) {
      const events = await eventsOf(place);
      const { lines, decoded } = roundTrip(events);
      assert.deepEqual(decoded, events, `at ${place}`);
      const count = (subtype: string) => lines.filter((line) => line['subtype'] === subtype).length;
      assert.equal(count('task_started'), count('task_notification'), `at ${place}`);
    }
  });
});
