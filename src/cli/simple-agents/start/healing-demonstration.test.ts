// The demonstration of healing at high speed: every example ends with the expected value.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { MemoryTerminal, runCli } from '../../../../test/support/memory-terminal.ts';
import { demonstrateHealing } from './healing-demonstration.ts';

const never = new AbortController().signal;
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const fast = { tokensPerSecond: 1e6, pauseMs: 0 };

describe('the demonstration of healing', () => {
  test('is plain text without a terminal', async () => {
    const { exitCode, out } = await runCli(['start', '--demo-healing']);
    assert.equal(exitCode, 0);
    assert.equal(out.match(/the model writes:/g)?.length, 7);
    assert.equal(out.match(/"name": "Ada Lovelace"/g)?.length, 7 + 1);
    assert.ok(!out.includes('\u001b'));
    assert.match(out, /stripped-think/);
    assert.match(out, /type-coercion +age +string → integer/);
  });

  for (const columns of [60, 80, 120, 200]) {
    test(`fits a terminal of ${columns} columns`, async () => {
      const terminal = new MemoryTerminal({ isTTY: true, columns });
      assert.equal(await demonstrateHealing(terminal, never, fast), 0);
      await new Promise(setImmediate);
      const lines = stripVTControlCharacters(terminal.out).split('\n');
      const widths = lines.filter((line) => line.startsWith('│')).map((line) => Array.from(line).length);
      assert.deepEqual([...new Set(widths)], [Math.min(columns, 120)]);
      assert.ok(terminal.out.lastIndexOf(showCursor) > terminal.out.lastIndexOf(hideCursor));
      assert.match(terminal.out, /In code:.*\n.*heal --schema FILE\n$/);
    });
  }

  test('restores the cursor when it is stopped', async () => {
    const terminal = new MemoryTerminal({ isTTY: true });
    const stop = new AbortController();
    const ended = demonstrateHealing(terminal, stop.signal, { tokensPerSecond: 20, pauseMs: 0 });
    await terminal.shows(/streaming/);
    stop.abort();
    await assert.rejects(ended, { name: 'AbortError' });
    await new Promise(setImmediate);
    assert.ok(terminal.out.endsWith(showCursor));
  });
});
