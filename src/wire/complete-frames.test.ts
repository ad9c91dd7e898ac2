// Complete frames: whatever the cuts, the output is the input up to the last complete frame.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { CompleteFrames, type UnwantedFrame } from './complete-frames.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();

/** The output for the text, cut into chunks of a size, before the end and at the end. */
function pass(text: string, size: number, unwanted?: UnwantedFrame): { sent: string; rest: string } {
  const frames = new CompleteFrames(unwanted);
  const whole = bytes(text);
  const sent: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += size) sent.push(frames.push(whole.subarray(at, at + size)));
  return { sent: textOf(sent), rest: textOf([frames.end()]) };
}

const streams: Readonly<Record<string, string>> = {
  'line feeds': 'data: {"a":1}\n\nevent: x\ndata: “ünï”\n\n: comment\n\ndata: [DONE]\n\n',
  'both line ends': 'data: 1\r\n\r\nevent: x\r\ndata: 2\r\n\r\n',
  'blank lines': '\n\n\n\ndata: 1\n\n\n',
};

describe('complete frames', () => {
  for (const [name, text] of Object.entries(streams)) {
    test(`${name}: pass unchanged, cut anywhere`, () => {
      for (let size = 1; size <= text.length; size++) {
        const { sent, rest } = pass(text, size);
        assert.deepEqual([sent + rest, rest.trim()], [text, '']);
      }
    });
  }

  test('an incomplete one is held back, and passed on at a normal end', () => {
    for (let size = 1; size < 30; size++) {
      for (const rest of ['data: 2\n', 'event: x\ndata: {"a":1}', 'data: [DONE]']) {
        assert.deepEqual(pass(`data: 1\n\n${rest}`, size), { sent: 'data: 1\n\n', rest });
      }
      for (const half of ['dat', 'data: {"a', 'data: [DON']) {
        assert.deepEqual(pass(`data: 1\n\n${half}`, size), { sent: 'data: 1\n\n', rest: '' });
      }
    }
  });

  test('a chunk that ends with a frame is not copied', () => {
    const chunk = bytes('data: 1\n\n');
    assert.equal(new CompleteFrames().push(chunk), chunk);
  });

  test('lines that end with carriage returns alone are not lost', () => {
    const text = 'data: 1\r\rdata: 2\r\r';
    assert.deepEqual(pass(text, 3), { sent: '', rest: text });
    assert.deepEqual(pass('data: 1\r\rdata: [DONE]', 3), { sent: '', rest: 'data: 1\r\rdata: [DONE]' });
  });

  test('an empty chunk gives nothing', () => {
    const frames = new CompleteFrames();
    frames.push(bytes('data: 1\n'));
    assert.equal(frames.push(new Uint8Array(0)).length, 0);
    assert.equal(textOf([frames.push(bytes('\n'))]), 'data: 1\n\n');
  });

  test('unwanted ones are left out, and only those', () => {
    const unwanted: UnwantedFrame = {
      mayBeIn: (frames) => frames.includes(0x78),
      isUnwanted: (data) => (JSON.parse(data) as { x?: true }).x === true,
    };
    const text =
      'data: {"x":true}\n\ndata: {"x":false,"ü":1}\n\ndata: "x" is no JSON\n\ndata: {"x":true}\r\n\r\ndata: 3\n\n';
    const kept = 'data: {"x":false,"ü":1}\n\ndata: "x" is no JSON\n\ndata: 3\n\n';
    for (let size = 1; size <= text.length; size++) assert.equal(pass(text, size, unwanted).sent, kept);
    assert.deepEqual(pass('data: {"x":true}', 4, unwanted), { sent: '', rest: '' });
  });
});
