// The short form of the client, and that the parts which import nothing of Node are given what they need.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { createGateway as createPortableGateway } from './gateway/gateway.ts';
import { createGateway, SimpleAgentsClient } from './node.ts';

const request = { model: '', messages: [{ role: 'user', content: [{ type: 'text', text: 'Count to 3' }] }] } as const;
const never = new AbortController().signal;

test('the short form needs a provider and a key', async () => {
  const client = new SimpleAgentsClient('simulated', '');
  assert.equal((await client.complete([{ role: 'user', content: 'Count to 3' }], 'any-model')).text, '1, 2, 3');
  const { value } = await client.complete({ messages: 'A number', schema: z.object({ count: z.int() }) });
  assert.equal(typeof value.count, 'number');
  let streamed = '';
  for await (const event of client.stream('Count to 3')) if (event.type === 'text-delta') streamed += event.text;
  assert.equal(streamed, '1, 2, 3');
  await client.close();
});

test('a key that is refused says whose it is', async () => {
  const client = new SimpleAgentsClient('openai', '', { baseUrl: 'http://127.0.0.1:1/v1' });
  await assert.rejects(client.complete('Hello'), /OpenAI needs an API key: set OPENAI_API_KEY/);
});

test('a gateway has the simulated model only where it is handed in', async () => {
  const settings = { providers: [{ name: 'simulated', type: 'simulated' }] };
  const stream = await createGateway(settings).open(request, never);
  assert.equal(stream.target, 'simulated');
  await assert.rejects(createPortableGateway(settings).open(request, never), /the simulated model is not part of/);
});
