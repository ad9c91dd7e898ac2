// The cost of the cache: computing keys, a hit, the CPU time added to each event of a stream, and the delay of a call
// while Redis does not respond. Compared with the same provider without a cache, in the same run. `--check` exits with 1
// if a bar is missed. The Redis part is skipped if redis-server is not installed.

import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { assemble } from '../src/core/assembler.ts';
import type { StreamEvent } from '../src/core/event.ts';
import { text } from '../src/core/message.ts';
import type { Provider } from '../src/core/provider.ts';
import type { ChatRequest } from '../src/core/request.ts';
import { cacheKeyOf } from '../src/gateway/cache/cache-key.ts';
import { withCache } from '../src/node.ts';
import { createMemoryCache } from '../src/gateway/cache/memory-cache.ts';
import { createRedisCache } from '../src/gateway/cache/redis-cache.ts';
import { bufferedStream } from '../src/providers/buffered-stream.ts';
import { startRedis, withoutRedis } from '../test/support/redis-server.ts';

const sha256 = (input: string): string => hash('sha256', input);

const never = new AbortController().signal;
const pieces = 10_000;
let isMissed = false;

function requestOf(question: string): ChatRequest {
  return { model: 'm', messages: [{ role: 'user', content: [text(question)] }] };
}

/** Responds immediately, in `count` deltas. */
function createModel(count: number): Provider {
  const events: StreamEvent[] = [
    { type: 'message-start', id: 'i', model: 'm' },
    ...Array.from({ length: count }, () => ({ type: 'text-delta' as const, index: 0, text: 'word ' })),
    { type: 'block-end', index: 0, block: text('word '.repeat(count)) },
    { type: 'message-end', stopReason: 'end', usage: { input: 1, output: count } },
  ];
  return { name: 'm', open: (_request, signal) => Promise.resolve(bufferedStream('m', events, { signal })) };
}

async function read(provider: Provider, request: ChatRequest): Promise<void> {
  const events: StreamEvent[] = [];
  for await (const event of await provider.open(request, never)) events.push(event);
  if (assemble(events).stopReason !== 'end') throw new Error('the response is incomplete');
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const sorted = (values: readonly number[]) => values.toSorted((left, right) => left - right);
const median = (values: readonly number[]) => sorted(values)[Math.floor(values.length / 2)] ?? Number.NaN;
const percentile99 = (values: readonly number[]) => sorted(values)[Math.floor(values.length * 0.99)] ?? Number.NaN;
const worst = (values: readonly number[]) => sorted(values).at(-1) ?? Number.NaN;

async function repeat(count: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < count; round++) values.push(await measure());
  return values;
}

function report(what: string, value: number, unit: string, bar?: number): void {
  const verdict = bar === undefined ? '' : `   bar ${bar} ${unit}: ${value <= bar ? 'met' : 'MISSED'}`;
  if (bar !== undefined && !(value <= bar)) isMissed = true;
  console.log(`${what.padEnd(52)}${value.toFixed(3).padStart(9)} ${unit}${verdict}`);
}

/** Computing the cache keys of long prompts. */
function measureKeys(): void {
  for (const [name, length] of [
    ['1 KB', 1024],
    ['100 KB', 100 * 1024],
    ['5 MB (an image)', 5 * 1024 * 1024],
  ] as const) {
    const request = requestOf('x'.repeat(length));
    const rounds = length > 1e6 ? 20 : 500;
    for (let round = 0; round < rounds; round++) cacheKeyOf(request, { identity: 'm' }, sha256);
    const started = performance.now();
    for (let round = 0; round < rounds; round++) cacheKeyOf(request, { identity: 'm' }, sha256);
    report(`key of a prompt of ${name}`, (performance.now() - started) / rounds, 'ms');
  }
}

async function measureHits(): Promise<void> {
  for (const words of [200, 4000]) {
    const provider = withCache(createModel(words), { cache: createMemoryCache(), ttl: 60_000 });
    const request = requestOf('Hello');
    await read(provider, request);
    await repeat(200, () => time(() => read(provider, { ...request })));
    const times = await repeat(500, () => time(() => read(provider, { ...request })));
    report(`hit in memory, a response of ${words} tokens, median`, median(times), 'ms', 1);
  }
}

/** CPU time per event of a stream that is shared and stored, compared with the same stream without a cache. */
async function measureStreams(): Promise<void> {
  const model = createModel(pieces);
  const discardingStore = { get: async () => undefined, set: async () => undefined, delete: async () => undefined };
  const cached = withCache(model, { cache: discardingStore, ttl: 1 });
  const cost = async (provider: Provider): Promise<number> => {
    const before = process.cpuUsage();
    for await (const event of await provider.open(requestOf('Hello'), never)) void event;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / pieces;
  };
  const [bare, stored]: [number[], number[]] = [[], []];
  for (let round = 0; round < 60; round++) {
    bare.push(await cost(model));
    stored.push(await cost(cached));
  }
  report('an event of a stream, bare', median(bare.slice(10)), 'µs');
  report('an event of a stream, shared and stored', median(stored.slice(10)), 'µs');
  report('difference', median(stored.slice(10)) - median(bare.slice(10)), 'µs', 0.5);
}

/** The stream is never read, so it gets its own signal: a shared one would accumulate listeners. */
function open(provider: Provider): Promise<number> {
  return time(() => provider.open(requestOf('Hello'), new AbortController().signal));
}

async function measureRedis(): Promise<void> {
  const endings: (() => unknown)[] = [];
  const redis = await startRedis({ after: (ending) => void endings.push(ending as () => unknown) });
  const cache = createRedisCache({ url: redis.url });
  const model = createModel(10);
  const provider = withCache(model, { cache, ttl: 60_000 });
  try {
    await read(provider, requestOf('Hello'));
    await provider.settled();
    await repeat(200, () => open(provider));
    report('hit in Redis, median', median(await repeat(500, () => open(provider))), 'ms');
    const bare = median(await repeat(500, () => open(model)));
    const recover = async (): Promise<void> => {
      while ((await cache.get('any').catch(() => null)) === null) await sleep(5);
    };
    const firsts = await repeat(5, async () => {
      redis.freeze();
      const first = await open(provider);
      redis.thaw();
      await recover();
      return first - bare;
    });
    report('frozen Redis: delay of the first call, median', median(firsts), 'ms', 60);
    report('frozen Redis: delay of the first call, maximum', worst(firsts), 'ms');
    redis.freeze();
    await open(provider);
    // Long enough for several reconnection attempts in the background, all of which fail.
    const deadline = performance.now() + 3500;
    const times: number[] = [];
    while (performance.now() < deadline) {
      times.push(await open(provider));
      await sleep(2);
    }
    report('frozen Redis: delay of later calls, median', median(times) - bare, 'ms', 1);
    report('frozen Redis: delay of later calls, 99th percentile', percentile99(times) - bare, 'ms', 1);
    report('frozen Redis: delay of later calls, maximum', worst(times) - bare, 'ms');
    redis.thaw();
    report('thawed Redis: used again after', await time(recover), 'ms');
  } finally {
    await cache.close();
    for (const end of endings) await end();
  }
}

measureKeys();
await measureHits();
await measureStreams();
if (withoutRedis === false) await measureRedis();
else console.log(withoutRedis);
if (isMissed && process.argv.includes('--check')) process.exitCode = 1;
