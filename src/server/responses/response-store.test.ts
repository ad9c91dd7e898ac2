// The store in memory: responses per owner, the time limit, the size limit and the lookup of items.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { JsonObject } from '../../core/json.ts';
import { MemoryResponseStore } from './response-store.ts';

function stored(id: string, text = 'Hi') {
  const output: JsonObject[] = [{ id: `msg_${id}`, type: 'message', content: text }];
  return { id, response: { id, output }, input: [] };
}

describe('the store in memory', () => {
  test('gives a response to its owner only', () => {
    const store = new MemoryResponseStore();
    store.of('ann').put(stored('resp_1'));
    assert.equal(store.of('ann').get('resp_1')?.response['id'], 'resp_1');
    assert.equal(store.of('bob').get('resp_1'), undefined);
    assert.equal(store.of('bob').findItem('msg_resp_1'), undefined);
    assert.equal(store.of('bob').delete('resp_1'), false);
    assert.equal(store.of('ann').findItem('msg_resp_1')?.['id'], 'msg_resp_1');
  });

  test('forgets a deleted response and its items', () => {
    const owned = new MemoryResponseStore().of('ann');
    owned.put(stored('resp_1'));
    assert.equal(owned.delete('resp_1'), true);
    assert.deepEqual(
      [owned.get('resp_1'), owned.findItem('msg_resp_1'), owned.delete('resp_1')],
      [undefined, undefined, false],
    );
  });

  test('forgets responses after an hour', () => {
    let now = 0;
    const owned = new MemoryResponseStore({ now: () => now }).of('ann');
    owned.put(stored('resp_1'));
    now = 3_599_000;
    assert.ok(owned.get('resp_1'));
    now = 3_601_000;
    assert.deepEqual([owned.get('resp_1'), owned.findItem('msg_resp_1')], [undefined, undefined]);
  });

  test('drops the oldest responses at its limit, and does not store one that is larger', () => {
    const owned = new MemoryResponseStore({ limit: 1000 }).of('ann');
    for (const number of [1, 2, 3]) owned.put(stored(`resp_${number}`, 'x'.repeat(300)));
    assert.equal(owned.get('resp_1'), undefined);
    assert.equal(owned.findItem('msg_resp_1'), undefined);
    assert.ok(owned.get('resp_3'));
    owned.put(stored('resp_4', 'x'.repeat(2000)));
    assert.equal(owned.get('resp_4'), undefined);
    assert.ok(owned.get('resp_3'));
  });

  test('takes room from the owner that holds the most', () => {
    const store = new MemoryResponseStore({ limit: 1000 });
    store.of('bob').put(stored('resp_of_bob', 'x'.repeat(200)));
    store.of('ann', 'connection').put(stored('resp_0', 'x'.repeat(300)));
    for (const number of [1, 2, 3]) store.of('ann').put(stored(`resp_${number}`, 'x'.repeat(300)));
    assert.ok(store.of('bob').findItem('msg_resp_of_bob'));
    assert.equal(store.of('ann', 'connection').get('resp_0'), undefined);
    assert.ok(store.of('ann').get('resp_3'));
  });

  test('keeps the parts of one owner apart', () => {
    const store = new MemoryResponseStore();
    store.of('ann', 'connection').put(stored('resp_1'));
    assert.equal(store.of('ann').get('resp_1'), undefined);
    assert.ok(store.of('ann', 'connection').findItem('msg_resp_1'));
    store.of('ann', 'connection').delete('resp_1');
    assert.equal(store.of('ann', 'connection').findItem('msg_resp_1'), undefined);
  });

  test('keeps the newer version of a response', () => {
    const owned = new MemoryResponseStore().of('ann');
    owned.put(stored('resp_1', 'old'));
    owned.put(stored('resp_1', 'new'));
    assert.equal(owned.findItem('msg_resp_1')?.['content'], 'new');
  });
});
