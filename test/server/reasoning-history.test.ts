// Reasoning in the history of a chat client: it returns to a server of the same format that may read it, and is left out
// for a vendor that rejects it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway, startSimulated } from '../support/gateway-server.ts';

test('reasoning of a chat client passes to a compatible server, not to OpenAI', async (context) => {
  const upstream = await startSimulated(context);
  const row = { apiKey: 'key', baseUrl: `${upstream.url}/v1` };
  const providers = ['openai-compatible', 'vllm', 'openai'].map((type) => ({ ...row, name: type, type }));
  const { post } = await startGateway(context, upstream.url, { gateway: { providers } });
  const messages = [
    { role: 'user', content: 'What is 2 + 2?' },
    { role: 'assistant', content: '4', reasoning_content: 'Two and two make four.' },
    { role: 'user', content: 'Hello' },
  ];
  const sent: unknown[] = [];
  for (const { type } of providers) {
    const response = await post('/v1/chat/completions', { model: `${type}/simulated`, messages });
    assert.equal(response.status, 200, await response.text());
    const { body } = upstream.requests.at(-1) as { readonly body: { readonly messages: readonly object[] } };
    sent.push((body.messages[1] as Record<string, unknown>)['reasoning_content']);
  }
  assert.deepEqual(sent, ['Two and two make four.', 'Two and two make four.', undefined]);
});
