// Tests that lines survive every cut, and that a long line costs no memory.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LineSplitter, type SplitLine } from './line-splitter.ts';

const encoder = new TextEncoder();

function split(chunks: readonly Uint8Array[], limit?: number): SplitLine[] {
  const splitter = new LineSplitter(limit);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

describe('the line splitter', () => {
  const text = '{"a":"ü😀"}\n\r\n{"b":"\u2028\u2029\u0085"}\r\n\nlast';
  const bytes = encoder.encode(text);
  const expected = text.split('\n').map((line) => ({ kind: 'line', text: line }));

  test('splits on LF only, wherever the bytes are cut', () => {
    for (let at = 0; at <= bytes.length; at += 1) {
      assert.deepEqual(split([bytes.subarray(0, at), bytes.subarray(at)]), expected, `cut at ${at}`);
    }
    assert.deepEqual(split([...bytes].map((byte) => Uint8Array.of(byte))), expected);
  });

  test('keeps its lines when the caller reuses the buffer', () => {
    const splitter = new LineSplitter();
    const buffer = encoder.encode('first');
    splitter.push(buffer);
    buffer.set(encoder.encode('xxxxx'));
    assert.deepEqual(splitter.push(Uint8Array.of(10)), [{ kind: 'line', text: 'first' }]);
  });

  test('accepts a line of exactly the limit, and reports a longer one once', () => {
    for (const size of [1, 7, 1000]) {
      const chunks = ['a'.repeat(200), '\n', 'b'.repeat(201), '\n', 'c'].flatMap((part) => cut(part, size));
      assert.deepEqual(split(chunks, 200), [
        { kind: 'line', text: 'a'.repeat(200) },
        { kind: 'too-long', bytes: 201, start: 'b'.repeat(100) },
        { kind: 'line', text: 'c' },
      ]);
    }
  });

  test('drops a line of 1 GB without holding it', () => {
    const splitter = new LineSplitter(1024 * 1024);
    const chunk = new Uint8Array(1024 * 1024).fill(97);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 1024; count += 1) assert.deepEqual(splitter.push(chunk), []);
    assert.ok(process.memoryUsage().arrayBuffers - before < 16 * 1024 * 1024);
    const [line] = splitter.push(Uint8Array.of(10));
    assert.equal(line?.kind === 'too-long' && line.bytes, 1024 ** 3);
  });
});

function cut(text: string, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < text.length; at += size) chunks.push(encoder.encode(text.slice(at, at + size)));
  return chunks;
}
