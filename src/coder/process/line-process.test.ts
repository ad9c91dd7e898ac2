// A process that exchanges lines: framing, bounds, its end, and a stop that always ends it.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { markedProcesses } from '../../../test/support/marked-processes.ts';
import type { Clock } from '../../core/clock.ts';
import { LineProcess, type LineProcessOptions } from './line-process.ts';

interface Started {
  readonly child: LineProcess;
  readonly lines: string[];
  readonly faults: string[];
  /** Resolves when there are that many lines. */
  readonly reads: (count: number) => Promise<void>;
}

function start(script: string, options: Partial<LineProcessOptions> = {}): Started {
  const lines: string[] = [];
  const faults: string[] = [];
  const child = new LineProcess({
    program: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    environment: { PATH: '/usr/bin:/bin' },
    onLine: (line) => lines.push(line),
    onFault: (fault) => faults.push(fault),
    ...options,
  });
  const reads = async (count: number): Promise<void> => {
    while (lines.length < count && child.isRunning) await turn();
  };
  return { child, lines, faults, reads };
}

/** A clock on which every wait is over at once. */
const hasty: Clock = { now: () => 0, random: () => 0, sleep: async () => turn() };

describe('a line process', () => {
  test('splits at LF only, and keeps the last line without one', async () => {
    const { child, lines } = start(String.raw`printf 'a\r\nb\342\200\250c\n\nlast'`);
    await child.ended;
    assert.deepEqual(lines, ['a\r', 'b\u2028c', 'last']);
  });

  test('receives lines', async () => {
    const { child, lines, reads } = start('while read line; do echo "got $line"; done');
    assert.equal(child.write('one'), true);
    await reads(1);
    await child.stop();
    assert.deepEqual(lines, ['got one']);
    assert.equal(child.write('two'), false);
  });

  test('drops a line over the limit and goes on', async () => {
    const { child, lines, faults } = start('head -c 100000 /dev/zero | tr "\\0" x; echo; echo after', {
      lineLimit: 1000,
    });
    await child.ended;
    assert.deepEqual(lines, ['after']);
    assert.match(faults.join(), /^a line of 100000 bytes was dropped: x{100}\.\.\.$/);
  });

  test('reports how it ended, with its last words', async () => {
    const { child } = start('echo "something broke" >&2; exit 3');
    assert.deepEqual(await child.ended, { exitCode: 3, exitSignal: null, errorOutput: 'something broke' });
    const killed = start('kill -9 $$');
    assert.equal((await killed.child.ended).exitSignal, 'SIGKILL');
  });

  test('stops by the end of stdin, else by SIGTERM, else by SIGKILL', async () => {
    const polite = start('cat > /dev/null; echo bye');
    assert.equal((await polite.child.stop()).exitCode, 0);
    assert.deepEqual(polite.lines, ['bye']);
    const terminated = start('echo ready; sleep 60 & wait', { clock: hasty });
    await terminated.reads(1);
    assert.equal((await terminated.child.stop()).exitSignal, 'SIGTERM');
    const stubborn = start('trap "" TERM; echo ready; while :; do sleep 1; done', { clock: hasty });
    await stubborn.reads(1);
    assert.equal((await stubborn.child.stop()).exitSignal, 'SIGKILL');
  });

  test('leaves no process behind that it started', async () => {
    const mark = `LINE_TEST=${randomUUID()}`;
    const environment = { PATH: '/usr/bin:/bin', LINE_TEST: mark.slice('LINE_TEST='.length) };
    const { child, reads } = start('setsid sleep 60 & echo ready; read line', { environment });
    await reads(1);
    assert.ok(markedProcesses(mark).length > 0);
    await child.stop();
    assert.deepEqual(markedProcesses(mark), []);
  });
});
