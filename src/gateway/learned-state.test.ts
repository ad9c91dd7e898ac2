// What outlives a gateway that is replaced, and what must not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failing, TestWorld } from '../../test/support/policies.ts';
import { failsWith } from '../../test/support/fails-with.ts';
import { never, request } from '../../test/support/upstream.ts';
import type { Transport } from '../transport/transport.ts';
import { Experience } from './learned-state.ts';
import type { GatewaySettings } from './gateway.ts';
import { createGateway } from '../node.ts';

const target = { provider: { name: 'one', type: 'openai', baseUrl: 'http://a' }, model: 'm' };

describe('experience', () => {
  test('of a target is kept, but not for another address, model or breaker', () => {
    const experience = new Experience();
    const breaker = experience.breakerOf(target);
    assert.equal(experience.breakerOf(structuredClone(target)), breaker);
    const moved = { ...target, provider: { ...target.provider, baseUrl: 'http://b' } };
    for (const other of [moved, { ...target, model: 'n' }]) assert.notEqual(experience.breakerOf(other), breaker);
    assert.notEqual(experience.breakerOf(target, { minCalls: 3 }), breaker);
  });

  test('of strategies is kept by name, and answers as long as there is room for as much', () => {
    const experience = new Experience();
    const world = new TestWorld();
    const latency = experience.strategyOf('latency', world);
    assert.equal(experience.strategyOf('latency', world), latency);
    assert.notEqual(experience.strategyOf('cost', world), latency);
    const memory = experience.memoryOf(1000);
    assert.equal(experience.memoryOf(1000), memory);
    assert.notEqual(experience.memoryOf(2000), memory);
  });

  test('makes a new gateway leave alone what failed under the old one', async () => {
    const world = new TestWorld();
    const broken: Transport = { send: () => Promise.reject(failing('network')), close: () => Promise.resolve() };
    const settings: GatewaySettings = {
      providers: [{ name: 'one', type: 'openai', apiKey: 'k' }],
      breaker: { minCalls: 3 },
      retry: false,
    };
    const experience = new Experience();
    const asked = { ...request, model: 'one/m' };
    const before = createGateway(settings, { transport: broken, world, experience });
    for (let count = 0; count < 3; count++) await assert.rejects(before.open(asked, never), failsWith('network', /./));
    const after = createGateway({ ...settings, maxTokens: 9 }, { transport: broken, world, experience });
    await assert.rejects(after.open(asked, never), failsWith('overloaded', /circuit breaker/));
    const fresh = createGateway(settings, { transport: broken, world });
    await assert.rejects(fresh.open(asked, never), failsWith('network', /./));
  });
});
