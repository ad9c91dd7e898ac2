// The ends of frames are the same, however the bytes are cut into chunks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameSplitter } from './frame-splitter.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function pieces(text: string, chunks: readonly Uint8Array[]): number[] {
  const cutter = new FrameSplitter();
  const ends = new Set<number>();
  let before = 0;
  for (const chunk of chunks) {
    for (const end of cutter.frameEnds(chunk)) {
      // The end of a chunk is also returned.
      if (end < chunk.length || /\n\r?\n$/.test(text.slice(0, before + end))) ends.add(before + end);
    }
    before += chunk.length;
  }
  return [...ends];
}

for (const newline of ['\n', '\r\n']) {
  test(`blank lines with ${JSON.stringify(newline)} end frames, however the bytes are cut`, () => {
    const text = ['data: a', '', 'event: b', 'data: b', '', ': c', '', 'data: half'].join(newline);
    const expected = [...text.matchAll(/\n\r?\n/g)].map(({ index, 0: blank }) => index + blank.length);
    assert.equal(expected.length, 3);
    assert.deepEqual(pieces(text, [bytes(text)]), expected);
    assert.deepEqual(pieces(text, text.split('').map(bytes)), expected);
    for (let cut = 1; cut < text.length; cut++) {
      assert.deepEqual(pieces(text, [bytes(text.slice(0, cut)), bytes(text.slice(cut))]), expected, `cut at ${cut}`);
    }
  });
}
