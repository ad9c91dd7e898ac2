// Server-sent events from bytes cut anywhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SseReader } from './sse.ts';

test('chunks cut inside characters, valid or not, read as if whole', () => {
  const bytes = new TextEncoder().encode('\u{feff}data: é東🦊\n\ndata: ?|?\ndata: 🦊\r\n\r\ndata: last');
  // Half of a character, with an ASCII byte after it.
  bytes[bytes.indexOf(0x3f)] = 0xf0;
  bytes[bytes.lastIndexOf(0x3f)] = 0xe6;
  const whole = read([bytes]);
  assert.deepEqual(whole, ['é東🦊', '\u{fffd}|\u{fffd}\n🦊', 'last']);
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) {
      const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      assert.deepEqual(read(chunks), whole, `cut at ${first} and ${second}`);
    }
  }
});

function read(chunks: readonly Uint8Array[]): string[] {
  const events: string[] = [];
  const reader = new SseReader(({ data }) => events.push(data));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return events;
}
