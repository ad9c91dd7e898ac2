// The part of each key in the connections of a server.

import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { ConnectionShares } from './connection-shares.ts';

function create(context: TestContext, limit: number, owners: number) {
  const shares = new ConnectionShares(limit);
  const sockets: Socket[] = [];
  context.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const open = (): Socket => {
    const socket = new Socket();
    sockets.push(socket);
    return socket;
  };
  /** Opens connections until one is refused. */
  const fill = (owner: string, most = 1000): Socket[] => {
    const held: Socket[] = [];
    for (let socket = open(); held.length < most && shares.claim(socket, owner, owners); socket = open())
      held.push(socket);
    return held;
  };
  return { shares, open, fill };
}

describe('connections', () => {
  test('are all for a key that is alone', (context) => {
    const { fill } = create(context, 40, 1);
    assert.equal(fill('ann', 100).length, 100);
  });

  test('of one greedy key leave the others their part, and all parts are the limit', (context) => {
    for (const owners of [2, 3, 7, 20, 100]) {
      const { fill } = create(context, 40, owners);
      const own = Math.floor(40 / 2 / owners);
      const greedy = fill('greedy').length;
      assert.equal(greedy, 40 - owners * own + own);
      let all = greedy;
      for (let index = 1; index < owners; index++) {
        const { length } = fill(`polite ${index}`);
        assert.equal(length, own);
        all += length;
      }
      assert.ok(all <= 40);
    }
  });

  test('are free again when they are closed', async (context) => {
    const { shares, open, fill } = create(context, 8, 2);
    const [first] = fill('ann');
    assert.ok(!shares.claim(open(), 'ann', 2));
    await new Promise((resolve) => first?.once('close', resolve).destroy());
    assert.ok(shares.claim(open(), 'ann', 2));
    assert.ok(!shares.claim(open(), 'ann', 2));
  });

  test('belong to the key that used them last', (context) => {
    const { shares, open, fill } = create(context, 8, 2);
    const [first] = fill('ann');
    assert.ok(first && shares.claim(first, 'bob', 2));
    assert.ok(shares.claim(open(), 'ann', 2));
    // It has no room for this one any more.
    assert.ok(!shares.claim(first, 'ann', 2));
    assert.ok(!shares.has(first));
  });

  test('are refused to a key only beyond its part', (context) => {
    const { shares, open } = create(context, 1, 2);
    assert.ok(shares.claim(open(), 'ann', 2));
    assert.ok(!shares.claim(open(), 'bob', 2));
  });
});
