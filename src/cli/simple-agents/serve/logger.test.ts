// The log of a server: when lines are written, in which order, and from which level.

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';

import { createLogger } from './logger.ts';

function createSink(): { readonly stream: Writable; readonly writes: string[] } {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      done();
    },
  });
  return { stream, writes };
}

function recordsIn(writes: readonly string[]): Record<string, unknown>[] {
  const lines = writes.join('').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('lines within a short time are one write, in order', async () => {
  const { stream, writes } = createSink();
  const logger = createLogger('info', stream);
  for (let number = 0; number < 100; number += 1) logger.info({ number });
  assert.deepEqual(writes, []);
  await logger.close();
  assert.deepEqual(
    recordsIn(writes).map(({ number }) => number),
    Array.from({ length: 100 }, (_, number) => number),
  );
  assert.equal(writes.filter((text) => text !== '').length, 1);
});

test('lines are written soon, even if nothing follows', async () => {
  const { stream, writes } = createSink();
  createLogger('info', stream).info({ type: 'call' });
  while (writes.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(recordsIn(writes)[0]?.['type'], 'call');
});

test('an error is written immediately, after earlier lines', () => {
  const { stream, writes } = createSink();
  const logger = createLogger('info', stream);
  logger.info({ number: 1 });
  logger.error({ number: 2 });
  assert.deepEqual(
    recordsIn(writes).map(({ level, number }) => [level, number]),
    [
      ['info', 1],
      ['error', 2],
    ],
  );
});

test('a silent logger writes nothing, not even errors', async () => {
  const { stream, writes } = createSink();
  const logger = createLogger('silent', stream);
  logger.error({ type: 'defect' });
  await logger.close();
  assert.deepEqual(recordsIn(writes), []);
});

test('records below the level are skipped', async () => {
  const { stream, writes } = createSink();
  const logger = createLogger('warn', stream);
  logger.debug({});
  logger.info({});
  logger.warn({ type: 'kept' });
  await logger.close();
  assert.deepEqual(
    recordsIn(writes).map(({ type }) => type),
    ['kept'],
  );
});
