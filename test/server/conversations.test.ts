// Conversations that a Responses upstream stores: clients get ids of the gateway, which carry the provider and the key.

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';

import * as openai from 'openai';

import { startBoth, startGateway, startSimulated } from '../support/gateway-server.ts';

const model = 'responses/simulated';
const signingKey = randomBytes(32);
const hello = { type: 'message' as const, role: 'user' as const, content: 'My name is Ada.' };

test('a conversation is created, changed, read and deleted at the upstream', async (context) => {
  const { openai: client, upstream } = await startBoth(context);
  const { id } = await client.conversations.create({ items: [hello], metadata: { topic: 'names' } });
  assert.match(id, /^conv_[\w-]{60,}$/);
  const read = await client.conversations.retrieve(id);
  assert.deepEqual([read.id, read.object, read.metadata], [id, 'conversation', { topic: 'names' }]);
  assert.equal((await client.conversations.update(id, { metadata: { topic: 'new' } })).id, id);
  const added = await client.conversations.items.create(id, { items: [{ ...hello, content: 'Hi' }] });
  const [item] = added.data;
  const { data } = await client.conversations.items.list(id);
  assert.deepEqual([data.length, data[0]?.id], [2, item?.id]);
  const itemId = item?.id ?? '';
  assert.equal((await client.conversations.items.retrieve(itemId, { conversation_id: id })).id, itemId);
  assert.equal((await client.conversations.items.delete(itemId, { conversation_id: id })).id, id);
  const deleted = await client.conversations.delete(id);
  assert.deepEqual([deleted.id, deleted.deleted], [id, true]);
  await assert.rejects(client.conversations.retrieve(id), { status: 404 });
  assert.ok(upstream.requests.every(({ path }) => !path.includes(id)));
});

test('responses continue a conversation, streamed and not, also at another replica', async (context) => {
  const upstream = await startSimulated(context);
  const cache = { enabled: true, ttl: 60_000 };
  const first = await startGateway(context, upstream.url, { signingKey, gateway: { cache } });
  const other = await startGateway(context, upstream.url, { signingKey });
  const { id } = await first.openai.conversations.create({ items: [hello] });
  const whole = await first.openai.responses.create({ model, conversation: id, input: 'What is my name?' });
  assert.deepEqual([whole.output_text, whole.conversation], ['Your name is Ada.', { id }]);
  const params = { model, conversation: { id }, input: 'What is my name?' };
  const streamed = await other.openai.responses.stream(params).finalResponse();
  assert.deepEqual([streamed.output_text, streamed.conversation], ['Your name is Ada.', { id }]);
  const retrieved = await other.openai.responses.retrieve(whole.id);
  await other.openai.conversations.retrieve(retrieved.conversation?.id ?? '');
  // The same request again is another turn, so it is not answered from the cache.
  await first.openai.responses.create({ model, conversation: id, input: 'What is my name?' });
  const { data } = await first.openai.conversations.items.list(id);
  assert.equal(data.length, 7);
});

test('a response that is healed has the id of the gateway, too', async (context) => {
  const { openai: client } = await startBoth(context);
  const { id } = await client.conversations.create({ items: [hello] });
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const text = { format: { type: 'json_schema' as const, name: 'a', schema } };
  for (const stream of [false, true]) {
    const body = { model, conversation: id, input: 'As JSON', text };
    const response = stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
    assert.deepEqual(response.conversation, { id });
  }
});

test('a conversation of another key, a forged id and other wires are refused', async (context) => {
  const keys = ['first-key-0123456789', 'second-key-0123456789'];
  const gateway = await startBoth(context, undefined, { keys: keys.map((key) => hash('sha256', key)) });
  const [first, second] = keys.map(
    (apiKey) => new openai.OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
  ) as [openai.OpenAI, openai.OpenAI];
  const { id } = await first.conversations.create();
  const response = await first.responses.create({ model, input: 'Hi' });
  const count = gateway.upstream.requests.length;
  await assert.rejects(second.conversations.retrieve(id), { status: 404, message: /belongs to another key/ });
  const create = (client: openai.OpenAI, more: object) => client.responses.create({ model, input: 'Hi', ...more });
  const refused = { status: 400, param: 'conversation' };
  await assert.rejects(create(second, { conversation: id }), { ...refused, message: /belongs to another key/ });
  for (const forged of [
    'conv_1',
    `${id}A`,
    id.replace('conv_', 'resp_'),
    response.id,
    response.id.replace('resp', 'conv'),
  ]) {
    await assert.rejects(first.conversations.retrieve(forged), { status: 404, message: /not created by this gateway/ });
    await assert.rejects(create(first, { conversation: forged }), refused);
  }
  await assert.rejects(create(first, { conversation: id, previous_response_id: response.id }), refused);
  assert.equal(gateway.upstream.requests.length, count);
  await assert.rejects(create(first, { conversation: id, model: 'anthropic/simulated' }), { status: 400 });
  assert.equal(gateway.upstream.requests.length, count);
  await assert.rejects(first.get(`/conversations/${id}/else`), { status: 404, message: /unknown route/ });
});

test('tokens are counted with the previous response, not with what only a provider has', async (context) => {
  const { openai: client, post } = await startBoth(context);
  const { id } = await client.responses.create({ model, input: 'Count to 100' });
  const count = async (more: object) => {
    const response = await post('/v1/responses/input_tokens', { model, input: 'Hi', ...more });
    return (await response.json()) as { input_tokens?: number; error?: { param: string } };
  };
  const { input_tokens: alone = 0 } = await count({});
  const { input_tokens: after = 0 } = await count({ previous_response_id: id });
  assert.ok(after > alone + 50, `${after} after ${alone}`);
  const unstored = await client.responses.create({ model, input: 'Hi', store: false });
  for (const previous of [unstored.id, 'resp_1']) {
    assert.equal((await count({ previous_response_id: previous })).error?.param, 'previous_response_id');
  }
  const { id: conversation } = await client.conversations.create();
  assert.equal((await count({ conversation })).error?.param, 'conversation');
});

test('without a provider of the Responses wire there are none', async (context) => {
  const upstream = await startSimulated(context);
  const providers = [{ name: 'chat', type: 'openai', apiKey: 'k', baseUrl: `${upstream.url}/v1` }];
  const { openai: client } = await startGateway(context, upstream.url, { gateway: { providers } });
  await assert.rejects(client.conversations.create(), { status: 404, message: /no configured provider/ });
});
