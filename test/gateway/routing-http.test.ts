// Routing over real HTTP, on both wires, against simulated models that fail: how often and when each is called, which
// target responds, and what happens to a response that is cut off.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CallEvent } from '../../src/core/call.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import { assemble } from '../../src/core/assembler.ts';
import { text } from '../../src/core/message.ts';
import type { ModelStream } from '../../src/core/provider.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import { systemClock, type Clock } from '../../src/core/clock.ts';
import type { Fault } from '../../src/testing/model/fault.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { failsWith } from '../support/fails-with.ts';
import { vendorNames, type VendorName } from '../support/faulty-model.ts';
import { until } from '../support/until.ts';
import { eventsOf, never, readAll } from '../support/upstream.ts';
import { createGateway } from '../../src/node.ts';

const ask: ChatRequest = { model: '', messages: [{ role: 'user', content: [text('Go.')] }] };
const sentence = 'The umbrella ☂ stands behind the door, where nobody looks for it.';
const forever = 600_000;
/** Expire only where a test lets the time pass. */
const timeouts = { firstToken: 20_000 };

/** A gateway to one simulated model for each list of replies, the first of them its default. */
async function startGateway(
  context: TestContext,
  vendor: VendorName,
  replies: readonly (readonly ScriptedReply[])[],
  { first, ...more }: Partial<GatewaySettings> & { readonly first?: Partial<ProviderSettings> } = {},
  clock: Clock = systemClock,
) {
  const servers: SimulateServer[] = [];
  for (const list of replies) servers.push(await createSimulateServer({ script: { replies: list } }));
  const providers = servers.map(({ url }, ordinal) => {
    const own = { name: `p${ordinal}`, type: vendor, model: `m${ordinal}`, baseUrl: `${url}/v1`, apiKey: 'any' };
    return ordinal === 0 ? { ...own, ...first } : own;
  });
  const events: CallEvent[] = [];
  const chains =
    providers.length > 1 ? [{ targets: providers.slice(1).map(({ name, model }) => `${name}/${model}`) }] : [];
  const observer = (event: CallEvent) => void events.push(event);
  const gateway = createGateway({ providers, chains, ...more }, { observer, clock });
  context.after(async () => {
    await gateway.close();
    for (const server of servers) await server.close();
  });
  return { gateway, events, calls: () => servers.map(({ requests }) => requests.length), servers };
}

const faulty = (...faults: readonly Fault[]): ScriptedReply[] => faults.map((fault) => ({ text: sentence, fault }));
const good: ScriptedReply = { text: sentence };

async function wordsOf(stream: ModelStream): Promise<string> {
  const { words, thrown } = await readAll(stream);
  if (thrown !== undefined) throw thrown as Error;
  return words;
}

/** Does not sleep, but records the durations. */
function impatientClock(): Clock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return { ...systemClock, pauses, sleep: (milliseconds) => (pauses.push(milliseconds), Promise.resolve()) };
}

for (const vendor of vendorNames) {
  describe(`${vendor}: a call that fails`, { timeout: 30_000 }, () => {
    test('twice by time-out is made three times, with the right pauses', async (context) => {
      const stall = { stallBeforeMs: forever };
      const clock = impatientClock();
      const retry = { jitter: false, initialBackoff: 60 };
      const replies = [[...faulty(stall, stall), good]];
      const { gateway, calls } = await startGateway(context, vendor, replies, { timeouts, retry }, clock);
      context.mock.timers.enable({ apis: ['setTimeout'] });
      const opening = gateway.open(ask, never);
      for (const attempt of [1, 2]) {
        await until(() => calls()[0] === attempt);
        context.mock.timers.tick(timeouts.firstToken);
      }
      assert.equal(await wordsOf(await opening), sentence);
      assert.deepEqual([calls(), clock.pauses], [[3], [60, 120]]);
    });

    test('permanently is made three times, and throws its last error', async (context) => {
      const { gateway, calls } = await startGateway(
        context,
        vendor,
        [faulty({ status: 500 }, { status: 500 }, { status: 500 })],
        {
          retry: { initialBackoff: 1 },
        },
      );
      await assert.rejects(gateway.open(ask, never), failsWith('upstream', /./, { status: 500, target: 'p0' }));
      assert.deepEqual(calls(), [3]);
    });

    test('is made once if retries are off', async (context) => {
      const { gateway, calls } = await startGateway(context, vendor, [faulty({ status: 500 })], { retry: false });
      await assert.rejects(gateway.open(ask, never), failsWith('upstream', /./));
      assert.deepEqual(calls(), [1]);
    });

    const times: readonly (readonly [
      what: string,
      retryAfter: () => string,
      pause: readonly [number, number] | undefined,
    ])[] = [
      ['seconds', () => '2', [2000, 2000]],
      ['nothing', () => '0', [100, 100]],
      ['a fraction', () => '1.5', [1500, 1500]],
      ['less than nothing', () => '-3', [100, 100]],
      ['a date', () => new Date(Date.now() + 59_000).toUTCString(), [50_000, 60_000]],
      ['a date gone by', () => new Date(0).toUTCString(), [100, 100]],
      ['garbage', () => 'soon', [100, 100]],
      ['a minute', () => '60', [60_000, 60_000]],
      ['more than a minute', () => '61', undefined],
      ['ages', () => '1000000000', undefined],
    ];
    for (const [what, retryAfter, pause] of times) {
      test(`is retried after the delay of the provider: ${what}`, async (context) => {
        const clock = impatientClock();
        const replies = [[...faulty({ status: 429, retryAfter: retryAfter() }), good]];
        const { gateway, calls } = await startGateway(context, vendor, replies, { retry: { jitter: false } }, clock);
        const opening = gateway.open(ask, never);
        if (pause === undefined) await assert.rejects(opening, failsWith('rate-limit', /./));
        else assert.equal(await wordsOf(await opening), sentence);
        assert.deepEqual(calls(), [pause === undefined ? 1 : 2]);
        const [least = 0, most = 0] = pause ?? [];
        assert.ok(
          clock.pauses.every((asked) => asked >= least && asked <= most),
          clock.pauses.join(),
        );
        assert.equal(clock.pauses.length, pause === undefined ? 0 : 1);
      });
    }
  });

  describe(`${vendor}: a target that requests a pause, in a chain`, { timeout: 30_000 }, () => {
    const pauses: readonly (readonly [
      retryAfter: string,
      maxRetryAfter: number | undefined,
      pause: number | undefined,
    ])[] = [
      ['0', undefined, 100],
      ['1', undefined, 1000],
      ['2', undefined, undefined],
      ['30', undefined, undefined],
      ['1000000000', undefined, undefined],
      ['30', 60_000, 30_000],
      ['61', 60_000, undefined],
    ];
    for (const [retryAfter, maxRetryAfter, pause] of pauses) {
      const configured = maxRetryAfter === undefined ? 'by default' : `with max_retry_after ${maxRetryAfter} ms`;
      test(`of ${retryAfter} s ${configured} is ${pause === undefined ? 'left' : 'waited for'}`, async (context) => {
        const clock = impatientClock();
        const replies = [[...faulty({ status: 429, retryAfter }), good], [good]];
        const retry = { jitter: false, ...(maxRetryAfter === undefined ? {} : { maxRetryAfter }) };
        const { gateway, calls } = await startGateway(context, vendor, replies, { retry }, clock);
        assert.equal(await wordsOf(await gateway.open(ask, never)), sentence);
        assert.deepEqual(calls(), pause === undefined ? [1, 1] : [2, 0]);
        assert.deepEqual(clock.pauses, pause === undefined ? [] : [pause]);
      });
    }
  });

  describe(`${vendor}: a chain`, { timeout: 30_000 }, () => {
    const failures: readonly (readonly [what: string, fault: Fault])[] = [
      ['a refused key', { status: 401 }],
      ['a failing server', { status: 500 }],
      ['an overloaded one', { status: 529 }],
      ['no such model', { status: 404 }],
      ['a reset connection', { reset: true }],
      ['an error event as the first thing of a 200', { errorAfterEvents: 0 }],
      ['an error event after the beginning of a 200', { errorAfterEvents: 1 }],
      ['a body that is no stream', { contentType: 'text/html' }],
      ['a stream that ends at once', { endAtByte: 0 }],
      ['a cut before any content', { cutAtByte: 20 }],
      ['silence', { stallBeforeBodyMs: forever }],
    ];
    for (const [what, fault] of failures) {
      test(`falls back to the next target after ${what}`, async (context) => {
        // Only the first target can be too slow.
        const first = { timeouts: { firstToken: what === 'silence' ? 20 : forever } };
        const more = { retry: false, first } as const;
        const { gateway, events, calls, servers } = await startGateway(context, vendor, [faulty(fault), [good]], more);
        const stream = await gateway.open(ask, never);
        assert.equal(stream.target, 'p1');
        assert.equal(await wordsOf(stream), sentence);
        assert.equal(calls()[1], 1);
        assert.equal((servers[1]!.requests[0]!.body as { model: string }).model, 'm1');
        const fallback = events.find(({ type }) => type === 'fallback');
        assert.ok(fallback?.type === 'fallback');
        assert.deepEqual([fallback.from, fallback.target], ['p0/m0', 'p1/m1']);
      });
    }

    test('does not fall back for a bad request', async (context) => {
      const { gateway, calls } = await startGateway(context, vendor, [faulty({ status: 400 }), [good]]);
      await assert.rejects(gateway.open(ask, never), failsWith('bad-request', /./));
      assert.deepEqual(calls(), [1, 0]);
    });

    test('that fails completely names every target', async (context) => {
      const replies = [faulty({ status: 500, message: 'Broken.' }), faulty({ status: 401, message: 'Who?' })];
      const { gateway } = await startGateway(context, vendor, replies, { retry: false });
      const expected = failsWith('upstream', /^all targets failed\. p0\/m0: Broken\.; p1\/m1: Who\?$/);
      await assert.rejects(gateway.open(ask, never), expected);
    });

    test('skips a target whose breaker is open, and returns to it later', async (context) => {
      const replies = [
        [...faulty({ status: 500 }, { status: 500 }), good, good],
        [good, good, good, good, good],
      ];
      const breaker = { minCalls: 2, openFor: 300, probes: 1 };
      let time = 0;
      const clock = { ...systemClock, now: () => time };
      const { gateway, events, calls } = await startGateway(context, vendor, replies, { retry: false, breaker }, clock);
      for (let count = 0; count < 5; count++) await wordsOf(await gateway.open(ask, never));
      assert.deepEqual(calls(), [2, 5]);
      time += 320;
      for (let count = 0; count < 2; count++) await wordsOf(await gateway.open(ask, never));
      assert.deepEqual(calls(), [4, 5]);
      const states = events.flatMap((event) => (event.type === 'breaker-change' ? [event.to] : []));
      assert.deepEqual(states, ['open', 'half-open', 'closed']);
    });

    test('ends at once with an abort, in the middle of a pause', async (context) => {
      const retry = { maxRetryAfter: 60_000 };
      const replies = [faulty({ status: 429, retryAfter: '30' }), [good]];
      const { gateway, events, calls } = await startGateway(context, vendor, replies, { retry });
      const controller = new AbortController();
      const reason = { mine: true };
      const opening = gateway.open(ask, controller.signal);
      while (!events.some(({ type }) => type === 'retry-wait')) await systemClock.sleep(2, never);
      controller.abort(reason);
      await assert.rejects(opening, (thrown) => thrown === reason);
      assert.deepEqual(calls(), [1, 0]);
      const end = events.at(-1);
      assert.ok(end?.type === 'call-end' && end.outcome === 'left');
    });
  });

  describe(`${vendor}: a response that is cut off`, { timeout: 60_000 }, () => {
    test('is an error by default, and no other target is called', async (context) => {
      const { from, to } = await bytesOf(context, vendor);
      const fault = { cutAtByte: Math.floor((from + to) / 2) };
      const { gateway, calls } = await startGateway(context, vendor, [faulty(fault), [good]]);
      const { words, thrown } = await readAll(await gateway.open(ask, never));
      failsWith('network', /./)(thrown);
      assert.ok(words.length > 0 && words.length < sentence.length && sentence.startsWith(words), words);
      assert.deepEqual(calls(), [1, 0]);
    });

    test('is continued if requested, with nothing lost and nothing repeated', async (context) => {
      const { from, to } = await bytesOf(context, vendor);
      for (const repeated of [0, 12, 1000]) {
        for (let at = from + 40; at < to; at += 97) {
          const delivered = await cutAt(context, vendor, at);
          const rest = sentence.slice(Math.max(0, delivered.length - repeated));
          // A repetition is long, or starts with a word.
          if (delivered === '' || (repeated === 12 && delivered.length < 12)) continue;
          const replies = [faulty({ cutAtByte: at }), [{ text: rest }]];
          const { gateway, calls } = await startGateway(context, vendor, replies, { router: { onCut: 'continue' } });
          const events: StreamEvent[] = await eventsOf(await gateway.open(ask, never));
          assert.deepEqual(assemble(events).content, [text(sentence)], `cut at byte ${at}, ${repeated} repeated`);
          assert.deepEqual(calls(), [1, 1]);
          assert.equal(events.filter((event) => event.type === 'notice' && event.kind === 'continuation').length, 1);
        }
      }
    });

    test('is never continued once a tool call has started', async (context) => {
      const call = { text: 'Wait.', toolCalls: [{ name: 'look', input: { at: 'the sky above the door' } }] };
      const tools = [{ name: 'look', inputSchema: { type: 'object' } }];
      const replies = [[{ ...call, fault: { errorAfterEvents: vendor === 'openai' ? 5 : 7 } }], [good]];
      const { gateway, calls } = await startGateway(context, vendor, replies, { router: { onCut: 'continue' } });
      const events: StreamEvent[] = [];
      await assert.rejects(
        async () => {
          for await (const event of await gateway.open({ ...ask, tools }, never)) events.push(event);
        },
        failsWith('overloaded', /./),
      );
      assert.ok(
        events.some(({ type }) => type === 'tool-call-start'),
        JSON.stringify(events),
      );
      assert.deepEqual(calls(), [1, 0]);
    });
  });
}

/** What a caller gets of a response that is cut off there. */
async function cutAt(context: TestContext, vendor: VendorName, cutAtByte: number): Promise<string> {
  const { gateway } = await startGateway(context, vendor, [faulty({ cutAtByte })], { retry: false });
  const stream = await gateway.open(ask, never).catch(() => undefined);
  return stream === undefined ? '' : (await readAll(stream)).words;
}

/** The position of the text in the bytes of the response. */
async function bytesOf(
  context: TestContext,
  vendor: VendorName,
): Promise<{ readonly from: number; readonly to: number }> {
  const { gateway } = await startGateway(context, vendor, [[good]]);
  const { bytes } = await gateway.open(ask, never);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes ?? []) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return { from: body.indexOf('The'), to: body.indexOf(vendor === 'openai' ? '"stop"' : '"end_turn"') };
}
