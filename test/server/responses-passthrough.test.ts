// What only a Responses upstream can do passes to it, with the ids of the gateway: background mode, cancellation,
// retrieval from another replica, deletion at the provider, and compaction.

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';

import * as openai from 'openai';

import { startBoth, startGateway, startSimulated } from '../support/gateway-server.ts';

const model = 'responses/simulated';
const signingKey = randomBytes(32);

test('a response in background mode is queued, then retrieved from the upstream', async (context) => {
  const { openai: client, upstream } = await startBoth(context);
  const queued = await client.responses.create({ model, input: 'Count to 3', background: true });
  assert.deepEqual([queued.status, queued.output], ['queued', []]);
  const finished = await client.responses.retrieve(queued.id);
  assert.deepEqual([finished.id, finished.status, finished.output_text], [queued.id, 'completed', '1, 2, 3']);
  assert.match(upstream.requests.at(-1)?.path ?? '', /^\/v1\/responses\/resp_\w+$/);
  const next = await client.responses.create({ model, input: 'And then?', previous_response_id: queued.id });
  assert.equal(next.previous_response_id, queued.id);
});

test('a response in background mode is cancelled at the upstream; a finished one is not', async (context) => {
  const { openai: client } = await startBoth(context);
  const { id } = await client.responses.create({ model, input: 'Count to 3', background: true });
  const cancelled = await client.responses.cancel(id);
  assert.deepEqual([cancelled.id, cancelled.status], [id, 'cancelled']);
  assert.equal((await client.responses.retrieve(id)).status, 'cancelled');
  const finished = await client.responses.create({ model, input: 'Hello' });
  await assert.rejects(client.responses.cancel(finished.id), { status: 400 });
});

test('another replica retrieves, lists and deletes a response at the upstream', async (context) => {
  const upstream = await startSimulated(context);
  const first = await startGateway(context, upstream.url, { signingKey });
  const { openai: other } = await startGateway(context, upstream.url, { signingKey });
  const { id } = await first.openai.responses.create({ model, input: 'Hello' });
  const next = await first.openai.responses.create({ model, input: 'Count to 2', previous_response_id: id });
  const retrieved = await other.responses.retrieve(next.id);
  assert.deepEqual([retrieved.id, retrieved.output], [next.id, next.output]);
  // The id of the response before it is one of ours, too.
  assert.match(retrieved.previous_response_id ?? '', /^resp_[\w-]{60,}$/);
  await other.responses.retrieve(retrieved.previous_response_id ?? '');
  const { data } = await other.responses.inputItems.list(next.id);
  assert.equal(data.length, 3);
  await other.responses.delete(next.id);
  assert.equal(upstream.requests.at(-1)?.method, 'DELETE');
  await assert.rejects(other.responses.retrieve(next.id), { status: 404 });
});

test('the stream of a response is continued at the upstream, with the ids of the gateway', async (context) => {
  const upstream = await startSimulated(context);
  const first = await startGateway(context, upstream.url, { signingKey });
  const other = await startGateway(context, upstream.url, { signingKey });
  const { id: before } = await first.openai.responses.create({ model, input: 'Hello' });
  const { id } = await first.openai.responses.create({ model, input: 'Count to 2', previous_response_id: before });
  for (const { openai: client } of [first, other]) {
    const events = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 1 }))
      events.push(event);
    assert.equal(events[0]?.sequence_number, 2);
    const last = events.at(-1);
    const response = last?.type === 'response.completed' ? last.response : assert.fail();
    assert.deepEqual([response.id, response.status], [id, 'completed']);
    await client.responses.retrieve(response.previous_response_id ?? '');
  }
});

test('deletes the copy of the gateway and that of the upstream', async (context) => {
  const { openai: client, upstream } = await startBoth(context);
  const { id } = await client.responses.create({ model, input: 'Hello' });
  await client.responses.delete(id);
  assert.equal(upstream.requests.at(-1)?.method, 'DELETE');
  await assert.rejects(client.responses.retrieve(id), { status: 404 });
});

test('the responses of another key stay hidden in background mode', async (context) => {
  const keys = ['first-key-0123456789', 'second-key-0123456789'];
  const gateway = await startBoth(context, undefined, { keys: keys.map((key) => hash('sha256', key)) });
  const [first, second] = keys.map(
    (apiKey) => new openai.OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
  ) as [openai.OpenAI, openai.OpenAI];
  const { id } = await first.responses.create({ model, input: 'Hello', background: true });
  const count = gateway.upstream.requests.length;
  for (const call of [second.responses.retrieve(id), second.responses.cancel(id), second.responses.delete(id)]) {
    await assert.rejects(call, { status: 404, message: /belongs to another key/ });
  }
  assert.equal(gateway.upstream.requests.length, count);
});

test('compacts a conversation at the upstream, by its items or by the id of a response', async (context) => {
  const { openai: client, upstream } = await startBoth(context);
  const compacted = await client.responses.compact({ model, input: 'Hello' });
  assert.deepEqual([compacted.object, compacted.output[0]?.type], ['response.compaction', 'compaction']);
  assert.deepEqual(upstream.requests.at(-1)?.body, { model: 'simulated', input: 'Hello' });
  const { id } = await client.responses.create({ model, input: 'Hello' });
  await client.responses.compact({ model, previous_response_id: id });
  const sent = JSON.stringify(upstream.requests.at(-1)?.body);
  assert.ok(/"previous_response_id":"resp_\w+"/.test(sent) && !sent.includes(id), sent);
});

test('compaction needs the name of a model', async (context) => {
  const { post } = await startBoth(context);
  const response = await post('/v1/responses/compact', { input: 'Hello' });
  const { error } = (await response.json()) as { error: { param: string } };
  assert.deepEqual([response.status, error.param], [400, 'model']);
});

test('background mode and compaction are refused by name elsewhere', async (context) => {
  const { openai: client } = await startBoth(context);
  for (const other of ['openai/simulated', 'anthropic/simulated']) {
    const queued = client.responses.create({ model: other, input: 'Hello', background: true });
    await assert.rejects(queued, { status: 400, param: 'background' });
    const compacted = client.responses.compact({ model: other, input: 'Hello' });
    await assert.rejects(compacted, { status: 400, param: 'compact' });
  }
});
