// Which credentials a connection may show again, and which open nothing.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';

import { KeyRing } from './key-ring.ts';

const digests = ['first', 'second'].map((key) => createHash('sha256').update(key).digest('hex'));

const refuses = (step: () => unknown): void => assert.match(String(step()), /^(wrong|missing)$/);

describe('what a connection has shown', () => {
  const shown = { authorization: 'Bearer first' };

  test('is taken again', () => {
    const [ring, connection] = [new KeyRing(digests), {}];
    for (let request = 0; request < 3; request += 1) {
      assert.deepEqual(ring.check(shown, connection), {
        name: `key-${digests[0]?.slice(0, 12)}`,
        hash: digests[0],
        scopes: ['call', 'metrics'],
      });
    }
  });

  test('opens nothing to other credentials that come the same way', () => {
    const [ring, connection] = [new KeyRing(digests), {}];
    ring.check(shown, connection);
    for (const authorization of ['Bearer firsT', 'Bearer firs', 'Bearer first1', 'Bearer', '', 'first']) {
      refuses(() => ring.check({ authorization }, connection));
    }
    refuses(() => ring.check({}, connection));
    refuses(() => ring.check({ 'x-api-key': 'Bearer first' }, connection));
    refuses(() => ring.check({ ...shown, 'x-api-key': 'third' }, connection));
    refuses(() => ring.check({ ...shown, 'x-api-key': 'second' }, connection));
    assert.equal(typeof ring.check({ ...shown, 'x-api-key': 'first' }, connection), 'object');
  });

  test('is not remembered when it was wrong', () => {
    const [ring, connection] = [new KeyRing(digests), {}];
    for (let request = 0; request < 2; request += 1) {
      refuses(() => ring.check({ authorization: 'Bearer third' }, connection));
    }
  });

  test('says nothing of another connection, nor to other keys', () => {
    const [ring, connection] = [new KeyRing(digests), {}];
    ring.check(shown, connection);
    refuses(() => ring.check({ authorization: 'Bearer third' }, {}));
    refuses(() => new KeyRing(digests.slice(1)).check(shown, connection));
  });
});
