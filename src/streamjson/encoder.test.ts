// What hosts read from the encoder's lines: totals, denied calls, the time spent waiting for the model, replayed prompts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent, TurnEnd } from '../agent/event.ts';
import { noUsage } from '../core/usage.ts';
import { StreamJsonEncoder, type StreamJsonEncoderOptions } from './encoder.ts';
import type { StreamJsonLine } from './line.ts';

const usage = { input: 10, output: 5, cacheRead: 3 };
const prompt = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const;
const start: AgentEvent = { type: 'turn-start', prompt, model: '' };
const response: AgentEvent = { type: 'model-event', event: { type: 'message-end', stopReason: 'end', usage } };
const tool: AgentEvent = { type: 'tool-start', id: 'a', name: 'Bash', input: {} };
const output: AgentEvent = { type: 'tool-output', id: 'a', chunk: 'x' };
const result = { type: 'tool-result', callId: 'a', content: [] } as const;
const toolEnd: AgentEvent = { type: 'tool-end', id: 'a', name: 'Bash', result, duration: 1 };

function end(members: Partial<TurnEnd> = {}): TurnEnd {
  return { type: 'turn-end', reason: 'end', text: 'Done.', usage, iterations: 1, duration: 1000.4, ...members };
}

/** Encodes events, each at its time. */
function encode(events: readonly (readonly [number, AgentEvent])[], options: Partial<StreamJsonEncoderOptions> = {}) {
  let time = 0;
  const encoder = new StreamJsonEncoder({
    sessionId: 's',
    createId: () => 'id',
    session: () => ({ model: 'claude' }),
    totals: () => new Map(),
    now: () => time,
    ...options,
  });
  const lines = (): StreamJsonLine[] =>
    events.flatMap(([at, event]) => {
      time = at;
      return encoder.push(event);
    });
  return { encoder, lines };
}

describe('a result line', () => {
  test('has totals by model, with the context window and the cost', () => {
    const totals = new Map([
      ['one', { usage, cost: 0.1, contextWindow: 200_000, maxOutputTokens: 8000 }],
      ['two', { usage: { input: 1, output: 2 }, cost: 0.2 }],
    ]);
    const { lines } = encode([[0, end()]], { totals: () => totals });
    const [line] = lines();
    assert.equal(line?.['total_cost_usd'], 0.3);
    const modelUsage = line?.['modelUsage'] as Record<string, Record<string, unknown>>;
    assert.deepEqual(modelUsage['one'], {
      inputTokens: 10,
      outputTokens: 5,
      thinkingTokens: 0,
      cacheReadInputTokens: 3,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: 0.1,
      contextWindow: 200_000,
      maxOutputTokens: 8000,
    });
    assert.equal('contextWindow' in (modelUsage['two'] ?? {}), false);
  });

  test('counts the time spent waiting for the model, without tools', () => {
    const { lines } = encode([
      [0, start],
      [100, response],
      [110, tool],
      [600, toolEnd],
      [650, response],
      [1000, end()],
    ]);
    const line = lines().at(-1);
    assert.deepEqual([line?.['duration_ms'], line?.['duration_api_ms'], line?.['num_turns']], [1000, 150, 2]);
  });

  test('counts the time of a response that was cut off', () => {
    const { lines } = encode([
      [0, start],
      [70, end({ reason: 'cancelled' })],
    ]);
    const line = lines().at(-1);
    assert.deepEqual([line?.['duration_api_ms'], line?.['terminal_reason']], [70, 'aborted_streaming']);
  });

  test('tells a cancelled tool from a cancelled response', () => {
    const { lines } = encode([
      [0, start],
      [0, response],
      [0, tool],
      [0, toolEnd],
      [0, end({ reason: 'cancelled' })],
    ]);
    const { subtype, terminal_reason: terminal, stop_reason: stop } = lines().at(-1) ?? { type: '' };
    assert.deepEqual([subtype, terminal, stop], ['error_during_execution', 'aborted_tools', 'tool_use']);
  });

  test('lists the calls that were denied, once', () => {
    const { encoder, lines } = encode([[0, end()]]);
    encoder.deny({ id: 'a', name: 'Write', input: { file_path: 'x' } });
    const denied = [{ tool_name: 'Write', tool_use_id: 'a', tool_input: { file_path: 'x' } }];
    assert.deepEqual(lines()[0]?.['permission_denials'], denied);
    assert.deepEqual(lines()[0]?.['permission_denials'], []);
  });

  test('names each end as the CLI does', () => {
    const ends = (['iteration-limit', 'cost-limit', 'convergence-signal', 'block-limit-total'] as const).map(
      (reason) => {
        const [line] = encode([[0, end({ reason, usage: noUsage })]]).lines();
        return [line?.['subtype'], line?.['terminal_reason'], line?.['is_error']];
      },
    );
    assert.deepEqual(ends, [
      ['error_max_turns', 'max_turns', true],
      ['error_max_budget_usd', 'budget_exhausted', true],
      ['success', 'hook_stopped', false],
      ['error_during_execution', 'hook_stopped', true],
    ]);
  });
});

describe('other lines', () => {
  test('init describes the session as it is now, with the model that is used', () => {
    let permissionMode = 'default';
    const { lines } = encode([[0, start]], { session: () => ({ model: 'claude', permissionMode }) });
    assert.deepEqual([lines()[0]?.['model'], lines()[0]?.['permissionMode']], ['claude', 'default']);
    permissionMode = 'plan';
    assert.equal(lines()[0]?.['permissionMode'], 'plan');
  });

  test('a replayed prompt has the id and the content of its line', () => {
    const { encoder, lines } = encode([[0, start]], { replayUserMessages: true });
    const message = { role: 'user', content: 'Hi' };
    encoder.expectPrompt({ type: 'user', message, uuid: 'mine' });
    const [, replay] = lines();
    assert.deepEqual([replay?.['uuid'], replay?.['message'], replay?.['isReplay']], ['mine', message, true]);
    assert.equal(lines()[1]?.['uuid'], 'id');
  });

  test('progress names the tool and its time', () => {
    const { lines } = encode([
      [0, tool],
      [2040, output],
    ]);
    const line = lines().at(-1);
    assert.deepEqual([line?.['tool_name'], line?.['elapsed_time_seconds']], ['Bash', 2]);
  });
});
