// Following a stream without decoding it: what is noted, and what is passed on unread.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SseScanner } from './scanner.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function scannerOf(): SseScanner {
  return new SseScanner((state, data) => {
    if (data === 'content') state.committed = true;
    if (data === 'stop') state.stopReason = 'end';
    if (data === 'count') state.usage = { input: 1, output: 2 };
    if (data === 'done') state.done = true;
    if (data === 'odd') throw new TypeError('cannot read properties of null');
  });
}

const frame = (data: string, event?: string) =>
  bytes(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);

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

  test('counts frames that say something: no pings, no comments, nothing empty', () => {
    const scanner = scannerOf();
    for (const chunk of [frame('{}', 'ping'), bytes(': hi\n\n'), bytes('data:\n\n'), frame('a')]) scanner.push(chunk);
    assert.equal(scanner.frames, 1);
  });

  test('calls an end without a stop reason a cut, and one with it done', () => {
    const cut = scannerOf();
    cut.push(frame('content'));
    cut.end();
    assert.equal(cut.failure?.kind, 'network');
    const whole = scannerOf();
    whole.push(frame('stop'));
    whole.end();
    assert.deepEqual([whole.done, whole.failure], [true, undefined]);
  });

  test('is not disturbed by what comes after the end', () => {
    const scanner = scannerOf();
    scanner.push(frame('done'));
    scanner.push(frame('count'));
    scanner.end();
    assert.deepEqual([scanner.usage.missing, scanner.failure], [true, undefined]);
  });

  test('passes on what it cannot read', () => {
    const scanner = scannerOf();
    for (const data of ['odd', 'stop']) scanner.push(frame(data));
    scanner.end();
    assert.deepEqual([scanner.done, scanner.failure], [true, undefined]);
  });

  test('fails when an event is too large to look at', () => {
    const scanner = scannerOf();
    scanner.push(bytes('data: '));
    const piece = bytes('x'.repeat(1024 * 1024));
    for (let count = 0; count < 17; count++) scanner.push(piece);
    assert.equal(scanner.failure?.kind, 'bad-response');
  });
});
