// Log probabilities: the simulated model has them in OpenAI's two formats, and the gateway passes them on the same wire
// only.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Response } from 'openai/resources/responses/responses';

import { startBoth, startGateway } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { frame } from '../support/upstream.ts';

const body = {
  messages: [{ role: 'user' as const, content: 'Count to 5' }],
  logprobs: true,
  top_logprobs: 3,
};

test('log probabilities pass from a chat upstream to a chat client, plain and streamed', async (context) => {
  const { openai: client } = await startBoth(context);
  const model = 'openai/simulated';
  const whole = await client.chat.completions.create({ ...body, model });
  const entries = whole.choices[0]?.logprobs?.content ?? [];
  assert.equal(entries.map(({ token }) => token).join(''), '1, 2, 3, 4, 5');
  for (const { token, logprob, bytes, top_logprobs: top } of entries) {
    assert.deepEqual(Buffer.from(bytes ?? []).toString(), token);
    assert.deepEqual([top.length, top[0]?.token, top[0]?.logprob], [3, token, logprob]);
    const total = top.reduce((sum, other) => sum + Math.exp(other.logprob), 0);
    assert.ok(total > 0 && total <= 1, `${total}`);
  }
  const streamed = [];
  for await (const chunk of await client.chat.completions.create({ ...body, model, stream: true })) {
    streamed.push(...(chunk.choices[0]?.logprobs?.content ?? []));
  }
  assert.deepEqual(streamed, entries);
});

test('log probabilities are refused for upstreams of other wires', async (context) => {
  const { openai: client } = await startBoth(context);
  for (const model of ['anthropic/simulated', 'responses/simulated']) {
    await assert.rejects(client.chat.completions.create({ ...body, model }), { status: 400, param: 'logprobs' });
  }
});

const responsesBody = {
  input: 'Count to 5',
  include: ['message.output_text.logprobs' as const],
  top_logprobs: 2,
};

function entriesOf({ output }: Response) {
  return output.flatMap((item) =>
    item.type === 'message'
      ? item.content.flatMap((part) => (part.type === 'output_text' ? (part.logprobs ?? []) : []))
      : [],
  );
}

test('log probabilities pass from a Responses upstream to a Responses client, plain and streamed', async (context) => {
  const { openai: client } = await startBoth(context);
  const model = 'responses/simulated';
  const whole = await client.responses.create({ ...responsesBody, model });
  const entries = entriesOf(whole);
  assert.equal(entries.map(({ token }) => token).join(''), '1, 2, 3, 4, 5');
  assert.ok(entries.every(({ top_logprobs: top }) => top.length === 2));
  assert.deepEqual(entriesOf(await client.responses.retrieve(whole.id)), entries);
  const streamed = [];
  for await (const event of await client.responses.create({ ...responsesBody, model, stream: true })) {
    if (event.type === 'response.output_text.delta') streamed.push(...event.logprobs);
    else if (event.type === 'response.output_text.done') assert.deepEqual(event.logprobs, entries);
    else if (event.type === 'response.completed') assert.deepEqual(entriesOf(event.response), entries);
  }
  assert.deepEqual(streamed, entries);
});

test('log probabilities of a Responses client are refused for upstreams of other wires', async (context) => {
  const { openai: client } = await startBoth(context);
  for (const model of ['openai/simulated', 'anthropic/simulated']) {
    for (const stream of [false, true]) {
      const call = client.responses.create({ ...responsesBody, model, stream });
      await assert.rejects(Promise.resolve(call), { status: 400, param: 'include' });
    }
  }
});

test('an upstream that ignores the request for log probabilities is reported', async (context) => {
  const part = { type: 'output_text', text: 'Hi', annotations: [], logprobs: [] };
  const item = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] };
  const whole = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [item] };
  const frames = [
    frame('response.created', { response: { ...whole, status: 'in_progress', output: [] } }),
    frame('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    frame('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Hi', logprobs: [] }),
    frame('response.completed', { response: whole }),
  ];
  const { origin: url } = await startHttpServer(context, (request, response) => {
    request.resume();
    const isStream = request.headers.accept === 'text/event-stream';
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.end(isStream ? frames.join('') : JSON.stringify(whole));
  });
  const { openai: client } = await startGateway(context, url);
  for (const stream of [false, true]) {
    const call = client.responses.create({ ...responsesBody, model: 'responses/m', stream });
    await assert.rejects(Promise.resolve(call), { status: 400, param: 'include' });
  }
});

test('the model remembers a name over a chain of responses', async (context) => {
  const { openai: client } = await startBoth(context);
  for (const model of ['openai/simulated', 'anthropic/simulated', 'responses/simulated']) {
    const { id } = await client.responses.create({ model, input: 'My name is Ada. Remember it.' });
    const next = await client.responses.create({ model, input: 'What is my name?', previous_response_id: id });
    assert.equal(next.output_text, 'Your name is Ada.');
  }
});
