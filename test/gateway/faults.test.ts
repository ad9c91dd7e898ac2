// Faults of the network and of a provider, over real HTTP on both wires: always the typed error, after everything that
// came before it, and never a silent success.

import assert from 'node:assert/strict';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import type { Client } from '../../src/client/client.ts';
import { assemble } from '../../src/core/assembler.ts';
import type { ErrorKind, SimpleAgentsError } from '../../src/core/error.ts';
import { isContent } from '../../src/core/event.ts';
import type { Fault } from '../../src/testing/model/fault.ts';
import { createRandom } from '../../src/testing/model/random.ts';
import {
  assertPrefix,
  checkCut,
  readBytes,
  readThrough,
  request,
  startFaultyModel,
  vendorNames,
  type FaultyModel,
  type VendorName,
} from '../support/faulty-model.ts';
import { places, runs } from '../support/enumeration.ts';
import { failsWith } from '../support/fails-with.ts';
import { transportFor, transportNames } from '../support/transports.ts';
import { never } from '../support/upstream.ts';
import { createClient } from '../../src/node.ts';

/** Longer than any test waits. */
const forever = 600_000;

async function rejects(model: FaultyModel, vendor: VendorName, fault: Fault, expected: ReturnType<typeof failsWith>) {
  await assert.rejects(model.provider(vendor, fault).open(request, never), expected);
}

/** Creates clients whose calls all fail in a chosen way. */
function clientsOf(context: TestContext, model: FaultyModel, vendor: VendorName): (fault: Fault) => Client {
  return (fault) => {
    const headers = { 'x-simulate-fault': JSON.stringify(fault) };
    const baseUrl = `${model.relay.origin}/v1`;
    const client = createClient({ provider: vendor, baseUrl, apiKey: 'any', model: 'm', headers });
    context.after(() => client.close());
    return client;
  };
}

/** Resolves when the model has received the request. */
async function asked({ server }: FaultyModel): Promise<void> {
  while (server.requests.length === 0) await setTimeout(1);
}

const combinations = transportNames.flatMap((transport) => vendorNames.map((vendor) => [transport, vendor] as const));

for (const [transport, vendor] of combinations) {
  describe(`${vendor} over ${transport}: a stream that is cut off`, () => {
    for (const cut of ['cutAtByte', 'endAtByte'] as const) {
      test(`at any byte (${cut}) is an error before the stop reason, and complete after it`, async (context) => {
        const model = await startFaultyModel(context, { transport });
        const unharmed = await model.loadUnharmed(vendor);
        for (const at of places(unharmed.bytes.length, 101)) {
          // Bypasses the relay, which would double the time and is not needed here.
          const provider = model.provider(vendor, { [cut]: at }, { baseUrl: `${model.server.url}/v1` });
          await naming(`${cut} ${at}`, () => checkCut(provider, at, unharmed));
        }
      });
    }

    test('is the same error for a reader of bytes', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const unharmed = await model.loadUnharmed(vendor);
      const seed = String(Date.now());
      context.diagnostic(`seed ${seed}`);
      const random = createRandom(seed);
      for (let count = 0; count < runs(60, 15); count++) {
        const at = random.integer(unharmed.committedAt, unharmed.bytes.length);
        const stream = await model.provider(vendor, { endAtByte: at }).open(request, never);
        const { bytes, thrown } = await readBytes(stream);
        assert.deepEqual(bytes, unharmed.bytes.subarray(0, at), `at byte ${at}`);
        const outcome = await stream.ended;
        assert.equal(outcome.type, at < unharmed.stoppedAt ? 'failed' : 'complete', `at byte ${at}`);
        if (outcome.type === 'failed') failsWith('network', /cut/)(outcome.error);
        assert.equal(thrown, outcome.type === 'failed' ? outcome.error : undefined);
      }
    });

    test('into small pieces, or compressed, is complete', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const { events } = await model.loadUnharmed(vendor);
      for (const fault of [{ chunkSize: 1 }, { chunkSize: 7 }, { gzip: true }, { gzip: true, chunkSize: 3 }]) {
        assert.deepEqual(await readThrough(model.provider(vendor, fault)), { isOpened: true, events });
      }
    });

    test('while compressed is an error as well', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const { events } = await model.loadUnharmed(vendor);
      for (const cutAtByte of [0, 5, 20, 100, 200]) {
        const reading = await readThrough(model.provider(vendor, { gzip: true, cutAtByte }));
        failsWith('network', /./)(reading.thrown);
        assertPrefix(reading.events, events);
      }
    });

    test('before any byte is a network error', async (context) => {
      await rejects(
        await startFaultyModel(context, { transport }),
        vendor,
        { reset: true },
        failsWith('network', /before a response arrived/),
      );
    });

    test('before its closing event or its usage is complete', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const { message } = await model.loadUnharmed(vendor);
      const withoutEnd = await readThrough(model.provider(vendor, { omitDone: true }));
      assert.deepEqual(assemble(withoutEnd.events), message);
      const withoutCounts = await readThrough(model.provider(vendor, { omitUsage: true }));
      assert.deepEqual(assemble(withoutCounts.events), { ...message, usage: { input: 0, output: 0, missing: true } });
    });

    test('as a plain body is an error at every byte', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const plain = { ...request, stream: false };
      for (let cutAtByte = 0; ; cutAtByte++) {
        const provider = model.provider(vendor, { cutAtByte }, { baseUrl: `${model.server.url}/v1` });
        const outcome = await provider.open(plain, never).catch((error: unknown) => error);
        if (!(outcome instanceof Error)) break;
        await naming(`cutAtByte ${cutAtByte}`, () => failsWith('network', /in the middle of the response/)(outcome));
        assert.ok(cutAtByte < 2000);
      }
    });
  });

  describe(`${vendor} over ${transport}: an error event`, () => {
    test('after any number of events is thrown after them; before content, the call rejects', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const unharmed = await model.loadUnharmed(vendor);
      const frames = unharmed.bytes.toString().split('\n\n').length - 1;
      for (let errorAfterEvents = 0; errorAfterEvents < frames; errorAfterEvents++) {
        const { isOpened, events, thrown } = await readThrough(model.provider(vendor, { errorAfterEvents }));
        await naming(`after ${errorAfterEvents} events`, () => {
          failsWith('overloaded', /^Overloaded \(simulated\)$/)(thrown);
          assertPrefix(events, unharmed.events);
          assert.equal(isOpened, events.some(isContent));
          assert.equal((thrown as SimpleAgentsError).target, vendor);
          assert.match((thrown as SimpleAgentsError).requestId ?? '', /^req_simulated_\d+$/);
        });
      }
      const { events, thrown } = await readThrough(model.provider(vendor, { errorAfterEvents: frames }));
      assert.deepEqual([events, thrown], [unharmed.events, undefined]);
    });

    test('first in a 200 rejects the call, with its own kind', async (context) => {
      const model = await startFaultyModel(context, { transport });
      for (const [errorType, kind] of [
        ['overloaded_error', 'overloaded'],
        ['rate_limit_error', 'rate-limit'],
        ['api_error', 'upstream'],
        ['invalid_request_error', 'bad-request'],
      ] as const) {
        await rejects(model, vendor, { errorAfterEvents: 0, errorType, message: 'No.' }, failsWith(kind, /^No\.$/));
      }
    });
  });

  describe(`${vendor} over ${transport}: silence`, { timeout: 20_000 }, () => {
    const firstToken = { timeouts: { firstToken: 60, idle: forever } };
    const idle = { timeouts: { firstToken: forever, idle: 60 } };
    const pings = { pingEveryMs: 5 };

    const beforeContent: readonly (readonly [what: string, fault: Fault])[] = [
      ['before the headers', { stallBeforeMs: forever }],
      ['before the body', { stallBeforeBodyMs: forever }],
      ['before the body, with pings', { stallBeforeBodyMs: forever, ...pings }],
      ['after the first bytes', { stallAtByte: 10 }],
      ['after the first event, with pings', { stallAtByte: 10, ...pings }],
    ];
    for (const [what, fault] of beforeContent) {
      test(`${what} is a time-out for the first token`, async (context) => {
        const model = await startFaultyModel(context, { transport });
        const provider = model.provider(vendor, fault, firstToken);
        const expected = failsWith(
          'timeout',
          new RegExp(`no response arrived from ${vendor} within 60 ms .*first_token`),
        );
        await assert.rejects(provider.open(request, never), expected);
        // On a very busy machine the time-out may expire before there is a connection.
        if (model.relay.connectionCount() > 0) await model.relay.allClosed();
      });
    }

    for (const [what, more] of [
      ['in silence', {}],
      ['with pings', pings],
    ] as const) {
      test(`between two parts of content, ${what}, is an idle time-out, after the content so far`, async (context) => {
        const model = await startFaultyModel(context, { transport });
        const unharmed = await model.loadUnharmed(vendor);
        const fault = { stallAtByte: unharmed.committedAt + 2, ...more };
        const { isOpened, events, thrown } = await readThrough(model.provider(vendor, fault, idle));
        failsWith('timeout', new RegExp(`stalled: no new content arrived from ${vendor} within 60 ms .*idle`))(thrown);
        assert.equal(isOpened, true);
        assertPrefix(events, unharmed.events);
        assert.ok(events.some(isContent));
      });
    }

    test('shorter than the limit is no time-out, however often it occurs', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const { events } = await model.loadUnharmed(vendor);
      const provider = model.provider(vendor, { slow: 2, chunkSize: 40 }, { timeouts: { idle: 5000 } });
      assert.deepEqual((await readThrough(provider)).events, events);
    });
  });

  describe(`${vendor} over ${transport}: an abort`, { timeout: 20_000 }, () => {
    const reason = { mine: true };

    const beforeContent: readonly (readonly [what: string, fault: Fault])[] = [
      ['before the headers', { stallBeforeMs: forever }],
      ['before the body', { stallBeforeBodyMs: forever }],
      ['before content', { stallAtByte: 10 }],
    ];
    for (const [what, fault] of beforeContent) {
      test(`${what} closes the socket, and its reason is thrown unchanged`, async (context) => {
        const model = await startFaultyModel(context, { transport });
        const controller = new AbortController();
        const opening = model.provider(vendor, fault).open(request, controller.signal);
        await asked(model);
        controller.abort(reason);
        await assert.rejects(opening, (thrown) => thrown === reason);
        await model.relay.allClosed();
      });
    }

    test('in the middle closes the socket, after the content so far', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const unharmed = await model.loadUnharmed(vendor);
      const controller = new AbortController();
      const stream = await model
        .provider(vendor, { stallAtByte: unharmed.committedAt + 2 })
        .open(request, controller.signal);
      let count = 0;
      await assert.rejects(
        async () => {
          for await (const event of stream) {
            count++;
            // The next event never arrives, so a read is pending at the abort.
            if (isContent(event)) void setImmediate().then(() => controller.abort(reason));
          }
        },
        (thrown) => thrown === reason,
      );
      assert.ok(count >= 2);
      assert.deepEqual({ ...(await stream.ended), usage: 0 }, { type: 'failed', error: reason, usage: 0 });
      await model.relay.allClosed();
    });

    test('while the reader is busy closes the socket at once, and the next read throws the reason', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const controller = new AbortController();
      const stream = await model.provider(vendor, { chunkSize: 200, slow: 1 }).open(request, controller.signal);
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      controller.abort(reason);
      await model.relay.allClosed();
      await assert.rejects(iterator.next(), (thrown) => thrown === reason);
    });

    test('after the end has no effect', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const controller = new AbortController();
      const { thrown } = await readThrough(model.provider(vendor), controller.signal);
      controller.abort(reason);
      assert.equal(thrown, undefined);
    });
  });

  describe(`${vendor} over ${transport}: a client`, { timeout: 20_000 }, () => {
    test('that leaves the loop closes the socket', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const unharmed = await model.loadUnharmed(vendor);
      const fault = { stallAtByte: unharmed.committedAt + 2 };
      for await (const event of clientsOf(context, model, vendor)(fault).stream(request)) if (isContent(event)) break;
      await model.relay.allClosed();
    });

    test('has the content of a cut-off stream as the partial message', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const unharmed = await model.loadUnharmed(vendor);
      const stream = clientsOf(context, model, vendor)({ cutAtByte: unharmed.stoppedAt - 1 }).stream(request);
      await assert.rejects(stream.final(), failsWith('network', /./));
      assert.deepEqual(stream.partial.content[0], { type: 'text', text: 'Wait ☂' });
      assert.equal('stopReason' in stream.partial, false);
      assert.equal(stream.partial.content.length + stream.partial.dropped.length, 2);
    });

    test('that awaits the result does not get a part', async (context) => {
      const model = await startFaultyModel(context, { transport });
      await assert.rejects(
        clientsOf(context, model, vendor)({ cutAtByte: 100 }).complete(request),
        failsWith('network', /./),
      );
    });
  });

  describe(`${vendor} over ${transport}: a response is rejected`, () => {
    const cases: readonly (readonly [what: string, fault: Fault, kind: ErrorKind, message: RegExp])[] = [
      [
        'of another type',
        { contentType: 'text/html' },
        'bad-response',
        /expected an event stream or JSON, but got text\/html/,
      ],
      ['of no type', { contentType: '' }, 'bad-response', /expected an event stream or JSON/],
      ['of nonsense', { garbage: 2048 }, 'network', /the stream was cut/],
      [
        'of nonsense that says it is JSON',
        { garbage: 99, contentType: 'application/json' },
        'bad-response',
        /declared as JSON/,
      ],
      ['of a stream that says it is JSON', { contentType: 'application/json' }, 'bad-response', /declared as JSON/],
      ['that ends at once', { endAtByte: 0 }, 'network', /the stream was cut/],
    ];
    for (const [what, fault, kind, message] of cases) {
      test(what, async (context) => {
        await rejects(await startFaultyModel(context, { transport }), vendor, fault, failsWith(kind, message));
      });
    }

    test('that is cut off after one event', async (context) => {
      const model = await startFaultyModel(context, { transport });
      const unharmed = await model.loadUnharmed(vendor);
      const { events, thrown } = await readThrough(model.provider(vendor, { malformedSse: true }));
      failsWith('network', /the stream was cut: an event is not JSON: \{"simulated"/)(thrown);
      assertPrefix(events, unharmed.events);
    });

    test('with an event that is too large', async (context) => {
      const model = await startFaultyModel(context, {
        replies: { replies: [{ text: 'x'.repeat(17 * 1024 * 1024) }] },
        transport,
      });
      const reading = await readThrough(model.provider(vendor));
      failsWith('bad-response', /an event of the stream is larger than/)(reading.thrown);
      await model.relay.allClosed();
    });

    test('that decompresses to too much', async (context) => {
      const model = await startFaultyModel(context, { replies: { replies: [{ text: 'x'.repeat(2 * 1024 * 1024) }] } });
      const capped = transportFor(context, transport, { maxResponseBytes: 1024 * 1024 });
      const provider = model.provider(vendor, { gzip: true }, { transport: capped });
      const { thrown } = await readThrough(provider);
      failsWith('bad-response', /larger than 1048576 bytes/)(thrown);
    });
  });

  describe(`${vendor} over ${transport}: an error response`, () => {
    const kinds: Readonly<Record<number, ErrorKind>> = {
      400: 'bad-request',
      401: 'auth',
      402: 'quota',
      403: 'auth',
      404: 'not-found',
      408: 'timeout',
      413: 'bad-request',
      422: 'bad-request',
      429: 'rate-limit',
      500: 'upstream',
      502: 'upstream',
      503: 'overloaded',
      504: 'timeout',
      529: 'overloaded',
    };
    test('gets its kind from its status', async (context) => {
      const model = await startFaultyModel(context, { transport });
      for (const [status, kind] of Object.entries(kinds)) {
        const fault = { status: Number(status), message: 'No.' };
        await assert.rejects(model.provider(vendor, fault).open(request, never), (error: SimpleAgentsError) => {
          assert.deepEqual(
            [error.kind, error.status, error.message, error.target],
            [kind, Number(status), 'No.', vendor],
          );
          return true;
        });
      }
    });

    test('keeps the retry delay, in every format', async (context) => {
      const inAnHour = new Date(Date.now() + 3_600_000);
      const times: readonly (readonly [
        retryAfter: string,
        expected: readonly [least: number, most: number] | undefined,
      ])[] = [
        ['2', [2000, 2000]],
        ['0', [0, 0]],
        ['1.5', [1500, 1500]],
        ['-3', [0, 0]],
        ['86400', [86_400_000, 86_400_000]],
        [inAnHour.toUTCString(), [3_500_000, 3_600_000]],
        [asctime(inAnHour), [3_500_000, 3_600_000]],
        [new Date(0).toUTCString(), [0, 0]],
        ['soon', undefined],
        ['', undefined],
      ];
      const model = await startFaultyModel(context, { transport });
      for (const [retryAfter, expected] of times) {
        const provider = model.provider(vendor, { status: 429, retryAfter });
        await assert.rejects(provider.open(request, never), (error: SimpleAgentsError) => {
          const { retryAfterMs } = error;
          if (expected === undefined) assert.equal(retryAfterMs, undefined, retryAfter);
          else
            assert.ok(
              retryAfterMs !== undefined && retryAfterMs >= expected[0] && retryAfterMs <= expected[1],
              retryAfter,
            );
          return true;
        });
      }
    });

    test('that is cut off keeps its kind', async (context) => {
      const model = await startFaultyModel(context, { transport });
      await rejects(model, vendor, { status: 529, cutAtByte: 10 }, failsWith('overloaded', /status 529/));
    });
  });
}

/** The oldest date format of HTTP: `Sun Nov  6 08:49:37 1994`. */
function asctime(date: Date): string {
  const [day = '', number = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
  return `${day} ${month} ${number.replace(/^0/, ' ')} ${time} ${year}`;
}

/** Adds the name of the case to a failed assertion. */
async function naming(what: string, check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}
