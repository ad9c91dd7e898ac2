// CPU time that all policies together add to a call that is not streamed (bar: 25 µs) and to each event of a stream (bar:
// 0.5 µs), compared with the same provider called directly in the same run. The bytes come from memory. The gateway has
// an observer and an alias of three targets with the latency strategy: the most work possible without failures.
// `--check` exits with 1 if a bar is missed, `--rounds=N` sets the number of rounds.

import { parseArgs } from 'node:util';
import { text } from '../src/core/message.ts';
import type { Provider } from '../src/core/provider.ts';
import type { ChatRequest } from '../src/core/request.ts';
import type { Transport, TransportRequest } from '../src/transport/transport.ts';
import { createVendorProvider } from '../src/providers/vendor-provider.ts';
import { vendorNamed, type VendorRow } from '../src/providers/vendors.ts';
import { createGateway } from '../src/node.ts';

const eventCount = 10_000;
const bars = { call: 25, event: 0.5 };
const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, rounds: { type: 'string', default: '15' } },
});
const rounds = Number(values.rounds);
const never = new AbortController().signal;

const encoder = new TextEncoder();
const plainBody = [encoder.encode(JSON.stringify(plainResponse()))];
const streamBody = Array.from({ length: eventCount }, (_, ordinal) => encoder.encode(chunkOf(ordinal)));

/** Responds from memory, in the OpenAI wire. */
const transport: Transport = {
  send({ body }: TransportRequest) {
    const isStream = body?.includes('"stream":true') ?? false;
    const type = isStream ? 'text/event-stream' : 'application/json';
    return Promise.resolve({
      status: 200,
      headers: { 'content-type': type },
      body: from(isStream ? streamBody : plainBody),
    });
  },
  close: () => Promise.resolve(),
};

const common = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'any' };
const bare = createVendorProvider(vendorNamed('openai-compatible') as VendorRow, { ...common, name: 'p0', transport });
const price = { input: 1, output: 2, contextWindow: 128_000 };
let observed = 0;
const gateway = createGateway(
  {
    providers: ['p0', 'p1', 'p2'].map((name) => ({ name, type: 'openai-compatible', ...common })),
    aliases: { fast: { targets: ['p0/m', 'p1/m', 'p2/m'], strategy: 'latency' } },
    prices: Object.fromEntries(['p0/m', 'p1/m', 'p2/m'].map((target) => [target, price])),
  },
  { transport, observer: () => void observed++ },
);

const plain = await compare(
  { model: 'fast', messages: [{ role: 'user', content: [text('Hi')] }], stream: false },
  2000,
);
const stream = await compare({ model: 'fast', messages: [{ role: 'user', content: [text('Hi')] }] }, 4);
const perEvent = {
  bare: stream.bare / eventCount,
  routed: stream.routed / eventCount,
  added: stream.added / eventCount,
};

const results = [
  report('a call that is not streamed', plain, bars.call),
  report(`an event of a stream of ${eventCount.toLocaleString('en')}`, perEvent, bars.event),
];
if (observed === 0) throw new Error('the observer got no events');
if (values.check && results.includes(false)) process.exitCode = 1;

interface Cost {
  readonly bare: number;
  readonly routed: number;
  readonly added: number;
}

/** Microseconds per call: medians over rounds in which the two providers alternate. */
async function compare(request: ChatRequest, calls: number): Promise<Cost> {
  const samples = { bare: [] as number[], routed: [] as number[] };
  for (let round = -3; round < rounds; round++) {
    const [direct, routed] = [await cpuOf(bare, request, calls), await cpuOf(gateway, request, calls)];
    if (round < 0) continue;
    samples.bare.push(direct);
    samples.routed.push(routed);
  }
  const differences = samples.routed.map((value, ordinal) => value - (samples.bare[ordinal] ?? 0));
  return { bare: median(samples.bare), routed: median(samples.routed), added: median(differences) };
}

async function cpuOf(provider: Provider, request: ChatRequest, calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call++) {
    let ended = 0;
    for await (const event of await provider.open(request, never)) if (event.type === 'message-end') ended++;
    if (ended !== 1) throw new Error(`the response of ${provider.name} is incomplete`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

function report(what: string, { bare: direct, routed, added }: Cost, bar: number): boolean {
  const isMet = added <= bar;
  console.log(
    `${isMet ? 'PASS' : 'FAIL'}: ${what}: ${direct.toFixed(2)} µs directly, ${routed.toFixed(2)} µs through all policies; ` +
      `added ${added.toFixed(2)} µs, bar ${bar} µs`,
  );
  return isMet;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function from(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      let next = 0;
      return {
        next: () => {
          const value = chunks[next++];
          return Promise.resolve(value === undefined ? { done: true, value: undefined } : { done: false, value });
        },
      };
    },
  };
}

function plainResponse(): object {
  const choices = [{ message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' }];
  return { id: 'c1', model: 'm', choices, usage: { prompt_tokens: 3, completion_tokens: 2 } };
}

function chunkOf(ordinal: number): string {
  const isLast = ordinal === eventCount - 1;
  const choice = { index: 0, delta: isLast ? {} : { content: 'word ' }, finish_reason: isLast ? 'stop' : null };
  return `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [choice] })}\n\n${isLast ? 'data: [DONE]\n\n' : ''}`;
}
