// The cache in memory: limited in size and in time.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMemoryCache } from './memory-cache.ts';

const bytes = (length: number): Uint8Array => new Uint8Array(length);

describe('a cache in memory', () => {
  test('drops the least recently used entry when it is full', async () => {
    const cache = createMemoryCache({ maxBytes: 5000 });
    await cache.set('a', bytes(1500), 1000);
    await cache.set('b', bytes(1500), 1000);
    await cache.get('a');
    await cache.set('c', bytes(1500), 1000);
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(async (key) => (await cache.get(key))?.length)), [
      1500,
      undefined,
      1500,
    ]);
  });

  test('takes room from the caller with the most', async () => {
    const cache = createMemoryCache({ maxBytes: 6000 });
    await cache.set('of-bob', bytes(1000), 1000, 'bob');
    for (const key of ['a', 'b', 'c', 'd']) await cache.set(key, bytes(1500), 1000, 'ann');
    assert.deepEqual(
      await Promise.all(['of-bob', 'a', 'b', 'c', 'd'].map(async (key) => (await cache.get(key))?.length)),
      [1000, undefined, undefined, 1500, 1500],
    );
  });

  test('does not store an entry that is larger than the cache', async () => {
    const cache = createMemoryCache({ maxBytes: 5000 });
    await cache.set('a', bytes(100), 1000);
    await cache.set('b', bytes(6000), 1000);
    assert.equal((await cache.get('a'))?.length, 100);
    assert.equal(await cache.get('b'), undefined);
  });

  test('drops entries when they expire and when they are deleted', async () => {
    let now = 0;
    const cache = createMemoryCache({ now: () => now });
    await cache.set('a', bytes(1), 10);
    await cache.set('b', bytes(1), 20);
    await cache.set('c', bytes(1), 20);
    now = 11;
    await cache.delete('c');
    assert.equal(await cache.get('a'), undefined);
    assert.notEqual(await cache.get('b'), undefined);
    assert.equal(await cache.get('c'), undefined);
  });
});
