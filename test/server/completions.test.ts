// `POST /v1/completions`: the official client's legacy API in front of both upstream wires.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startGateway, startSimulated, upstreamWires } from '../support/gateway-server.ts';

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe('/v1/completions', () => {
  for (const upstream of upstreamWires) {
    test(`answers with text, streamed or not, from ${upstream}`, async (context) => {
      const simulated = await startSimulated(context);
      const { openai, events } = await startGateway(context, simulated.url);
      const request = { model: `${upstream}/simulated`, prompt: 'Count to 5', max_tokens: 50 };
      const whole = await openai.completions.create(request);
      assert.equal(whole.object, 'text_completion');
      assert.match(whole.choices[0]?.text ?? '', /1.*5/s);
      assert.equal(whole.choices[0]?.finish_reason, 'stop');
      assert.ok((whole.usage?.completion_tokens ?? 0) > 0);
      const options = { stream: true, stream_options: { include_usage: true } } as const;
      const chunks = await collect(await openai.completions.create({ ...request, ...options }));
      assert.equal(chunks.map(({ choices }) => choices[0]?.text ?? '').join(''), whole.choices[0]?.text);
      assert.deepEqual(chunks.at(-1)?.usage?.total_tokens, whole.usage?.total_tokens);
      assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop');
      assert.equal(events.filter(({ type }) => type === 'call-end').length, 2);
    });
  }

  test('accepts a list of one prompt, values that change nothing, and fields of the chat wire', async (context) => {
    const simulated = await startSimulated(context);
    const { openai } = await startGateway(context, simulated.url);
    await openai.completions.create({
      model: 'openai/simulated',
      prompt: ['Hello'],
      n: 1,
      best_of: 1,
      echo: false,
      logprobs: null,
      suffix: null,
      presence_penalty: 0.5,
      stop: ['x'],
    });
    assert.deepEqual(simulated.requests[0]?.body, {
      model: 'simulated',
      messages: [{ role: 'user', content: 'Hello' }],
      presence_penalty: 0.5,
      stop: ['x'],
      stream: false,
    });
  });

  const wrong: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
    ['no prompt', { prompt: undefined }, 'prompt', /required/],
    ['an empty prompt', { prompt: '' }, 'prompt', /empty/],
    ['an empty list', { prompt: [] }, 'prompt', /must have a prompt/],
    ['two prompts', { prompt: ['a', 'b'] }, 'prompt', /there are 2/],
    ['tokens', { prompt: [1, 2] }, 'prompt', /no tokens/],
    ['lists of tokens', { prompt: [[1, 2]] }, 'prompt', /no tokens/],
    ['an object', { prompt: {} }, 'prompt', /string/],
    ['a lone surrogate', { prompt: '\uD800' }, 'prompt', /surrogate/],
    ['several choices', { n: 2 }, 'n', /no such field/],
    ['the best of several', { best_of: 3 }, 'best_of', /no such field/],
    ['echo', { echo: true }, 'echo', /no such field/],
    ['a suffix', { suffix: 'end' }, 'suffix', /no such field/],
    ['logprobs', { logprobs: 0 }, 'logprobs', /no such field/],
    ['messages', { messages: [] }, 'messages', /chat\/completions/],
    ['tools', { tools: [] }, 'tools', /chat\/completions/],
    ['a text as temperature', { temperature: 'hot' }, 'temperature', /number/],
  ];
  test('rejects what a chat cannot do with 400, naming the field', async (context) => {
    const simulated = await startSimulated(context);
    const { post } = await startGateway(context, simulated.url);
    for (const [name, fields, param, message] of wrong) {
      const response = await post('/v1/completions', { model: 'anthropic/simulated', prompt: 'a', ...fields });
      const { error } = (await response.json()) as { error: { param: string; message: string } };
      assert.deepEqual({ name, status: response.status, param: error.param }, { name, status: 400, param });
      assert.match(error.message, message, name);
    }
    assert.equal(simulated.requests.length, 0);
  });

  test('reports a cut stream as an error event', async (context) => {
    const simulated = await startSimulated(context);
    const headers = { 'x-simulate-cut-at': '700' };
    const providers = [{ name: 'openai', type: 'openai', apiKey: 'k', baseUrl: `${simulated.url}/v1`, headers }];
    const { openai } = await startGateway(context, simulated.url, { gateway: { providers } });
    const stream = await openai.completions.create({ model: 'openai/m', prompt: 'Count to 50', stream: true });
    await assert.rejects(collect(stream));
  });
});
