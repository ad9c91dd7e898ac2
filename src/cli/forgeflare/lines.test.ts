// The lines shown next to the response: tool calls, diffs, retries. Nothing in them can move the cursor.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../../core/error.ts';
import { text } from '../../core/message.ts';
import { describeEvent } from './event-lines.ts';
import { LiveLines } from './live-lines.ts';
import { describeCall, describeResult, describeSize, paintDiffLine, toSafeLine, toSafeText } from './tool-lines.ts';

const named = (format: unknown, words: string): string => `${String(format)}:${words}`;
describe('a tool line', () => {
  test('names the argument that says most, on one line, cut', () => {
    assert.equal(describeCall('Bash', { command: 'npm test\nnpm run lint' }), 'Bash npm test ↵ npm run lint');
    assert.equal(describeCall('Read', { 'file_path': 'a.ts', offset: 3 }), 'Read a.ts');
    assert.equal(describeCall('Odd', null), 'Odd');
    assert.equal(describeCall('Bash', { command: 'x'.repeat(500) }).length, 'Bash '.length + 120);
  });

  test('tells a success by its size, and an error in 200 characters', () => {
    const result = { type: 'tool-result', callId: '1', content: [text('grüß')] } as const;
    assert.equal(describeResult(result, 12), '6 B in 12 ms');
    const failed = { ...result, content: [text('e'.repeat(900))], isError: true };
    assert.equal(describeResult(failed, 1500), `error after 1.5 s: ${'e'.repeat(199)}…`);
    assert.deepEqual([describeSize(2048), describeSize(3 * 1024 * 1024)], ['2.0 KB', '3.0 MB']);
  });

  test('shows control characters and those that turn the direction of writing', () => {
    assert.equal(toSafeText('a\u001b[2Jb\u0007\r\nc\td\u009b\u202e'), 'a␛[2Jb␇\nc\td��');
    assert.equal(toSafeLine(' a\r\n\r\n b '), 'a ↵ b');
  });

  test('colours a diff by its first character', () => {
    assert.deepEqual(
      ['+a', '-b', ' c'].map((line) => paintDiffLine(line, named)),
      ['green:+a', 'red:-b', 'dim: c'],
    );
  });
});

describe('a line of what happens', () => {
  const error = new SimpleAgentsError('overloaded', 'too busy');

  test('has exactly the words for pauses, restarts and continuations', () => {
    const retry = { type: 'retry-wait', attempt: 2, limit: 4, delay: 4000, error } as const;
    assert.equal(describeEvent(retry), '[retry] Attempt 2/4: too busy — waiting 4s');
    assert.equal(describeEvent({ ...retry, delay: 500 }), '[retry] Attempt 2/4: too busy — waiting 0.5s');
    const busy = { ...retry, error: new SimpleAgentsError('overloaded', 'too busy', { status: 529 }) };
    assert.equal(describeEvent(busy), '[retry] Attempt 2/4: HTTP 529 overloaded: too busy — waiting 4s');
    const inside = { ...retry, error: new SimpleAgentsError('overloaded', 'too busy', { status: 200 }) };
    assert.equal(describeEvent(inside), '[retry] Attempt 2/4: too busy — waiting 4s');
    assert.equal(
      describeEvent({ type: 'stream-restart', attempt: 1 }),
      '[retry] Retrying from beginning of response...',
    );
    const detail = 'Response truncated at max_tokens, requesting continuation (1/3)';
    assert.equal(describeEvent({ type: 'notice', kind: 'continuation', detail }), `[continue] ${detail}`);
    assert.equal(describeEvent({ type: 'notice', kind: 'call-drop', detail: 'cut' }), '[warning] cut');
  });

  test('tells what left the context', () => {
    const trim = { type: 'context-trim', how: 'trim', exchanges: 1, messages: 4, blocks: 2 } as const;
    assert.equal(
      describeEvent({ ...trim, before: 4096, after: 1024 }),
      '[context] 1 old exchange was removed, 2 long blocks were shortened: 4.0 KB → 1.0 KB',
    );
  });
});

describe('live output', () => {
  test('comes in complete lines, however it was chunked', () => {
    const output = new LiveLines(10);
    output.begin('1', 'Bash');
    assert.deepEqual(output.push('1', 'on'), []);
    assert.deepEqual(output.push('1', 'e\ntwo\nthr'), ['one', 'two']);
    assert.deepEqual(output.end('1'), ['thr']);
    assert.deepEqual(output.push('1', 'late\n'), []);
  });

  test('is bounded in lines and in what it holds', () => {
    const output = new LiveLines(2);
    output.begin('1', 'Bash');
    assert.deepEqual(output.push('1', '1\n2\n3\n'), ['1', '2']);
    assert.deepEqual(output.push('1', 'x'.repeat(10_000)), []);
    assert.deepEqual(output.end('1'), ['… 2 more lines']);
  });
});
