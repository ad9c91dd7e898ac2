// Recorded streams through the gateway, cut at every byte and split at every byte, in either wire on either side.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  assertHonest,
  combinations,
  cutAt,
  playing,
  recordedStream,
  retrying,
  split,
  startFaultyGateway,
  type Received,
} from '../support/faulty-gateway.ts';

const recordings = ['tool-call', 'unicode'];

/** The number of concurrent calls. */
const concurrency = 16;

async function forEveryByte(length: number, check: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < length) await check(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

for (const combination of combinations) {
  const { client, upstream } = combination;
  test(`${client} client, ${upstream} upstream: cut and split at every byte`, async (context) => {
    const gateway = await startFaultyGateway(context, retrying);
    const ends: Record<Received['end'], number> = { complete: 0, refused: 0, failed: 0, silent: 0 };
    for (const name of recordings) {
      const bytes = recordedStream(upstream, name);
      const complete = await gateway.call(combination, playing(bytes));
      await forEveryByte(bytes.length, async (at) => {
        const received = await gateway.call(combination, cutAt(bytes, at, at % 2 === 0 ? 'reset' : 'end'));
        ends[received.end]++;
        assertHonest(received, complete);
      });
      await forEveryByte(bytes.length, async (at) => {
        const { events, end } = await gateway.call(combination, split(bytes, [at]));
        assert.deepEqual({ events, end }, { events: complete.events, end: 'complete' }, `${name} split at ${at}`);
      });
    }
    context.diagnostic(JSON.stringify(ends));
    assert.ok(ends.failed > 100 && ends.refused > 100 && ends.complete > 100);
  });
}
