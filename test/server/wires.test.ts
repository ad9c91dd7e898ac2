// Both client wires with both upstream wires, and the official SDKs as clients: what they read through the gateway is
// what the model sent, streamed and plain.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import * as anthropic from '@anthropic-ai/sdk';
import * as openai from 'openai';

import { parseScript } from '../../src/testing/model/script.ts';
import { ask, startBoth, allUpstreamWires, type TestGateway } from '../support/gateway-server.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const time = { type: 'object', properties: { zone: { type: 'string' } } } as const;
const twoCalls = parseScript({
  otherwise: 'reply',
  replies: [
    {
      match: { contains: 'tools' },
      interleave: true,
      text: 'Looking.',
      toolCalls: [
        { name: 'get_weather', id: 'call_1', input: { city: 'Paris, the capital of France' } },
        { name: 'get_time', id: 'call_2', input: { zone: 'Europe/Paris, also called CET' } },
      ],
    },
    { match: { contains: 'cached' }, text: 'ok', usage: { input: 10, output: 5, cacheRead: 90, cacheWrite: 7 } },
  ],
});
const inputs = [{ city: 'Paris, the capital of France' }, { zone: 'Europe/Paris, also called CET' }];

type Chat = openai.OpenAI.ChatCompletionMessageParam[];
const say = (content: string): Chat => [{ role: 'user', content }];

const openaiTools: openai.OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'get_weather', parameters: weather } },
  { type: 'function', function: { name: 'get_time', parameters: time } },
];
const anthropicTools: anthropic.Anthropic.Tool[] = [
  { name: 'get_weather', input_schema: { ...weather, required: ['city'] } },
  { name: 'get_time', input_schema: time },
];

const start = (context: TestContext) => startBoth(context, twoCalls);

for (const wire of allUpstreamWires) {
  const model = `${wire}/simulated`;

  describe(`an OpenAI client, an upstream of ${wire}`, () => {
    test('gets a response and its usage', async (context) => {
      const gateway = await start(context);
      const {
        data,
        response,
        request_id: id,
      } = await gateway.openai.chat.completions.create({ model, messages: say('Count to 5') }).withResponse();
      assert.equal(data.choices[0]?.message.content, '1, 2, 3, 4, 5');
      assert.equal(data.choices[0]?.finish_reason, 'stop');
      assert.equal(data.usage?.completion_tokens, 4);
      assert.match(id ?? '', /^req_/);
      assert.equal(response.headers.get('x-simple-agents-target'), wire);
      assert.match(response.headers.get('x-simple-agents-upstream-request-id') ?? '', /^req_simulated_/);
    });

    test('gets a stream, with usage only on request', async (context) => {
      const gateway = await start(context);
      for (const include of [false, true]) {
        const stream = await gateway.openai.chat.completions.create({
          model,
          messages: say('Count to 5'),
          stream: true,
          ...(include ? { stream_options: { include_usage: true } } : {}),
        });
        let words = '';
        let usage: openai.OpenAI.CompletionUsage | null | undefined;
        for await (const chunk of stream) {
          words += chunk.choices[0]?.delta.content ?? '';
          if (chunk.choices.length === 0) usage = chunk.usage;
        }
        assert.deepEqual([words, usage?.completion_tokens], ['1, 2, 3, 4, 5', include ? 4 : undefined]);
      }
    });

    test('gets several tool calls at once, plain and streamed', async (context) => {
      const gateway = await start(context);
      const body = { model, messages: say('use your tools'), tools: openaiTools };
      const whole = await gateway.openai.chat.completions.create(body);
      const streamed = await gateway.openai.chat.completions.stream(body).finalChatCompletion();
      for (const { choices } of [whole, streamed]) {
        const calls = choices[0]?.message.tool_calls ?? [];
        assert.equal(choices[0]?.finish_reason, 'tool_calls');
        assert.deepEqual(
          calls.map((call) => call.type === 'function' && (JSON.parse(call.function.arguments) as unknown)),
          inputs,
        );
      }
    });

    test('sends images and tool results', async (context) => {
      const gateway = await start(context);
      const messages: Chat = [
        { role: 'system', content: 'Be kind.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ];
      await gateway.openai.chat.completions.create({ model, messages, tools: openaiTools });
      const sent = JSON.stringify(gateway.upstream.requests.at(-1)?.body);
      for (const part of [pixel, 'Be kind.', 'Rome', 'sunny']) assert.ok(sent.includes(part), part);
    });

    test('gets the error of the upstream, in its own wire', async (context) => {
      const gateway = await start(context);
      const call = (body: unknown) => gateway.openai.chat.completions.create(body as never);
      await assertRefusals(gateway, call, { sdk: openai, isSame: wire === 'openai' });
    });
  });

  describe(`an Anthropic client, an upstream of ${wire}`, () => {
    const basic = { model, max_tokens: 500 };

    test('gets a response and its usage', async (context) => {
      const gateway = await start(context);
      const { data, request_id: id } = await gateway.anthropic.messages
        .create({ ...basic, messages: [{ role: 'user', content: 'Count to 5' }] })
        .withResponse();
      assert.deepEqual(
        data.content.map((block) => block.type === 'text' && block.text),
        ['1, 2, 3, 4, 5'],
      );
      assert.deepEqual([data.stop_reason, data.usage.output_tokens], ['end_turn', 4]);
      assert.match(id ?? '', /^req_/);
    });

    test('gets a stream, and usage with the prompt cache', async (context) => {
      const gateway = await start(context);
      const stream = gateway.anthropic.messages.stream({ ...basic, messages: [{ role: 'user', content: 'cached' }] });
      const message = await stream.finalMessage();
      assert.deepEqual(
        message.content.map((block) => block.type === 'text' && block.text),
        ['ok'],
      );
      const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read } = message.usage;
      // Google's wire counts tokens that were written to the cache as input.
      assert.deepEqual([input, output, read], wire === 'google' ? [17, 5, 90] : [10, 5, 90]);
    });

    test('gets several tool calls at once, plain and streamed', async (context) => {
      const gateway = await start(context);
      const body = {
        ...basic,
        messages: [{ role: 'user' as const, content: 'use your tools' }],
        tools: anthropicTools,
      };
      const whole = await gateway.anthropic.messages.create(body);
      const streamed = await gateway.anthropic.messages.stream(body).finalMessage();
      for (const { content, stop_reason: reason } of [whole, streamed]) {
        assert.equal(reason, 'tool_use');
        const calls = content.filter((block) => block.type === 'tool_use');
        assert.deepEqual(
          calls.map(({ input }) => input),
          inputs,
        );
      }
    });

    test('sends images and tool results', async (context) => {
      const gateway = await start(context);
      await gateway.anthropic.messages.create({
        ...basic,
        system: 'Be kind.',
        tools: anthropicTools,
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }],
          },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Rome' } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' }] },
        ],
      });
      const sent = JSON.stringify(gateway.upstream.requests.at(-1)?.body);
      for (const part of [pixel, 'Be kind.', 'Rome', 'sunny']) assert.ok(sent.includes(part), part);
    });

    // The bytes of an upstream of the same wire pass as they are.
    const isTranslated = wire !== 'anthropic';
    test('gets the counts of the prompt at both ends of a stream', { skip: !isTranslated }, async (context) => {
      const gateway = await start(context);
      const messages = [{ role: 'user', content: 'Count to 5 '.repeat(50) }] as const;
      const stream = gateway.anthropic.messages.stream({ ...basic, messages: [...messages] });
      const usages: Record<string, unknown>[] = [];
      stream.on('streamEvent', (event) => {
        if (event.type === 'message_start') usages.push({ ...event.message.usage });
        if (event.type === 'message_delta') usages.push({ ...event.usage });
      });
      await stream.finalMessage();
      assert.equal(usages.length, 2);
      for (const usage of usages) {
        assert.ok(Number(usage['input_tokens']) > 100, JSON.stringify(usages));
        assert.deepEqual([usage['cache_read_input_tokens'], usage['cache_creation_input_tokens']], [0, 0]);
      }
    });

    test('gets the error of the upstream, in its own wire', async (context) => {
      const gateway = await start(context);
      const call = (body: unknown) => gateway.anthropic.messages.create(body as never);
      await assertRefusals(gateway, call, { sdk: anthropic, isSame: wire === 'anthropic' });
    });
  });

  async function assertRefusals(
    { upstream }: { upstream: { playScript: (script: ReturnType<typeof parseScript>) => void } },
    create: (body: unknown) => Promise<unknown>,
    { sdk, isSame }: { sdk: Pick<typeof openai | typeof anthropic, 'APIError'>; isSame: boolean },
  ): Promise<void> {
    const statuses = { 400: 400, 401: 401, 404: 404, 429: 429, 500: 502, 529: 503 };
    for (const [status, told] of Object.entries(statuses)) {
      const fault = { status: Number(status), retryAfter: '7', message: 'as told' };
      upstream.playScript(parseScript({ replies: [{ times: 9, fault }] }));
      for (const stream of [false, true]) {
        await assert.rejects(create(ask(model, 'hello', { stream })), (error: unknown) => {
          assert.ok(error instanceof sdk.APIError);
          // An error of the same wire keeps its status.
          assert.equal(error.status, isSame ? Number(status) : told);
          assert.match(error.message, /as told/);
          if (status === '429') assert.equal((error.headers as Headers).get('retry-after'), '7');
          return true;
        });
      }
    }
  }
}

describe('an invalid request', () => {
  test('is rejected in its own wire, naming the field', async (context) => {
    const gateway = await startBoth(context);
    const cases: [path: string, body: object, message: RegExp][] = [
      ['/v1/chat/completions', {}, /messages: required field is missing/],
      ['/v1/chat/completions', { model: 'openai/x', messages: 'hi' }, /messages: must be an array/],
      ['/v1/messages', { model: 'openai/x', messages: [] }, /max_tokens: required field is missing/],
      ['/v1/chat/completions', ask('nobody-knows-it', 'hi'), /no provider serves the model "nobody-knows-it"/],
    ];
    for (const [path, body, message] of cases) {
      const response = await gateway.post(path, body);
      const told = (await response.json()) as { type?: string; error: { message: string } };
      assert.ok(response.status === 400 || response.status === 404);
      assert.match(told.error.message, message);
      assert.equal(told.type, path === '/v1/messages' ? 'error' : undefined);
    }
    assert.equal(gateway.upstream.requests.length, 0);
  });

  test('to an unknown route, or with a wrong method', async (context) => {
    const gateway = await startBoth(context);
    const unknown = await fetch(`${gateway.url}/v1/chat/completion`);
    assert.equal(unknown.status, 404);
    assert.match(await unknown.text(), /did you mean \\"\/v1\/chat\/completions\\"/);
    const method = await fetch(`${gateway.url}/v1/messages`);
    assert.deepEqual([method.status, method.headers.get('allow')], [405, 'POST']);
    const versioned = await fetch(`${gateway.url}/nowhere`, { headers: { 'anthropic-version': '2023-06-01' } });
    assert.match(await versioned.text(), /^\{"type":"error","error":\{"type":"not_found_error"/);
  });

  test('for several choices where only one is possible', async (context) => {
    const gateway = await startBoth(context);
    const refused = await gateway.post('/v1/chat/completions', ask('anthropic/m', 'hi', { n: 2 }));
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /n: this model returns one choice per call/);
    assert.equal(gateway.upstream.requests.length, 0);
  });
});

const models = () => [{ id: 'fast', provider: 'openai', contextWindow: 1000, price: { input: 1, output: 2 } }];

describe('the other routes', () => {
  test('models, in the wire of the client', async (context) => {
    const gateway: TestGateway = await startBoth(context, undefined, { models });
    const list = await gateway.openai.models.list();
    assert.deepEqual(
      list.data.map(({ id, owned_by: owner }) => [id, owner]),
      [['fast', 'openai']],
    );
    assert.equal((await gateway.openai.models.retrieve('fast')).id, 'fast');
    await assert.rejects(
      gateway.openai.models.retrieve('fest'),
      /404 the model "fest" is not in the list of models; did you mean "fast"/,
    );
    const page = await gateway.anthropic.models.list();
    assert.deepEqual(
      page.data.map(({ id, type }) => [id, type]),
      [['fast', 'model']],
    );
    assert.equal((await gateway.anthropic.models.retrieve('fast')).display_name, 'fast');
  });

  test('cached responses, and a header that turns the cache off', async (context) => {
    const gateway = await startBoth(context, undefined, { gateway: { cache: { enabled: true } } });
    const count = async (headers?: Record<string, string>, more = {}) => {
      const body = ask('openai/m', 'Count to 3', more);
      const response = await gateway.post('/v1/chat/completions', body, headers);
      await response.text();
      await new Promise(setImmediate);
      return [gateway.upstream.requests.length, response.headers.get('x-simple-agents-cache')];
    };
    assert.deepEqual(
      [await count(), await count(), await count({}, { stream: true })],
      [
        [1, 'miss'],
        [1, 'hit'],
        [1, 'hit'],
      ],
    );
    assert.deepEqual(await count({ 'x-simple-agents-cache': 'off' }), [2, null]);
    const wrong = { 'x-simple-agents-cache': 'maybe' };
    assert.equal((await gateway.post('/v1/chat/completions', ask('openai/m', 'hi'), wrong)).status, 400);
  });

  test('counting tokens, as an estimate', async (context) => {
    const gateway = await startBoth(context);
    const { data, response } = await gateway.anthropic.messages
      .countTokens({ model: 'x', messages: [{ role: 'user', content: 'twelve chars' }] })
      .withResponse();
    assert.equal(data.input_tokens, 6);
    assert.equal(response.headers.get('x-simple-agents-count'), 'estimate');
  });

  test('healing a text', async (context) => {
    const gateway = await startBoth(context);
    const healed = await gateway.post('/v1/heal', { text: "{city: 'Rome',}", schema: weather });
    const { value, confidence, flags } = (await healed.json()) as {
      value: unknown;
      confidence: number;
      flags: object[];
    };
    assert.deepEqual(value, { city: 'Rome' });
    assert.ok(confidence < 1 && flags.length > 0);
    assert.equal((await gateway.post('/v1/heal', { text: 'no', schema: weather })).status, 422);
    assert.equal((await gateway.post('/v1/heal', { schema: weather })).status, 400);
  });

  test('health, readiness, metrics', async (context) => {
    const listed = { models: () => [{ id: 'openai/m', provider: 'openai' }] };
    const gateway = await startBoth(context, undefined, listed);
    await gateway.post('/v1/chat/completions', ask('openai/m', 'Count to 5'));
    assert.equal((await fetch(`${gateway.url}/health`)).status, 200);
    assert.equal((await fetch(`${gateway.url}/ready`, { method: 'HEAD' })).status, 200);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    assert.match(metrics, /^simple_agents_requests_total\{route="\/v1\/chat\/completions",status="200"\} 1$/m);
    assert.match(
      metrics,
      /^simple_agents_calls_total\{key="none",model="openai\/m",target="openai\/m",outcome="complete"\} 1$/m,
    );
    assert.match(metrics, /^simple_agents_tokens_total\{key="none",target="openai\/m",kind="output"\} 4$/m);
    assert.match(metrics, /^simple_agents_call_first_token_seconds_count\{target="openai\/m"\} 1$/m);
  });
});
