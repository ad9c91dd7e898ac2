// Cancelling an agent at every event of a turn with one to eight subagents: everything ends at once, in order, and both the
// conversation and the events stay valid.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent } from '../../src/agent/event.ts';
import { repairHistory } from '../../src/agent/repair.ts';
import { defineTool } from '../../src/agent/tool.ts';
import { toolCallsOf } from '../../src/core/message.ts';
import { readRun } from '../support/agent-model.ts';
import { places } from '../support/enumeration.ts';
import { checkOrder, look, on, subagentModel, task, type SubagentModel } from '../support/subagent-model.ts';

const reason = new Error('that will do');

/** Subagents that look, then run a tool that never ends, if `hangs`. */
function startTasks(count: number, hangs: boolean): SubagentModel & { readonly signals: readonly AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const work = defineTool({
    name: 'work',
    description: 'Works',
    run: (_input, { signal, output }) => {
      signals.push(signal);
      output('working');
      return hangs ? new Promise(() => undefined) : 'worked';
    },
  });
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const model = subagentModel(
    [
      { text: 'I delegate.', toolCalls: ids.map((id) => task(id, 'begin')) },
      on('begin', { text: 'I look.', toolCalls: [{ name: 'look', id: 'c', input: { at: 'sky' } }] }),
      on('sky is blue', { text: 'I work.', toolCalls: [{ name: 'work', id: 'd' }] }),
      { match: { contains: 'worked', system: 'helper' }, text: 'Ready.' },
      on('Ready.', { text: 'All ready.' }),
      on('Well?', { text: 'Yes.' }),
    ],
    { tools: [look, work] },
  );
  return { ...model, signals };
}

interface CancelledRun extends SubagentModel {
  readonly events: readonly AgentEvent[];
  readonly signals: readonly AbortSignal[];
}

/** Cancels when the event of this number arrives. Stops by itself if the turn ends before. */
async function cancelAt(place: number, count: number, hangs: boolean): Promise<CancelledRun> {
  const model = startTasks(count, hangs);
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of model.agent.run('Go', { signal: controller.signal })) {
    events.push(event);
    if (events.length === place + 1) controller.abort(reason);
  }
  return { ...model, events };
}

async function check({ agent, events, requests, signals }: CancelledRun, name: string): Promise<void> {
  checkOrder(events);
  const asked = requests.length;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(requests.length, asked, `${name}: nothing goes on`);
  assert.ok(
    signals.every(({ aborted }) => aborted),
    `${name}: every tool that was started is told`,
  );
  assert.deepEqual(repairHistory(agent.messages).problems, [], name);
  assert.equal((await readRun(agent.run('Well?'))).end.text, 'Yes.', name);
}

describe('a cancel with subagents', () => {
  for (let count = 1; count <= 8; count += 1) {
    test(`at every event with ${count}`, async () => {
      const { events: all } = await cancelAt(Number.POSITIVE_INFINITY, count, false);
      // With the last two events, the response has ended.
      for (const place of places(all.length - 3, 7)) {
        const run = await cancelAt(place, count, false);
        const [name, end] = [`${count} at ${place}`, run.events.at(-1)];
        assert.equal(end?.type === 'turn-end' && end.reason, 'cancelled', name);
        checkOrder(run.events);
        assert.deepEqual(repairHistory(run.agent.messages).problems, [], name);
        assert.equal((await readRun(run.agent.run('Well?'))).end.text, 'Yes.', name);
      }
    });

    test(`while ${count} run a tool that does not listen`, async () => {
      const model = startTasks(count, true);
      const controller = new AbortController();
      const events: AgentEvent[] = [];
      let outputs = 0;
      for await (const event of model.agent.run('Go', { signal: controller.signal })) {
        events.push(event);
        if (event.type === 'subagent-event' && event.event.type === 'tool-output') outputs += 1;
        if (outputs === count) controller.abort(reason);
      }
      await check({ ...model, events }, String(count));
      const ends = events.filter((event) => event.type === 'subagent-event' && event.event.type === 'turn-end');
      assert.equal(ends.length, count, 'every subagent reports its end');
      assert.deepEqual(
        model.results().map((line) => line.replace(/^t\d+ /, '')),
        Array.from({ length: count }, () => 'failed: Cancelled by the user. Its last text:\nI work.'),
      );
    });
  }

  test('also ends those that wait for a place', async () => {
    const model = startTasks(12, true);
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    let outputs = 0;
    for await (const event of model.agent.run('Go', { signal: controller.signal })) {
      events.push(event);
      if (event.type === 'subagent-event' && event.event.type === 'tool-output') outputs += 1;
      if (outputs === 8) controller.abort(reason);
    }
    await check({ ...model, events }, 'waiting');
    const started = events.filter((event) => event.type === 'subagent-event' && event.event.type === 'turn-start');
    assert.equal(started.length, 8);
    assert.equal(toolCallsOf(model.agent.messages[1]?.content ?? []).length, 12);
    assert.equal(model.results().length, 12);
    assert.match(model.results().at(-1) ?? '', /^t11 failed: Cancelled by the user\.$/);
  });

  test('that leaves the iteration ends the subagents too', async () => {
    const model = startTasks(3, true);
    for await (const event of model.agent.run('Go')) {
      if (event.type === 'subagent-event' && event.event.type === 'tool-output') break;
    }
    const asked = model.requests.length;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(model.requests.length, asked);
    assert.equal((await readRun(model.agent.run('Well?'))).end.text, 'Yes.');
  });
});
