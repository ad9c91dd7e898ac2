// Who may use how much of the memory for bodies.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { BodyMemory } from './body-memory.ts';

test('a single owner may use everything', () => {
  const memory = new BodyMemory(100);
  const shares = [memory.open('a'), memory.open('a')];
  assert.deepEqual(
    [...shares, memory.open('a')].map((share) => share.take(50)),
    [true, true, false],
  );
});

test('of several owners, one leaves room for another', () => {
  const memory = new BodyMemory(100);
  memory.isShared = true;
  const first = memory.open('greedy');
  assert.equal(first.take(10), true);
  const granted = Array.from({ length: 20 }, () => memory.open('greedy').take(10)).filter(Boolean).length;
  assert.equal(granted, 4);
  assert.equal(memory.hasRoom(10, 'greedy'), false);
  assert.equal(memory.hasRoom(20, 'polite'), true);
  assert.equal(memory.open('polite').take(20), true);
});

test('a request that is alone has room, whatever its size', () => {
  const memory = new BodyMemory(100);
  memory.isShared = true;
  const share = memory.open('a');
  assert.equal(share.take(90) && share.take(90), true);
  share.release();
  assert.equal(memory.used, 0);
});

test('whatever is taken is released once', () => {
  const step = fc.record({ owner: fc.nat(3), share: fc.nat(5), bytes: fc.nat(60), isRelease: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const memory = new BodyMemory(100);
      memory.isShared = true;
      const shares = Array.from({ length: 6 }, (_, index) => memory.open(String(index % 4)));
      for (const { share, bytes, isRelease } of steps) {
        if (isRelease) shares[share]?.release();
        else shares[share]?.take(bytes);
      }
      for (const share of shares) share.release();
      for (const share of shares) share.release();
      assert.equal(memory.used, 0);
      assert.equal(memory.open('0').take(50), true, 'an owner holds nothing any more');
    }),
  );
});
