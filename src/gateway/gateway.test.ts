// The gateway: which provider is called, with what, and the errors for incomplete settings.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { failing, TestClock } from '../../test/support/policies.ts';
import type { CallEvent } from '../core/call.ts';
import type { ErrorKind } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { text } from '../core/message.ts';
import type { ChatRequest } from '../core/request.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import type { GatewayOptions, GatewaySettings } from './gateway.ts';
import { createGateway } from '../node.ts';
import { PriceBook } from '../prices/price.ts';

const never = new AbortController().signal;
const request: ChatRequest = { model: 'one/m', messages: [{ role: 'user', content: [text('Hi')] }], stream: false };

/** Responds to every call in the OpenAI wire, and records it. */
class Wiretap implements Transport {
  readonly sent: TransportRequest[] = [];
  closed = 0;

  send(sent: TransportRequest) {
    this.sent.push(sent);
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const body = { id: 'c1', model: 'm1', choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }], usage };
    return Promise.resolve({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: (async function* () {
        yield new TextEncoder().encode(JSON.stringify(body));
      })(),
    });
  }

  close() {
    this.closed++;
    return Promise.resolve();
  }

  get body(): Record<string, unknown> {
    return JSON.parse(this.sent.at(-1)?.body ?? '{}') as Record<string, unknown>;
  }
}

const one = { name: 'one', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' } as const;

describe('a gateway', () => {
  test('calls the provider of the model name, with the provider’s own name of the model', async () => {
    const transport = new Wiretap();
    const gateway = createGateway({ providers: [one], aliases: { fast: { targets: ['one/small'] } } }, { transport });
    for (const [model, expected] of [
      ['one/big', 'big'],
      ['fast', 'small'],
    ] as const) {
      const stream = await gateway.open({ ...request, model }, never);
      assert.equal(stream.target, 'one');
      assert.equal(transport.body['model'], expected);
    }
    assert.equal(transport.sent[0]?.url, 'http://127.0.0.1:9/v1/chat/completions');
    assert.equal(transport.sent[0].headers['authorization'], 'Bearer k');
    assert.deepEqual(gateway.resolve('fast'), { provider: one, model: 'small' });
  });

  test('sets the token limit for requests without one, and only for those', async () => {
    const transport = new Wiretap();
    const gateway = createGateway({ providers: [one], maxTokens: 7 }, { transport });
    await gateway.open(request, never);
    assert.equal(transport.body['max_tokens'], 7);
    await gateway.open({ ...request, maxTokens: 3 }, never);
    assert.equal(transport.body['max_tokens'], 3);
  });

  test('prefers a provider’s own headers and time-outs to the general ones', async () => {
    const transport = new Wiretap();
    const provider = { ...one, headers: { 'x-team': 'a' }, timeouts: { connect: 5 } };
    const gateway = createGateway({ providers: [provider], timeouts: { connect: 9 } }, { transport });
    await gateway.open(request, never);
    assert.equal(transport.sent[0]?.headers['x-team'], 'a');
    assert.equal(transport.sent[0].connectTimeout, 5);
  });

  test('closes the connections of all providers', async () => {
    const transport = new Wiretap();
    await createGateway({ providers: [one] }, { transport }).close();
    assert.equal(transport.closed, 1);
  });

  test('uses the simulated model, with a script if there is one', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-'));
    context.after(() => rm(folder, { recursive: true }));
    const script = join(folder, 'replies.json');
    const gateway = createGateway({ providers: [{ name: 'rehearsal', type: 'simulated', script }] });
    const ask = { ...request, model: 'rehearsal' };
    await assert.rejects(gateway.open(ask, never), failsWith('configuration', /replies\.json/));
    await writeFile(script, JSON.stringify({ replies: [{ text: 'As written.' }] }));
    const stream = await gateway.open(ask, never);
    let words = '';
    for await (const event of stream) if (event.type === 'text-delta') words += event.text;
    assert.deepEqual([stream.target, words], ['rehearsal', 'As written.']);
  });
});

describe('incomplete settings', () => {
  const cases: readonly (readonly [
    what: string,
    kind: ErrorKind,
    message: RegExp,
    settings: GatewaySettings,
    model: string,
  ])[] = [
    [
      'no key',
      'auth',
      /^OpenAI needs an API key: set OPENAI_API_KEY$/,
      { providers: [{ name: 'a', type: 'openai' }] },
      'a/m',
    ],
    [
      'no key under the name that was given for it',
      'auth',
      /^Anthropic needs an API key: set WORK_KEY$/,
      { providers: [{ name: 'a', type: 'anthropic', keyEnv: 'WORK_KEY' }] },
      'a/m',
    ],
    [
      'no key of a vendor that is not configured',
      'auth',
      /^Groq needs an API key: set GROQ_API_KEY$/,
      { providers: [] },
      'groq/m',
    ],
    [
      'no address',
      'configuration',
      /"a" needs a base URL/,
      { providers: [{ name: 'a', type: 'openai-compatible' }] },
      'a/m',
    ],
    [
      'an address that is none',
      'configuration',
      /base URL must be a complete URL/,
      { providers: [{ name: 'a', type: 'openai-compatible', baseUrl: 'localhost' }] },
      'a/m',
    ],
    [
      'an unknown type',
      'configuration',
      /there is no provider type "opnai"; did you mean "openai"\?/,
      { providers: [{ name: 'a', type: 'opnai' }] },
      'a/m',
    ],
  ];
  for (const [what, kind, message, settings, model] of cases) {
    test(what, async () => {
      const transport = new Wiretap();
      const gateway = createGateway(settings, { transport });
      await assert.rejects(gateway.open({ ...request, model }, never), failsWith(kind, message));
      assert.deepEqual(transport.sent, []);
    });
  }
});

const prices = { 'one/a': { input: 2, output: 2 }, 'two/b': { input: 1, output: 1 } };

describe('a gateway to several targets', () => {
  const two = { ...one, name: 'two', weight: 3 };
  const both = { targets: ['one/a', 'two/b'] };

  async function firsts(settings: Partial<GatewaySettings>, options: GatewayOptions = {}): Promise<string> {
    const transport = new Wiretap();
    const clock = new TestClock(() => 0);
    const all = { providers: [one, two], aliases: { both }, ...settings };
    const gateway = createGateway(all, { transport, clock, ...options });
    for (let count = 0; count < 4; count++) await gateway.open({ ...request, model: 'both' }, never);
    return transport.sent.map(({ body = '' }) => (JSON.parse(body) as { model: string }).model).join('');
  }

  test('uses the strategy of the alias, else the general one', async () => {
    assert.equal(await firsts({}), 'aaaa');
    assert.equal(await firsts({ router: { strategy: 'round-robin' } }), 'abab');
    assert.equal(await firsts({ router: { strategy: 'weighted' } }), 'babb');
    assert.equal(await firsts({ router: { strategy: 'cost' }, prices }), 'bbbb');
    const aliases = { both: { ...both, strategy: 'weighted', weights: [1, 1] } } as const;
    assert.equal(await firsts({ router: { strategy: 'cost' }, aliases, prices }), 'abab');
  });

  test('retries as often as the provider’s settings allow, and reports the cost', async () => {
    const broken: Transport = { send: () => Promise.reject(failing('network')), close: () => Promise.resolve() };
    for (const [maxRetries, retry, expected] of [
      [undefined, {}, 3],
      [4, {}, 5],
      [0, {}, 1],
      [4, false, 1],
    ] as const) {
      const events: CallEvent[] = [];
      const provider = { ...one, ...omitUndefined({ maxRetries }) };
      const options = {
        transport: broken,
        clock: new TestClock(),
        observer: (event: CallEvent) => void events.push(event),
      };
      await assert.rejects(createGateway({ providers: [provider], retry }, options).open(request, never));
      assert.equal(events.filter(({ type }) => type === 'attempt-start').length, expected);
    }
    const events: CallEvent[] = [];
    const options = { transport: new Wiretap(), observer: (event: CallEvent) => void events.push(event) };
    const priced = createGateway({ providers: [one], prices: { 'one/m': { input: 0, output: 4_500_000 } } }, options);
    for await (const _event of await priced.open(request, never)) continue;
    const end = events.at(-1);
    assert.ok(end?.type === 'call-end');
    assert.deepEqual([end.target, end.cost], ['one/m', 9]);
  });

  test('handles any number of made-up names', async () => {
    const transport = new Wiretap();
    const gateway = createGateway({ providers: [one] }, { transport });
    for (let count = 0; count < 1100; count++) await gateway.open({ ...request, model: `one/${count}` }, never);
    assert.equal(transport.sent.length, 1100);
  });
});

test('neither a response nor a failure waits for prices that cannot be loaded', async (context) => {
  context.mock.method(PriceBook.prototype, 'load', () => Promise.reject(new Error('too many open files')));
  const gateway = createGateway({ providers: [one] }, { transport: new Wiretap() });
  assert.equal((await gateway.open(request, never)).target, 'one');
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  context.after(() => process.off('unhandledRejection', note));
  await assert.rejects(gateway.open({ ...request, model: 'one/other' }, AbortSignal.abort(new Error('left'))), /left/);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(unhandled, []);
});
