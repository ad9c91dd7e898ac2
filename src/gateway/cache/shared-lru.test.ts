// The share of each owner of a common store.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SharedLru } from './shared-lru.ts';

function create(limit: number) {
  let now = 0;
  const dropped: string[] = [];
  const store = new SharedLru<object>({ limit, now: () => now, onDrop: (_value, key) => dropped.push(key) });
  const set = (owner: string, key: string, size = 1, ttl = 1000): void =>
    store.set(key, { owner, value: {}, size, ttl });
  const kept = (...keys: string[]): string[] => keys.filter((key) => store.get(key) !== undefined);
  return { store, set, kept, dropped, pass: (time: number) => (now += time) };
}

describe('a store that owners share', () => {
  test('is used completely by an owner that is alone', () => {
    const { set, kept } = create(3);
    for (const key of ['a', 'b', 'c', 'd']) set('ann', key);
    assert.deepEqual(kept('a', 'b', 'c', 'd'), ['b', 'c', 'd']);
  });

  test('takes from the owner that holds the most', () => {
    const { set, kept, dropped } = create(10);
    set('bob', 'b1', 2);
    for (let index = 0; index < 100; index++) set('ann', `a${index}`, 3);
    assert.deepEqual(kept('b1', 'a97', 'a98', 'a99'), ['b1', 'a98', 'a99']);
    assert.equal(dropped.length, 98);
    for (const key of ['b2', 'b3', 'b4']) set('bob', key);
    assert.deepEqual(kept('b1', 'b2', 'b3', 'b4', 'a98', 'a99'), ['b1', 'b2', 'b3', 'b4', 'a99']);
  });

  test('never drops a value of an owner with less than an equal share', () => {
    const { store, set } = create(100);
    const owners = ['ann', 'bob', 'cid', 'dan', 'eve'];
    const most = 100 / (owners.length + 1);
    set('small', 's', Math.floor(most));
    for (let index = 0; index < 2000; index++) {
      set(owners[(index * 7) % owners.length] ?? '', `k${index}`, ((index * 13) % 30) + 1);
      assert.ok(store.get('s'), String(index));
    }
  });

  test('counts a value that is replaced, deleted or too large once or not at all', () => {
    const { store, set, kept } = create(10);
    for (let index = 0; index < 20; index++) set('ann', 'a', 6);
    set('bob', 'b', 4);
    assert.deepEqual(kept('a', 'b'), ['a', 'b']);
    assert.equal(store.delete('a'), true);
    assert.equal(store.delete('a'), false);
    set('bob', 'c', 6);
    set('bob', 'd', 11);
    assert.deepEqual(kept('a', 'b', 'c', 'd'), ['b', 'c']);
  });

  test('forgets values at the end of their time', () => {
    const { set, kept, pass } = create(10);
    set('ann', 'a', 1, 10);
    set('ann', 'b', 1, 20);
    pass(11);
    assert.deepEqual(kept('a', 'b'), ['b']);
  });
});
