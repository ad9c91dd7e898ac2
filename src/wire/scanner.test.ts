// Following a stream without decoding it: its state, and the errors found in it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../core/error.ts';
import { SseScanner } from './scanner.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

interface Frame {
  readonly is?: string;
}

function scannerOf(): SseScanner<Frame> {
  return new SseScanner<Frame>({
    terminator: 'over',
    parse: (data) => JSON.parse(data) as Frame,
    scan(state, { is }) {
      if (is === 'content') state.committed = true;
      if (is === 'stop') state.stopReason = 'end';
      if (is === 'count') state.usage = { input: 1, output: 2 };
      if (is === 'done') state.done = true;
      if (is === 'broken') state.failure = new SimpleAgentsError('upstream', 'it fell over');
      if (is === 'odd') throw new TypeError('cannot read properties of null');
    },
  });
}

const raw = (data: string, event?: string) =>
  bytes(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
const frame = (is: string, event?: string) => raw(JSON.stringify({ is }), event);

describe('a scanner', () => {
  test('knows when content has passed, how much, and how it ended', () => {
    const scanner = scannerOf();
    scanner.push(frame('start'));
    assert.equal(scanner.committed, false);
    scanner.push(frame('content'));
    assert.equal(scanner.committed, true);
    for (const data of ['count', 'stop', 'done']) scanner.push(frame(data));
    assert.deepEqual(
      [scanner.done, scanner.failure, scanner.usage, scanner.stopReason, scanner.frames],
      [true, undefined, { input: 1, output: 2 }, 'end', 5],
    );
  });

  test('counts frames, but no pings, comments and empty data', () => {
    const scanner = scannerOf();
    for (const chunk of [frame('a', 'ping'), bytes(': hi\n\n'), bytes('data:\n\n'), frame('a')]) scanner.push(chunk);
    assert.equal(scanner.frames, 1);
  });

  test('reports an end without a stop reason as a cut, and one with it as done', () => {
    const cut = scannerOf();
    cut.push(frame('content'));
    cut.end();
    assert.equal(cut.failure?.kind, 'network');
    const whole = scannerOf();
    whole.push(frame('stop'));
    whole.end();
    assert.deepEqual([whole.done, whole.failure], [true, undefined]);
  });

  test('ignores input after the end', () => {
    const scanner = scannerOf();
    for (const is of ['stop', 'done', 'count']) scanner.push(frame(is));
    scanner.push(raw('{'));
    scanner.end();
    assert.deepEqual([scanner.usage.missing, scanner.failure], [true, undefined]);
  });

  test('reports the closing event without a stop reason as a cut', () => {
    for (const closing of [frame('done'), raw('over')]) {
      const scanner = scannerOf();
      scanner.push(frame('content'));
      scanner.push(closing);
      assert.deepEqual([scanner.done, scanner.failure?.kind, scanner.isReported], [false, 'network', false]);
    }
  });

  test('fails at a frame that is not a JSON object', () => {
    for (const data of ['{"is":', 'hello', '5', 'null', '[]', '"stop"']) {
      const scanner = scannerOf();
      scanner.push(frame('content'));
      scanner.push(raw(data));
      assert.deepEqual([scanner.failure?.kind, scanner.isReported], ['network', false], data);
    }
  });

  test('distinguishes errors of the provider from its own', () => {
    const scanner = scannerOf();
    scanner.push(frame('broken'));
    assert.deepEqual([scanner.failure?.kind, scanner.isReported], ['upstream', true]);
  });

  test('reports an incomplete frame at the end as a cut, unless a stop reason came before', () => {
    const cut = scannerOf();
    cut.push(bytes('data: {"is":'));
    cut.end();
    assert.equal(cut.failure?.kind, 'network');
    const whole = scannerOf();
    whole.push(frame('stop'));
    whole.push(bytes('data: {"is":'));
    whole.end();
    assert.deepEqual([whole.done, whole.failure], [true, undefined]);
  });

  test('passes on JSON of a shape it does not know', () => {
    const scanner = scannerOf();
    for (const data of ['odd', 'stop']) scanner.push(frame(data));
    scanner.end();
    assert.deepEqual([scanner.done, scanner.failure], [true, undefined]);
  });

  test('fails when an event is too large', () => {
    const scanner = scannerOf();
    scanner.push(bytes('data: '));
    const piece = bytes('x'.repeat(1024 * 1024));
    for (let count = 0; count < 17; count++) scanner.push(piece);
    assert.equal(scanner.failure?.kind, 'bad-response');
  });
});
