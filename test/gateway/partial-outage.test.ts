// One model of a provider fails while its others work: only calls to the failing model are diverted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { ask, startGateway, startSimulated } from '../support/gateway-server.ts';

test('an outage of one model diverts its calls and does not affect the other models of the provider', async (context) => {
  const failing = { match: { model: 'large' }, fault: { status: 503 } };
  const first = await startSimulated(context, { script: { otherwise: 'reply', replies: [failing] } });
  const second = await startSimulated(context);
  const gateway = {
    providers: [
      { name: 'first', type: 'openai-compatible', apiKey: 'any', baseUrl: `${first.url}/v1` },
      { name: 'second', type: 'openai-compatible', apiKey: 'any', baseUrl: `${second.url}/v1` },
    ],
    aliases: { best: { targets: ['first/large', 'second/large'] } },
    retry: { initialBackoff: 1 },
    breaker: {},
  };
  // The time stands still, so that the breaker probes the failing model at no time.
  const served = await startGateway(context, '', { gateway, clock: { ...systemClock, now: () => 0 } });
  for (let call = 0; call < 10; call++) {
    const diverted = await served.post('/v1/chat/completions', ask('best', 'Hello'));
    assert.deepEqual([diverted.status, diverted.headers.get('x-simple-agents-target')], [200, 'second']);
    const other = await served.post('/v1/chat/completions', ask('first/small', 'Hello'));
    assert.deepEqual([other.status, other.headers.get('x-simple-agents-target')], [200, 'first']);
  }
  const models = first.requests.map(({ body }) => (body as { readonly model: string }).model);
  assert.equal(models.filter((model) => model === 'small').length, 10);
  // The first call retries as often as the retry policy allows; then the breaker rejects the others.
  assert.ok(models.filter((model) => model === 'large').length <= 4, models.join());
});
