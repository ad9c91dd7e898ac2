// Network and upstream faults in a stream, over real sockets, in both wires on both sides: a client gets the complete
// response, or its beginning and an error. It never gets a false end.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { createRandom } from '../../src/testing/model/random.ts';
import {
  assertHonest,
  beginStream,
  combinations,
  cutAt,
  playing,
  recordedStream,
  retrying,
  split,
  startFaultyGateway,
  type Combination,
  type Play,
} from '../support/faulty-gateway.ts';
import { runs } from '../support/enumeration.ts';
import { oddShapes, plainStream, wordsOf } from '../support/odd-shapes.ts';
import { keepPinging } from '../support/upstream.ts';

const mebibyte = 1024 * 1024;
/** 70 MiB of long comments. */
const bomb = gzipSync(Buffer.alloc(70 * mebibyte, `: ${'x'.repeat(mebibyte)}\n`), { level: 1 });

const recordings = runs(['interleaved-tool-calls', 'tool-call', 'unicode'], ['interleaved-tool-calls']);
const seed = String(Date.now());

for (const combination of combinations) {
  const { client, upstream } = combination;
  describe(`${client} client, ${upstream} upstream`, () => {
    test('a reset or an early end at any byte is reported', async (context) => {
      context.diagnostic(`seed ${seed}`);
      const random = createRandom(seed);
      const gateway = await startFaultyGateway(context, retrying);
      for (const name of recordings) {
        const bytes = recordedStream(upstream, name);
        const whole = await gateway.call(combination, playing(bytes));
        for (let count = 0; count < 6; count++) {
          const at = random.integer(0, bytes.length - 1);
          for (const how of ['reset', 'end'] as const) {
            const received = await gateway.call(combination, cutAt(bytes, at, how));
            await naming(`${name}, ${how} at ${at}`, () => assertHonest(received, whole));
          }
        }
      }
    });

    test('splits anywhere change nothing', async (context) => {
      context.diagnostic(`seed ${seed}`);
      const random = createRandom(seed);
      const gateway = await startFaultyGateway(context);
      for (const name of recordings) {
        const bytes = recordedStream(upstream, name);
        const whole = await gateway.call(combination, playing(bytes));
        const everywhere = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
        const somewhere = Array.from({ length: 3 }, () => everywhere.filter(() => random.integer(0, 30) === 0));
        for (const cuts of [everywhere, ...somewhere]) {
          const { text } = await gateway.call(combination, split(bytes, cuts));
          assert.equal(withoutTime(text), withoutTime(whole.text), `${name} split at ${cuts.join()}`);
        }
      }
    });
  });
}

describe('silence', () => {
  interface Silence {
    /** The time-out that must end the call. The other one would end it later, or never applies. */
    readonly ends: 'first_token' | 'idle';
    readonly play: (bytes: Buffer) => Play;
  }
  const timeouts = {
    'first_token': { firstToken: 200, idle: 50 },
    'idle': { firstToken: 60_000, idle: 200 },
  } as const;
  const silences: Readonly<Record<string, Silence>> = {
    'before the head': { ends: 'first_token', play: () => () => undefined },
    'before the body': { ends: 'first_token', play: () => beginStream },
    'after a few bytes': { ends: 'first_token', play: (bytes) => beginning(bytes.subarray(0, 9)) },
    'after the first event': {
      ends: 'first_token',
      play: (bytes) => beginning(bytes.subarray(0, bytes.indexOf('\n\n') + 2)),
    },
    'in the middle': { ends: 'idle', play: (bytes) => beginning(bytes.subarray(0, bytes.length / 2)) },
    'in the middle, with comments': {
      ends: 'idle',
      play: (bytes) => (response) => {
        beginning(bytes.subarray(0, bytes.lastIndexOf('\n\n', bytes.length / 2) + 2))(response);
        keepPinging(response, ': still here\n\n');
      },
    },
  };
  for (const combination of combinations) {
    const { upstream } = combination;
    const bytes = recordedStream(upstream, 'unicode');

    test(`gets comments: ${describeCombination(combination)}`, async (context) => {
      const gateway = await startFaultyGateway(context, { keepAlive: 40 });
      const listening = Object.values(silences).map(({ play }) => {
        return gateway.callUntil(/: (?:keep-alive|still here)\n\n/, combination, play(bytes));
      });
      await Promise.all(listening);
      await gateway.upstream.allClosed();
    });

    test(`ends with the right time-out: ${describeCombination(combination)}`, async (context) => {
      for (const setting of ['first_token', 'idle'] as const) {
        const gateway = await startFaultyGateway(context, { gateway: { timeouts: timeouts[setting] } });
        const ending = Object.entries(silences).filter(([, { ends }]) => ends === setting);
        const listening = ending.map(async ([where, { play }]) => {
          const { text, end } = await gateway.call(combination, play(bytes));
          assert.equal(end, setting === 'idle' ? 'failed' : 'refused', `${where}: ${text}`);
          assert.match(text, new RegExp(`within 200 ms \\(raise [^"]*${setting} under`), where);
        });
        await Promise.all(listening);
        await gateway.upstream.allClosed();
      }
    });
  }
});

describe('a response in odd forms', () => {
  for (const combination of combinations) {
    test(`keeps its text, or is an error: ${describeCombination(combination)}`, async (context) => {
      const gateway = await startFaultyGateway(context);
      for (const [shape, reshape] of Object.entries(oddShapes)) {
        const stream = Buffer.from(reshape(plainStream(combination.upstream)) as string);
        const received = await gateway.call(combination, playing(stream));
        const words = stream.includes('Hello') ? 'Hello there' : '';
        await naming(`${shape}: ${received.text}`, () => {
          assert.notEqual(received.end, 'silent');
          if (received.end === 'complete') assert.equal(wordsOf(received.events), words);
        });
      }
      assert.equal((await fetch(`${gateway.url}/health`)).status, 200);
    });
  }
});

describe('a response that is too large', () => {
  for (const combination of combinations) {
    test(`in one event is cut off and reported: ${describeCombination(combination)}`, async (context) => {
      const gateway = await startFaultyGateway(context);
      const { upstream } = combination;
      const [first = ''] = plainStream(upstream).split(/(?<=Hello[^]*?\n\n)/);
      const received = await gateway.call(combination, pouring(first, 'data: x', 18 * mebibyte));
      assert.equal(received.end, 'failed', received.text.slice(0, 1000));
      assert.match(received.text.slice(-1000), /an event of the stream is larger than/);
      assert.ok(received.text.length < mebibyte);
      await gateway.upstream.allClosed();
    });

    test(`after decompression is cut off and reported: ${describeCombination(combination)}`, async (context) => {
      const gateway = await startFaultyGateway(context);
      const streamed = await gateway.call(combination, playing(bomb, { 'content-encoding': 'gzip' }));
      assert.equal(streamed.end, 'refused');
      assert.match(streamed.text, /larger than 67108864 bytes/);
      const json = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
      const whole = await gateway.call(combination, playing(bomb, json), { stream: false });
      assert.match(whole.text, /larger than 67108864 bytes/);
    });
  }
});

function describeCombination({ client, upstream }: Combination): string {
  return `${client} client, ${upstream} upstream`;
}

function beginning(bytes: Uint8Array): (response: ServerResponse) => void {
  return (response) => {
    beginStream(response);
    response.write(bytes);
  };
}

/** Sends a beginning and then the same bytes again and again, as fast as they are read. */
function pouring(first: string, next: string, length: number): Play {
  return async (response) => {
    beginStream(response);
    response.write(first + next);
    const piece = Buffer.alloc(256 * 1024, 'x');
    for (let sent = 0; sent < length && !response.destroyed; sent += piece.length) {
      await new Promise((resolve) => response.write(piece, resolve));
    }
    response.end();
  };
}

/** A translated stream contains its creation time. */
function withoutTime(text: string): string {
  return text.replaceAll(/"created":\d+/g, '"created":0');
}

async function naming(what: string, check: () => void): Promise<void> {
  try {
    check();
  } catch (error) {
    throw new Error(what, { cause: error });
  }
}
