// `POST /v1/completions` in front of providers that have this API: requests, responses and errors pass unchanged, with
// retries, fallback and observation as for every call.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import type { GatewaySettings } from '../../src/gateway/gateway.ts';
import { startGateway } from '../support/gateway-server.ts';
import { readRequest, startHttpServer } from '../support/server.ts';

interface Received {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

const path = '/v1/completions';
const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, newer: 1 };
const logprobs = { tokens: ['a'], token_logprobs: [-0.5], top_logprobs: [{ a: -0.5 }], text_offset: [0] };
const choices = [
  { text: 'x = 1', index: 0, logprobs, finish_reason: 'stop', newer: [1] },
  { text: 'x = 2', index: 1, logprobs, finish_reason: 'length' },
];
const whole = JSON.stringify(
  { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'base', choices, usage },
  null,
  1,
);

function frame(data: object): string {
  return `data: ${JSON.stringify({ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'base', ...data })}\n\n`;
}

const usageFrame = frame({ choices: [], usage });
const textFrames =
  frame({ choices: [{ text: 'x = ', index: 0, logprobs, finish_reason: null }] }) +
  frame({ choices: [{ text: '1', index: 0, logprobs: null, finish_reason: 'stop' }], newer: true });
const streamed: Reply = { type: 'text/event-stream', body: `${textFrames}${usageFrame}data: [DONE]\n\n` };

async function start(
  context: TestContext,
  reply: (received: Received, number: number) => Reply,
  more: { readonly provider?: Partial<ProviderSettings>; readonly gateway?: Partial<GatewaySettings> } = {},
) {
  const received: Received[] = [];
  const upstream = await startHttpServer(context, (request, response) => {
    void readRequest(request).then((text) => {
      const call = { path: request.url ?? '', body: JSON.parse(text) as Record<string, unknown> };
      received.push(call);
      const { status = 200, type = 'application/json', body } = reply(call, received.length);
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  });
  const local = { name: 'local', type: 'vllm', baseUrl: `${upstream.origin}/v1`, ...more.provider };
  const providers: ProviderSettings[] = [
    local,
    { name: 'openai', type: 'openai', apiKey: 'k', baseUrl: `${upstream.origin}/v1` },
    { name: 'anthropic', type: 'anthropic', apiKey: 'k', baseUrl: upstream.origin },
  ];
  return { received, ...(await startGateway(context, upstream.origin, { gateway: { providers, ...more.gateway } })) };
}

const requests: Readonly<Record<string, object>> = {
  'one prompt': { prompt: 'def f():' },
  'fill in the middle': { prompt: 'def f():', suffix: 'return x', max_tokens: 9 },
  'several prompts': { prompt: ['a', 'b'], n: 2, best_of: 3 },
  'tokens': { prompt: [1, 2, 3] },
  'lists of tokens': { prompt: [[1, 2], [3]] },
  'log probabilities and echo': { prompt: 'a', logprobs: 5, echo: true, max_tokens: 0 },
  'an empty prompt': { prompt: '' },
  'every other field': {
    prompt: 'a',
    temperature: 0.2,
    top_p: 0.9,
    stop: ['\n'],
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    logit_bias: { '50256': -100 },
    user: 'u',
    newer: { kept: [1, null] },
  },
};

describe('a provider with the route', () => {
  for (const [name, request] of Object.entries(requests)) {
    test(`gets the request and gives its response unchanged: ${name}`, async (context) => {
      const { post, received, events } = await start(context, () => ({ body: whole }));
      const response = await post(path, { model: 'local/base', ...request });
      assert.equal(response.status, 200);
      assert.equal(await response.text(), whole);
      assert.deepEqual(received, [{ path, body: { ...request, model: 'base', stream: false } }]);
      const end = events.find((event) => event.type === 'call-end');
      assert.deepEqual([end?.outcome, end?.usage.output], ['complete', 2]);
    });
  }

  test('streams unchanged, with the usage only on request', async (context) => {
    const { post, received, events } = await start(context, () => streamed);
    const request = { model: 'local/base', prompt: 'a', suffix: 'b', logprobs: 1, stream: true };
    const framesOf = async (asked: object): Promise<string> =>
      (await (await post(path, asked)).text()).replaceAll(/^: .*\n\n/gm, '');
    assert.equal(await framesOf(request), `${textFrames}data: [DONE]\n\n`);
    assert.equal(await framesOf({ ...request, stream_options: { include_usage: true } }), streamed.body);
    assert.deepEqual(
      received.map(({ body }) => body['stream_options']),
      [{ include_usage: true }, { include_usage: true }],
    );
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'call-end' ? [event.usage.input] : [])),
      [5, 5],
    );
  });

  test('gives its errors unchanged', async (context) => {
    const error = { message: 'Too many logprobs.', type: 'invalid_request_error', param: 'logprobs', code: 'too_many' };
    const { post } = await start(context, () => ({ status: 400, body: JSON.stringify({ error }) }));
    const response = await post(path, { model: 'local/base', prompt: 'a', logprobs: 99 });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { error });
  });

  test('is called again after a failure, and then the next target', async (context) => {
    const gateway = {
      retry: { maxAttempts: 2, baseDelay: 1, maxDelay: 1 },
      aliases: { code: { targets: ['local/base', 'openai/gpt-3.5-turbo-instruct'] } },
    };
    const reply = (_: Received, number: number): Reply => (number < 3 ? { status: 503, body: '{}' } : { body: whole });
    const { post, received } = await start(context, reply, { gateway });
    const response = await post(path, { model: 'code', prompt: 'a', suffix: 'b' });
    assert.equal(await response.text(), whole);
    assert.equal(response.headers.get('x-simple-agents-target'), 'openai');
    assert.deepEqual(
      received.map(({ body }) => body['model']),
      ['base', 'base', 'gpt-3.5-turbo-instruct'],
    );
  });

  test('is preferred to a target that cannot express the request', async (context) => {
    const gateway = { aliases: { code: { targets: ['anthropic/claude', 'local/base'] } } };
    const { post, received } = await start(context, () => ({ body: whole }), { gateway });
    assert.equal((await post(path, { model: 'code', prompt: 'a', suffix: 'b' })).status, 200);
    assert.deepEqual(
      received.map((call) => call.path),
      [path],
    );
  });
});

const chatReply: Reply = {
  body: JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
};
const missing = JSON.stringify({
  error: { message: 'This is a chat model', type: 'invalid_request_error', code: null },
});

const chatOnly = ({ path: called }: Received): Reply => (called === path ? { status: 404, body: missing } : chatReply);

describe('a chat', () => {
  test('answers for a model that the vendor has only as a chat, without another call', async (context) => {
    const { post, received } = await start(context, chatOnly);
    const response = await post(path, { model: 'openai/gpt-5.4-mini', prompt: 'Hello' });
    assert.equal(((await response.json()) as { choices: { text: string }[] }).choices[0]?.text, 'Hi');
    assert.deepEqual(
      received.map((call) => call.path),
      ['/v1/chat/completions'],
    );
  });

  test('answers for a server without the route', async (context) => {
    const { post, received } = await start(context, chatOnly, { provider: { type: 'openai-compatible' } });
    const response = await post(path, { model: 'local/m', prompt: 'Hello' });
    assert.equal(response.status, 200);
    assert.deepEqual(
      received.map((call) => call.path),
      [path, '/v1/chat/completions'],
    );
  });

  test('cannot answer what it cannot express: the error is that of the route', async (context) => {
    const { post } = await start(context, chatOnly);
    const response = await post(path, { model: 'openai/gpt-5.4-mini', prompt: 'Hello', suffix: 'x' });
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), JSON.parse(missing));
  });
});
