// The cache in a real Redis that is shared by processes, frozen, killed, restarted and flapping during calls.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { CallEvent } from '../../src/core/call.ts';
import { text } from '../../src/core/message.ts';
import type { Provider } from '../../src/core/provider.ts';
import { withCache } from '../../src/node.ts';
import { createRedisCache, openRedisInventory, type RedisCache } from '../../src/gateway/cache/redis-cache.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { launcher } from '../support/cli-process.ts';
import { failsWith } from '../support/fails-with.ts';
import { startRedis, withoutRedis, type RedisServer } from '../support/redis-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventsOf, never } from '../support/upstream.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const folder = temporaryFolder();

/** The default here is longer than the product's 50 ms, for busy machines. */
function openCache(context: TestContext, { url }: RedisServer, timeout = 5000): RedisCache {
  const cache = createRedisCache({ url, timeout });
  context.after(() => cache.close());
  return cache;
}

interface Asked {
  readonly events: readonly string[];
  readonly milliseconds: number;
}

/** Calls a model behind the cache; returns what the cache did and how long the call took. */
function createAsker(cache: RedisCache) {
  const model = createSimulatedProvider();
  const provider: Provider = withCache(model, { cache, ttl: 60_000 });
  return async (question: string): Promise<Asked> => {
    const seen: CallEvent[] = [];
    const context = { id: 'c', observe: (event: CallEvent) => void seen.push(event) };
    const started = performance.now();
    const request = { model: 'm', messages: [{ role: 'user' as const, content: [text(question)] }] };
    const stream = await provider.open(request, never, context);
    const opened = performance.now() - started;
    const events = await eventsOf(stream);
    assert.equal(events.at(-1)?.type, 'message-end');
    return { events: seen.filter(({ type }) => type !== 'cache-store').map(({ type }) => type), milliseconds: opened };
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

describe('a cache in Redis', { skip: withoutRedis }, () => {
  test('stores, finds, replaces and removes any bytes', async (context) => {
    const cache = openCache(context, await startRedis(context));
    const bytes = Uint8Array.from({ length: 256 }, (_, value) => value);
    assert.equal(await cache.get('a'), undefined);
    await cache.set('a', bytes, 60_000);
    assert.deepEqual(Uint8Array.from((await cache.get('a')) ?? []), bytes);
    await cache.set('a', bytes.subarray(10, 20), 60_000);
    assert.deepEqual(Uint8Array.from((await cache.get('a')) ?? []), bytes.subarray(10, 20));
    await cache.delete('a');
    assert.equal(await cache.get('a'), undefined);
  });

  test('drops expired entries', async (context) => {
    const cache = openCache(context, await startRedis(context));
    await cache.set('a', new Uint8Array(1), 30);
    await until(async () => (await cache.get('a')) === undefined);
  });

  test('a frozen Redis delays one call by its time-out and later calls not at all, until it thaws', async (context) => {
    const timeout = 2000;
    const redis = await startRedis(context);
    const ask = createAsker(openCache(context, redis, timeout));
    assert.deepEqual((await ask('Hello')).events, ['cache-miss']);
    await until(async () => (await ask('Hello')).events[0] === 'cache-hit');
    redis.freeze();
    const first = await ask('Hello');
    assert.deepEqual(first.events, ['cache-failure']);
    // Long enough for several attempts in the background.
    const times: number[] = [];
    for (let time = 0; time < 25; time++) {
      const { events, milliseconds } = await ask('Hello');
      assert.deepEqual(events, ['cache-failure']);
      times.push(milliseconds);
      await setTimeout(100);
    }
    // Most, because on a busy machine the process itself may pause.
    assert.ok(median(times) < timeout, `${median(times)} ms`);
    redis.thaw();
    await until(async () => (await ask('Hello')).events[0] === 'cache-hit');
  });

  test('that is killed and restarts empty is used again', async (context) => {
    const redis = await startRedis(context);
    const ask = createAsker(openCache(context, redis));
    await until(async () => (await ask('Hello')).events[0] === 'cache-hit');
    await redis.kill();
    assert.deepEqual((await ask('Hello')).events, ['cache-failure']);
    await redis.start();
    // It restarted empty, so a hit was stored since. There may be no miss before, because the response of a call whose
    // lookup still failed may already be stored.
    await until(async () => (await ask('Hello')).events[0] === 'cache-hit');
    assert.deepEqual((await ask('Something else')).events, ['cache-miss']);
  });

  test('that flaps fails no call', async (context) => {
    const redis = await startRedis(context);
    const ask = createAsker(openCache(context, redis, 50));
    const over = new AbortController();
    const asking = Promise.all(
      [1, 2, 3].map(async (who) => {
        for (let count = 0; !over.signal.aborted; count++) {
          await ask(`Question ${who} ${count % 5}`);
          await setTimeout(5);
        }
      }),
    );
    for (let time = 0; time < 4; time++) {
      redis.freeze();
      await setTimeout(150);
      redis.thaw();
      await setTimeout(150);
      await redis.kill();
      await setTimeout(100);
      await redis.start();
      await setTimeout(150);
    }
    over.abort();
    await asking;
    await until(async () => (await ask('Question 1 1')).events[0] === 'cache-hit');
  });

  test('that is unreachable does not fail a call; an invalid URL is reported', async (context) => {
    const redis = await startRedis(context);
    await redis.kill();
    assert.deepEqual((await createAsker(openCache(context, redis))('Hello')).events, ['cache-failure']);
    const cache = createRedisCache({ url: 'http://user:secret@example.com' });
    await assert.rejects(cache.get('a'), (error: Error) => {
      assert.doesNotMatch(error.message, /secret/);
      return failsWith('configuration', /must be like redis:/)(error);
    });
  });

  test('lets the process end while Redis is frozen or gone, closed or not', async (context) => {
    const redis = await startRedis(context);
    const module = join(import.meta.dirname, '../../src/gateway/cache/redis-cache.ts');
    const program = `import { createRedisCache } from ${JSON.stringify(module)};
      const cache = createRedisCache({ url: ${JSON.stringify(redis.url)}, timeout: 1000 });
      console.log(await cache.get('a').catch((error) => error.kind));`;
    for (const end of ['', 'await cache.close();']) {
      redis.thaw();
      const argv = ['--input-type=module', '--eval', program + end];
      assert.equal((await run(process.execPath, argv, { timeout: 20_000 })).stdout, 'undefined\n');
      redis.freeze();
      assert.equal((await run(process.execPath, argv, { timeout: 20_000 })).stdout, 'timeout\n');
    }
  });
});

async function setUp(context: TestContext) {
  const redis = await startRedis(context);
  const config = join(folder.path, 'redis.toml');
  // The usual limit of 50 ms is for servers; on a busy machine a process that has just started needs more.
  await writeFile(config, '[cache]\nenabled = true\nbackend = "redis"\ntimeout = "1s"\n');
  const env = { PATH: process.env['PATH'], HOME: folder.path, REDIS_URL: redis.url };
  const cli = (...argv: readonly string[]) =>
    run(process.execPath, [launcher, ...argv, '--config', config], { cwd: folder.path, env, timeout: 30_000 });
  return { redis, cli };
}

describe('the commands', { skip: withoutRedis }, () => {
  test('complete finds in one process what another has stored', async (context) => {
    const { cli } = await setUp(context);
    const first = await cli('complete', 'Count to 5', '--stream');
    assert.doesNotMatch(first.stderr, /from the cache/);
    const second = await cli('complete', 'Count to 5', '--stream');
    assert.equal(second.stdout, first.stdout);
    assert.match(second.stderr, /note: the response comes from the cache, stored at \d{4}-/);
    for (const flag of [['--no-cache'], ['--cache', 'off'], ['--cache', 'refresh']]) {
      assert.doesNotMatch((await cli('complete', 'Count to 5', ...flag)).stderr, /from the cache/);
    }
  });

  test('cache counts, shows and removes stored responses, and nothing else', async (context) => {
    const { redis, cli } = await setUp(context);
    await cli('complete', 'Count to 3');
    assert.match((await cli('cache', 'stats')).stdout, /^1 response, \d+ B\nlook-ups in this Redis/);
    const listed = JSON.parse((await cli('cache', 'inspect', '--output', 'json')).stdout) as {
      keys: readonly { key: string }[];
    };
    const [{ key } = { key: '' }] = listed.keys;
    assert.match(key, /^[0-9a-f]{64}$/);
    const shown = (await cli('cache', 'inspect', key.slice(0, 8))).stdout;
    assert.match(shown, new RegExp(`^key +${key}\ntarget +simulated, model simulated, 6 in, 2 out\n`));
    assert.match(shown, /expires in \d+\.\d s\n\n1, 2, 3\n$/);
    await assert.rejects(cli('cache', 'inspect', 'no such key'), /no cached response with the key/);
    await redis.ask('SET somebody else');
    assert.equal((await cli('cache', 'clear')).stdout, '1 response removed\n');
    assert.equal((await cli('cache', 'stats', '--output', 'json')).stdout.includes('"entries": 0'), true);
    assert.equal((await cli('cache', 'inspect')).stdout, 'the cache is empty\n');
    assert.equal(await redis.ask('DBSIZE'), ':1');
  });

  test('cache reports that Redis does not respond', async (context) => {
    const redis = await startRedis(context);
    redis.freeze();
    const frozen = openRedisInventory(redis.url, 100);
    await assert.rejects(
      frozen.clear(),
      failsWith('network', /^Redis at 127.0.0.1:\d+ did not respond within 100 ms$/),
    );
    redis.thaw();
    await redis.kill();
    const killed = openRedisInventory(redis.url, 1000);
    await assert.rejects(
      killed.clear(),
      failsWith('network', /^Redis at 127.0.0.1:\d+ cannot be used: .*ECONNREFUSED/),
    );
  });
});
