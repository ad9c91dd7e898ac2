// Log probabilities: the simulated model has them in OpenAI's chat format, and the gateway passes them on the same wire
// only.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startBoth } from '../support/gateway-server.ts';

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

test('the model remembers a name over a chain of responses', async (context) => {
  const { openai: client } = await startBoth(context);
  for (const model of ['openai/simulated', 'anthropic/simulated', 'responses/simulated']) {
    const { id } = await client.responses.create({ model, input: 'My name is Ada. Remember it.' });
    const next = await client.responses.create({ model, input: 'What is my name?', previous_response_id: id });
    assert.equal(next.output_text, 'Your name is Ada.');
  }
});
