// How wrong keys are counted: by address, in a window of time, in bounded memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sourceOf, WrongKeyCounter } from './wrong-key-counter.ts';

test('each address is throttled separately, until its window ends', () => {
  let time = 0;
  const wrong = new WrongKeyCounter({ now: () => time, limit: 3, window: 1000 });
  const throttled = (address: string) => wrong.count(address).isThrottled;
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => throttled('192.0.2.1')),
    [false, false, false, true, true],
  );
  assert.equal(throttled('192.0.2.2'), false);
  time = 999;
  assert.deepEqual(wrong.count('192.0.2.1'), { count: 6, isThrottled: true, isNews: false, rest: 1 });
  time = 1000;
  assert.deepEqual(wrong.count('192.0.2.1'), { count: 1, isThrottled: false, isNews: true, rest: 1000 });
});

test('memory is bounded, and a flood of wrong keys is not logged line by line', () => {
  const wrong = new WrongKeyCounter({ mostAddresses: 100 });
  for (let index = 0; index < 10_000; index++) wrong.count(`192.0.${index >> 8}.${index & 255}`);
  assert.equal(wrong.size, 100);
  let news = 0;
  for (let index = 0; index < 100_000; index++) if (wrong.count('198.51.100.1').isNews) news++;
  assert.ok(news < 30, String(news));
});

test('an IPv6 /64 network is one source, and a mapped IPv4 address is the IPv4 address', () => {
  const sources: Readonly<Record<string, string>> = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:db8:1:2::9': '2001:db8:1:2::/64',
    '2001:db8::9': '2001:db8:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '::1': '0:0:0:0::/64',
    'unknown': 'unknown',
  };
  for (const [address, source] of Object.entries(sources)) assert.equal(sourceOf(address), source);
});
