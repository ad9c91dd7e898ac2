// The feed of the live view: who sees what, how much is kept, and that nothing is kept without a page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallEvent } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { mostSteps } from './live-call.ts';
import { liveLimits, type LiveMessage } from './live-channel.ts';
import { LiveFeed } from './live-feed.ts';

function createFeed() {
  let now = 0;
  const feed = new LiveFeed({ openStreams: () => 3, now: () => now });
  const messages: LiveMessage[] = [];
  let hasEnded = false;
  const join = (key?: string): (() => void) =>
    feed.join(
      key === undefined ? {} : { key },
      (message) => messages.push(message) > 0,
      () => (hasEnded = true),
    );
  return { feed, messages, join, pass: (time: number) => (now += time), hasEnded: () => hasEnded };
}

const target = 'openai/m';

function callEvents(call: string): CallEvent[] {
  return [
    { type: 'call-start', call, model: 'm', stream: true },
    { type: 'attempt-start', call, target, attempt: 1 },
    { type: 'attempt-end', call, target, attempt: 1, duration: 5, error: new SimpleAgentsError('overloaded', 'busy') },
    { type: 'attempt-start', call, target, attempt: 2 },
    { type: 'attempt-end', call, target, attempt: 2, duration: 5 },
    { type: 'first-token', call, target, duration: 20 },
    { type: 'call-end', call, outcome: 'complete', target, duration: 40, usage: { input: 3, output: 4 }, cost: 0.5 },
  ];
}

test('a page gets each second with its figures, and the calls with their steps', (context) => {
  const { feed, messages, join, pass } = createFeed();
  context.after(() => feed.close());
  join();
  for (const event of callEvents('a')) {
    feed.observe(event, undefined);
    pass(10);
  }
  feed.tick();
  const { ticks, calls } = messages.at(-1) ?? {};
  const { time: _time, ...tick } = ticks?.[0] ?? {};
  assert.deepEqual(tick, {
    calls: 1,
    failed: 0,
    cacheHits: 0,
    inputTokens: 3,
    outputTokens: 4,
    cost: 0.5,
    openCalls: 0,
    openStreams: 3,
    firstToken: [20],
    total: [40],
    targets: { [target]: { attempts: 2, failed: 1, latency: [20] } },
  });
  const [call] = calls ?? [];
  assert.equal(call?.outcome, 'complete');
  assert.deepEqual(
    call.steps.map(({ type, at, detail }) => [type, at, detail]),
    [
      ['call-start', 0, undefined],
      ['attempt-start', 10, undefined],
      ['attempt-end', 20, 'busy'],
      ['attempt-start', 30, undefined],
      ['attempt-end', 40, undefined],
      ['first-token', 50, undefined],
      ['call-end', 60, undefined],
    ],
  );
});

test('healing, which is reported after the end of a call, is a step of the call', (context) => {
  const { feed, messages, join } = createFeed();
  context.after(() => feed.close());
  join();
  for (const event of callEvents('a')) feed.observe(event, undefined);
  feed.observe({ type: 'answer-heal', call: 'a', kinds: ['unquoted-key'] }, undefined);
  feed.tick();
  const [call] = messages.at(-1)?.calls ?? [];
  assert.deepEqual(call?.steps.at(-1), { type: 'answer-heal', at: 0, detail: 'unquoted-key' });
  assert.equal(call.outcome, 'complete');
});

test('a key sees its own calls and no breakers; everything is seen without a key', (context) => {
  const { feed, messages, join } = createFeed();
  context.after(() => feed.close());
  feed.observe({ type: 'breaker-change', call: 'x', target, from: 'closed', to: 'open' }, 'other');
  join('mine');
  assert.equal(messages[0]?.breakers, undefined);
  for (const event of callEvents('a')) feed.observe(event, 'other');
  for (const event of callEvents('b')) feed.observe(event, 'mine');
  feed.tick();
  assert.deepEqual(
    messages.at(-1)?.calls?.map(({ id }) => id),
    ['b'],
  );
  assert.equal(messages.at(-1)?.ticks?.[0]?.calls, 1);
  messages.length = 0;
  join();
  assert.deepEqual(messages[0]?.breakers, { [target]: 'open' });
});

test('nothing is recorded without a page, and what was recorded is forgotten some minutes after the last', (context) => {
  const { feed, messages, join } = createFeed();
  context.after(() => feed.close());
  for (const event of callEvents('before')) feed.observe(event, undefined);
  const leave = join();
  assert.deepEqual(messages[0]?.calls, []);
  for (const event of callEvents('seen')) feed.observe(event, undefined);
  leave();
  feed.tick();
  join()();
  assert.equal(messages.at(-1)?.calls?.length, 1);
  for (let second = 0; second < 302; second++) feed.tick();
  join();
  assert.deepEqual(messages.at(-1)?.calls, []);
});

test('ten pages and an hour of many calls take bounded memory', (context) => {
  const { feed, messages, join } = createFeed();
  context.after(() => feed.close());
  for (let page = 0; page < 10; page++) join();
  messages.length = 0;
  for (let second = 0; second < 3600; second++) {
    for (let index = 0; index < 35; index++) {
      for (const event of callEvents(`${second} ${index}`)) feed.observe(event, undefined);
    }
    // Calls that never end.
    feed.observe({ type: 'call-start', call: `open ${second}`, model: 'm', stream: true }, undefined);
    for (const { calls = [], ticks = [] } of messages.splice(0)) {
      assert.ok(calls.length <= liveLimits.callsPerTick && ticks.length === 1);
    }
    feed.tick();
  }
  join();
  const history = messages.at(-1);
  assert.equal(history?.ticks?.length, liveLimits.ticks);
  assert.equal(history?.calls?.length, liveLimits.calls);
  assert.equal(history?.ticks?.at(-1)?.openCalls, liveLimits.openCalls);
});

test('a call with very many steps keeps the first', (context) => {
  const { feed, messages, join } = createFeed();
  context.after(() => feed.close());
  join();
  const [start, attempt, ...rest] = callEvents('a');
  for (const event of [start, ...Array.from({ length: 500 }, () => attempt), ...rest])
    if (event !== undefined) feed.observe(event, undefined);
  feed.tick();
  assert.equal(messages.at(-1)?.calls?.[0]?.steps.length, mostSteps);
  assert.equal(messages.at(-1)?.calls?.[0]?.outcome, 'complete');
});

test('closing ends the pages, and no page can join any more', () => {
  const { feed, join, hasEnded } = createFeed();
  join();
  feed.close();
  assert.ok(hasEnded());
  const late = createFeed();
  late.feed.close();
  late.join();
  assert.ok(late.hasEnded());
});
