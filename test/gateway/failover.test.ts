// The default time-outs, and how soon the gateway leaves a stalled target and returns to it, on a virtual clock and a
// scripted transport. The values are those in the documentation.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CallEvent } from '../../src/core/call.ts';
import type { SimpleAgentsError } from '../../src/core/error.ts';
import { text } from '../../src/core/message.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import type { Gateway, GatewaySettings } from '../../src/gateway/gateway.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../src/transport/transport.ts';
import { done, never, say, stop } from '../support/upstream.ts';
import { createGateway } from '../../src/node.ts';

type Behaviour = 'answer' | 'silence' | 'stall' | { readonly plainAfter: number };

const second = 1000;

class VirtualGateway {
  readonly behaviours = new Map<string, Behaviour>();
  readonly asked: string[] = [];
  readonly events: CallEvent[] = [];
  readonly gateway: Gateway;
  #now = 0;
  readonly #context: TestContext;

  constructor(context: TestContext, settings: Partial<GatewaySettings> = {}, targets = ['first', 'last']) {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    this.#context = context;
    const providers = targets.map((name) => {
      return { name, type: 'openai-compatible', model: 'm', baseUrl: `http://${name}/v1` };
    });
    const chains = [{ targets: targets.slice(1).map((name) => `${name}/m`) }];
    const observer = (event: CallEvent): void => void this.events.push(event);
    const options = { transport: this.#transport(), clock: this.#clock(), observer };
    this.gateway = createGateway({ providers, ...(targets.length > 1 ? { chains } : {}), ...settings }, options);
  }

  get now(): number {
    return this.#now;
  }

  async pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 500) {
      const step = Math.min(left, 500);
      this.#now += step;
      this.#context.mock.timers.tick(step);
      await settled();
    }
  }

  /** How the call ended, and after how long. */
  async call(request: Partial<ChatRequest> = {}): Promise<{ readonly result: string; readonly took: number }> {
    const start = this.#now;
    const results: string[] = [];
    void this.#read(request).then((result) => results.push(result));
    await settled();
    while (results.length === 0) await this.pass(500);
    return { result: results.join(), took: this.#now - start };
  }

  async #read(request: Partial<ChatRequest>): Promise<string> {
    const asked: ChatRequest = { model: '', messages: [{ role: 'user', content: [text('Go.')] }], ...request };
    try {
      const stream = await this.gateway.open(asked, never);
      for await (const _event of stream) continue;
      return stream.target;
    } catch (error) {
      return (error as SimpleAgentsError).code ?? (error as SimpleAgentsError).message;
    }
  }

  #clock(): Clock {
    return { now: () => this.#now, random: () => 0.5, sleep: (milliseconds) => sleep(milliseconds) };
  }

  #transport(): Transport {
    return { send: (request, signal) => this.#send(request, signal), close: () => Promise.resolve() };
  }

  async #send({ url }: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    const name = new URL(url).hostname;
    this.asked.push(name);
    const behaviour = this.behaviours.get(name) ?? 'answer';
    if (behaviour === 'silence') return ended(signal);
    if (typeof behaviour === 'object') {
      await Promise.race([ended(signal), sleep(behaviour.plainAfter)]);
      return { status: 200, headers: { 'content-type': 'application/json' }, body: bodyOf(plain) };
    }
    const body = behaviour === 'answer' ? bodyOf(say('Hello') + stop + done) : bodyOf(say('Hel'), signal);
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
  }
}

const plain = JSON.stringify({
  id: 'c',
  model: 'm',
  choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
});

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

/** With a signal, nothing follows until the abort. */
async function* bodyOf(content: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
  if (signal !== undefined) await ended(signal);
}

function ended(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => void setImmediate(resolve));
}

describe('a call that is not streamed', () => {
  test('may take ten minutes by default, and is made once', async (context) => {
    const clock = new VirtualGateway(context);
    clock.behaviours.set('first', { plainAfter: 590 * second });
    assert.deepEqual(await clock.call({ stream: false }), { result: 'first', took: 590 * second });
    assert.deepEqual(clock.asked, ['first']);
  });

  test('that takes longer fails, is not retried and does not fall back', async (context) => {
    const clock = new VirtualGateway(context);
    clock.behaviours.set('first', { plainAfter: 700 * second });
    assert.deepEqual(await clock.call({ stream: false }), { result: 'total-timeout', took: 600 * second });
    assert.deepEqual(clock.asked, ['first']);
  });

  test('has the configured time-out', async (context) => {
    const clock = new VirtualGateway(context, { timeouts: { plainTotal: 5 * second, firstToken: 5 * second } });
    clock.behaviours.set('first', { plainAfter: 700 * second });
    assert.deepEqual(await clock.call({ stream: false }), { result: 'total-timeout', took: 5 * second });
    assert.deepEqual(clock.asked, ['first']);
  });

  test('limits a probe of a stalled target to the first-token time-out', async (context) => {
    const clock = new VirtualGateway(context);
    clock.behaviours.set('first', 'silence');
    await clock.call();
    await clock.pass(second);
    assert.deepEqual(await clock.call({ stream: false }), { result: 'last', took: 20 * second });
  });
});

describe('silence before the first token', () => {
  const cases: readonly (readonly [
    what: string,
    settings: Partial<GatewaySettings>,
    request: Partial<ChatRequest>,
    seconds: number,
  ])[] = [
    ['20 s by default', {}, {}, 20],
    ['60 s with reasoning', {}, { reasoning: { effort: 'low' } }, 60],
    ['60 s with a budget of thinking tokens', {}, { reasoning: { budgetTokens: 2000 } }, 60],
    ['20 s with no reasoning', {}, { reasoning: { effort: 'none' } }, 20],
    ['what is configured, if longer', { timeouts: { firstToken: 45 * second } }, {}, 45],
    ['what is configured, if shorter', { timeouts: { firstToken: 4 * second } }, {}, 4],
    [
      'what is configured with reasoning',
      { timeouts: { firstToken: 4 * second } },
      { reasoning: { effort: 'low' } },
      4,
    ],
  ];
  for (const [what, settings, request, seconds] of cases) {
    test(`falls back to the next target after ${what}, without a retry`, async (context) => {
      const clock = new VirtualGateway(context, settings);
      clock.behaviours.set('first', 'silence');
      assert.deepEqual(await clock.call(request), { result: 'last', took: seconds * second });
      assert.deepEqual(clock.asked, ['first', 'last']);
    });
  }

  test('of the last target is an error after 120 s, and retried by the retry policy', async (context) => {
    const clock = new VirtualGateway(context, { retry: { maxAttempts: 2, jitter: false } });
    clock.behaviours.set('first', 'silence').set('last', 'silence');
    const { took } = await clock.call();
    assert.deepEqual(clock.asked, ['first', 'last', 'last']);
    assert.ok(took >= 260 * second && took <= 262 * second, `${took}`);
  });

  test('of a single target is an error after 120 s', async (context) => {
    const clock = new VirtualGateway(context, { retry: false }, ['only']);
    clock.behaviours.set('only', 'silence');
    assert.deepEqual(await clock.call(), { result: 'first-token-timeout', took: 120 * second });
  });

  test('of a single target does not block later calls', async (context) => {
    const clock = new VirtualGateway(context, { retry: false }, ['only']);
    clock.behaviours.set('only', 'silence');
    await clock.call();
    clock.behaviours.set('only', 'answer');
    assert.deepEqual(await clock.call(), { result: 'only', took: 0 });
  });
});

describe('silence between two parts of content', () => {
  const cases: readonly (readonly [what: string, targets: string[], request: Partial<ChatRequest>, seconds: number])[] =
    [
      ['30 s where there is another target', ['first', 'last'], {}, 30],
      ['60 s with reasoning', ['first', 'last'], { reasoning: { effort: 'high' } }, 60],
      ['90 s where there is none', ['first'], {}, 90],
    ];
  for (const [what, targets, request, seconds] of cases) {
    test(`is an error after ${what}`, async (context) => {
      const clock = new VirtualGateway(context, {}, targets);
      clock.behaviours.set('first', 'stall');
      assert.deepEqual(await clock.call(request), { result: 'idle-timeout', took: seconds * second });
    });
  }

  test('is continued by the next target if requested', async (context) => {
    const clock = new VirtualGateway(context, { router: { onCut: 'continue' } });
    clock.behaviours.set('first', 'stall');
    const { result, took } = await clock.call();
    assert.deepEqual([result, took], ['first', 30 * second]);
    assert.deepEqual(clock.asked, ['first', 'last']);
  });
});

describe('a target that stalled once', () => {
  for (const how of ['silence', 'stall'] as const) {
    test(`by ${how} is skipped, probed after 1 s, and used again when the probe succeeds`, async (context) => {
      const clock = new VirtualGateway(context);
      clock.behaviours.set('first', how);
      await clock.call();
      clock.behaviours.set('first', 'answer');
      assert.deepEqual(await clock.call(), { result: 'last', took: 0 });
      await clock.pass(0.5 * second);
      assert.deepEqual(await clock.call(), { result: 'last', took: 0 });
      await clock.pass(0.5 * second);
      assert.deepEqual(await clock.call(), { result: 'first', took: 0 });
      assert.deepEqual(await clock.call(), { result: 'first', took: 0 });
    });
  }

  test('is probed less and less often while it stays silent, and each probe falls back to the next target', async (context) => {
    const clock = new VirtualGateway(context);
    clock.behaviours.set('first', 'silence');
    await clock.call();
    const start = clock.now;
    const probes: { readonly at: number; readonly took: number }[] = [];
    while (clock.now < start + 300 * second) {
      const before = clock.asked.length;
      const at = clock.now - start;
      const { result, took } = await clock.call();
      assert.equal(result, 'last');
      if (clock.asked.slice(before).includes('first')) probes.push({ at: at / second, took: took / second });
      else assert.equal(took, 0);
      await clock.pass(500);
    }
    // Pauses of 1, 2, 4, 8, 16, 32, 60 and 60 s, each after a probe that took up to twice the pause before it.
    assert.deepEqual(
      probes.map(({ took }) => took),
      [2, 4, 8, 16, 20, 20, 20, 20],
    );
    assert.deepEqual(
      probes.map(({ at }) => Math.round(at)),
      [1, 5, 13, 29, 61, 113, 193, 273],
    );
  });
});
