// What survives the replacement of a gateway, and what must not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failing, TestClock } from '../../test/support/policies.ts';
import { failsWith } from '../../test/support/fails-with.ts';
import { never, request } from '../../test/support/upstream.ts';
import type { Transport } from '../transport/transport.ts';
import { LearnedState } from './learned-state.ts';
import type { GatewaySettings } from './gateway.ts';
import { createGateway } from '../node.ts';

const target = { provider: { name: 'one', type: 'openai', baseUrl: 'http://a' }, model: 'm' };

describe('learned state', () => {
  test('of a target is kept, but not for another address, model or breaker', () => {
    const learnedState = new LearnedState();
    const breaker = learnedState.breakerOf(target);
    assert.equal(learnedState.breakerOf(structuredClone(target)), breaker);
    const moved = { ...target, provider: { ...target.provider, baseUrl: 'http://b' } };
    for (const other of [moved, { ...target, model: 'n' }]) assert.notEqual(learnedState.breakerOf(other), breaker);
    assert.notEqual(learnedState.breakerOf(target, { minCalls: 3 }), breaker);
  });

  test('of strategies is kept by name, and cached responses while the cache size is unchanged', () => {
    const learnedState = new LearnedState();
    const clock = new TestClock();
    const latency = learnedState.strategyOf('latency', clock);
    assert.equal(learnedState.strategyOf('latency', clock), latency);
    assert.notEqual(learnedState.strategyOf('cost', clock), latency);
    const memory = learnedState.memoryCacheOf(1000);
    assert.equal(learnedState.memoryCacheOf(1000), memory);
    assert.notEqual(learnedState.memoryCacheOf(2000), memory);
  });

  test('keeps a new gateway from calling a target that failed under the old one', async () => {
    const clock = new TestClock();
    const broken: Transport = { send: () => Promise.reject(failing('network')), close: () => Promise.resolve() };
    const settings: GatewaySettings = {
      providers: [{ name: 'one', type: 'openai', apiKey: 'k' }],
      breaker: { minCalls: 3 },
      retry: false,
    };
    const learnedState = new LearnedState();
    const asked = { ...request, model: 'one/m' };
    const before = createGateway(settings, { transport: broken, clock, learnedState });
    for (let count = 0; count < 3; count++) await assert.rejects(before.open(asked, never), failsWith('network', /./));
    const after = createGateway({ ...settings, maxTokens: 9 }, { transport: broken, clock, learnedState });
    await assert.rejects(after.open(asked, never), failsWith('overloaded', /circuit breaker/));
    const fresh = createGateway(settings, { transport: broken, clock });
    await assert.rejects(fresh.open(asked, never), failsWith('network', /./));
  });
});
