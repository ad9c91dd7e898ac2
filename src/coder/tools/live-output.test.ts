// Live output of a running command: complete while it is short, rate-limited when it is long.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LiveOutput } from './live-output.ts';

describe('live output', () => {
  test('shows text as it comes, also when characters come in halves', () => {
    const shown: string[] = [];
    const live = new LiveOutput({ show: (chunk) => shown.push(chunk), now: () => 0 });
    const bytes = Buffer.from('aé😀');
    for (const byte of bytes) live.push(Buffer.from([byte]));
    live.end();
    assert.equal(shown.join(''), 'aé😀');
  });

  test('is bounded, and tells how much it left out', () => {
    let time = 0;
    let size = 0;
    let notes = 0;
    const show = (chunk: string): void => {
      size += chunk.length;
      notes += chunk.includes('bytes not shown') ? 1 : 0;
    };
    const live = new LiveOutput({ show, now: () => time });
    const bytes = Buffer.alloc(64 * 1024, 'y');
    for (; time < 60_000; time += 1) live.push(bytes);
    live.end();
    assert.ok(size < 2 * 1024 * 1024, String(size));
    assert.ok(notes > 0);
  });
});
