// The lines about subagents: nested, compact, and with the name of the task while several run.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent } from '../../agent/event.ts';
import { text } from '../../core/message.ts';
import { SubagentLines } from './subagent-lines.ts';

const plain = (_format: unknown, words: string): string => words;
const result = (words: string, isError = false) => ({
  type: 'tool-result' as const,
  callId: 'c',
  content: [text(words)],
  ...(isError ? { isError } : {}),
});
const prompt = { role: 'user' as const, content: [text('work')] };
const start: AgentEvent = { type: 'turn-start', prompt, model: 'm' };
const call = (id: string, name: string, input: object): AgentEvent => ({ type: 'tool-start', id, name, input });
const end = (id: string, name: string, words: string, isError?: boolean): AgentEvent => ({
  type: 'tool-end',
  id,
  name,
  result: result(words, isError),
  duration: 12,
});
const finish: AgentEvent = {
  type: 'turn-end',
  reason: 'end',
  text: 'Done.',
  usage: { input: 1200, output: 30 },
  cost: 0.02,
  iterations: 1,
  duration: 9,
};

function linesOf(events: readonly (readonly [id: string, event: AgentEvent])[], verbose = false): string[] {
  const lines = new SubagentLines({ paint: plain, verbose, most: 40 });
  lines.begin('t1', { description: 'find the callers', prompt: 'x' });
  lines.begin('t2', { description: 'fix\u001b[2J the sign', prompt: 'x' });
  return events.flatMap(([id, event]) => lines.push(id, event));
}

describe('a subagent', () => {
  test('alone needs no name; successes and output are left out', () => {
    const events = [
      start,
      call('c', 'Grep', { pattern: 'sum' }),
      { type: 'tool-output', id: 'c', chunk: 'noise\n' },
      end('c', 'Grep', 'found'),
      call('d', 'Bash', { command: 'npm test' }),
      end('d', 'Bash', 'it broke', true),
    ] as const;
    assert.deepEqual(linesOf(events.map((event) => ['t1', event])), [
      '  │ Grep sum',
      '  │ Bash npm test',
      '  │   Bash: error after 12 ms: it broke',
    ]);
  });

  test('beside others is named, safely, also when it is the last one', () => {
    const events = [
      ['t1', start],
      ['t2', start],
      ['t2', call('c', 'Read', { 'file_path': 'a.ts' })],
      ['t2', finish],
      ['t1', call('d', 'Read', { 'file_path': 'b.ts' })],
    ] as const;
    assert.deepEqual(linesOf(events), ['  │ fix␛[2J the sign: Read a.ts', '  │ find the callers: Read b.ts']);
  });

  test('shows file changes as diffs, and retries', () => {
    const events = [
      start,
      call('c', 'Edit', { 'file_path': 'a.ts' }),
      { type: 'tool-output', id: 'c', chunk: '-a\n+b\n' },
      end('c', 'Edit', 'ok'),
      { type: 'notice', kind: 'call-drop', detail: 'cut' },
    ] as const;
    assert.deepEqual(linesOf(events.map((event) => ['t1', event])), [
      '  │ Edit a.ts',
      '  │   -a',
      '  │   +b',
      '  │ [warning] cut',
    ]);
  });

  test('shows output and results with --verbose', () => {
    const events = [start, call('c', 'Bash', { command: 'ls' }), end('c', 'Bash', 'abc')];
    assert.deepEqual(
      linesOf(
        events.map((event) => ['t1', event] as const),
        true,
      ),
      ['  │ Bash ls', '  │   Bash: 3 B in 12 ms'],
    );
  });

  test('ends with what it has used; another call has nothing to tell', () => {
    const lines = new SubagentLines({ paint: plain, verbose: false, most: 40 });
    lines.begin('t1', { description: 'find' });
    lines.begin('r1', { 'file_path': 'a' });
    for (const event of [start, call('c', 'Read', {}), finish]) lines.push('t1', event);
    assert.deepEqual(lines.end('t1'), { label: '', used: '1 tool call · 1200 in, 30 out · $0.02' });
    assert.equal(lines.end('r1'), undefined);
    assert.deepEqual(lines.push('t1', call('d', 'Read', {})), [], 'nothing follows the end');
  });
});
