// Forced tool calls at models that refuse them: every client's spelling, at a simulated vendor that refuses as the real
// one does. One function becomes structured output and comes back as the call; a choice among several is refused.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import { startGateway, startSimulated } from '../support/gateway-server.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city', 'days'],
};
const other = { name: 'other', description: 'Another.', parameters: { type: 'object', properties: {} } };
const weather = { name: 'weather', description: 'The weather of a city.', parameters };

type Function = typeof weather | typeof other;
type Force = 'required' | { readonly name: string };

interface ChatBody {
  readonly choices: readonly [
    {
      readonly message: { readonly content?: string; readonly tool_calls: readonly [{ readonly function: Call }] };
      readonly finish_reason: string;
    },
  ];
}

interface Call {
  readonly name: string;
  readonly arguments: string;
}

interface ResponsesBody {
  readonly output: readonly ({ readonly type: string } & Call)[];
  readonly status: string;
}

interface MessagesBody {
  readonly content: readonly [{ readonly type: string; readonly name: string; readonly input: unknown }];
  readonly stop_reason: string;
}

interface GeminiBody {
  readonly candidates: readonly [
    {
      readonly content: {
        readonly parts: readonly [{ readonly functionCall: { readonly name: string; args: unknown } }];
      };
      readonly finishReason: string;
    },
  ];
}

interface Client {
  readonly path: (model: string, isStream: boolean) => string;
  readonly body: (model: string, functions: readonly Function[], force: Force) => object;
  /** The name and arguments of the only call, and the stop reason. */
  readonly read: (body: unknown) => readonly [name: string, input: unknown, stop: string];
  readonly stop: string;
  /** The name of the field in an error. */
  readonly field: string;
}

const clients: Readonly<Record<string, Client>> = {
  'openai-chat': {
    path: () => '/v1/chat/completions',
    body: (model, functions, force) => ({
      model,
      messages: [{ role: 'user', content: 'Paris?' }],
      tools: functions.map((each) => ({ type: 'function', function: each })),
      tool_choice: force === 'required' ? force : { type: 'function', function: force },
    }),
    read(body) {
      const { message, finish_reason: stop } = (body as ChatBody).choices[0];
      const [{ function: call }] = message.tool_calls;
      assert.deepEqual([message.tool_calls.length, message.content ?? ''], [1, '']);
      return [call.name, JSON.parse(call.arguments), stop];
    },
    stop: 'tool_calls',
    field: 'tool_choice',
  },
  'openai-responses': {
    path: () => '/v1/responses',
    body: (model, functions, force) => ({
      model,
      input: 'Paris?',
      tools: functions.map((each) => ({ type: 'function', ...each })),
      tool_choice: force === 'required' ? force : { type: 'function', ...force },
    }),
    read(body) {
      const { output, status } = body as ResponsesBody;
      const items = output.filter(({ type }) => type !== 'reasoning');
      const [item] = items;
      assert.deepEqual([items.length, item?.type], [1, 'function_call']);
      return [item!.name, JSON.parse(item!.arguments), status];
    },
    stop: 'completed',
    field: 'tool_choice',
  },
  'anthropic-messages': {
    path: () => '/v1/messages',
    body: (model, functions, force) => ({
      model,
      max_tokens: 500,
      messages: [{ role: 'user', content: 'Paris?' }],
      tools: functions.map(({ parameters: schema, ...each }) => ({ ...each, input_schema: schema })),
      tool_choice: force === 'required' ? { type: 'any' } : { type: 'tool', ...force },
    }),
    read(body) {
      const { content, stop_reason: stop } = body as MessagesBody;
      assert.deepEqual(
        content.map(({ type }) => type),
        ['tool_use'],
      );
      return [content[0].name, content[0].input, stop];
    },
    stop: 'tool_use',
    field: 'tool_choice',
  },
  'gemini': {
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    body: (_model, functions, force) => ({
      contents: [{ role: 'user', parts: [{ text: 'Paris?' }] }],
      tools: [
        {
          functionDeclarations: functions.map(({ parameters: schema, ...each }) => ({
            ...each,
            parametersJsonSchema: schema,
          })),
        },
      ],
      toolConfig: {
        functionCallingConfig: { mode: 'ANY', ...(force === 'required' ? {} : { allowedFunctionNames: [force.name] }) },
      },
    }),
    read(body) {
      const { content, finishReason } = (body as GeminiBody).candidates[0];
      assert.deepEqual(
        content.parts.map((part) => Object.keys(part)[0]),
        ['functionCall'],
      );
      return [content.parts[0].functionCall.name, content.parts[0].functionCall.args, finishReason];
    },
    stop: 'STOP',
    field: 'toolConfig',
  },
};

/** The client's own format is not in this list: there the vendor answers. */
const upstreams: Readonly<Record<string, readonly [provider: string, clients: readonly string[]]>> = {
  anthropic: ['anthropic/claude-opus-5-5', ['openai-chat', 'openai-responses', 'gemini']],
  bedrock: ['aws/us.anthropic.claude-sonnet-5-5-v1:0', Object.keys(clients)],
};

async function startForcing(context: TestContext, more: Partial<ProviderSettings> = {}) {
  const upstream = await startSimulated(context);
  const base = { apiKey: 'k', baseUrl: upstream.url, ...more };
  const providers = [
    { ...base, name: 'anthropic', type: 'anthropic' },
    { ...base, name: 'aws', type: 'bedrock', region: 'us-east-1' },
    { ...base, name: 'openai', type: 'openai', baseUrl: `${upstream.url}/v1` },
  ];
  const aliases = { either: { targets: ['anthropic/claude-opus-5-5', 'openai/gpt-5'] } };
  return { ...(await startGateway(context, upstream.url, { gateway: { providers, aliases } })), upstream };
}

for (const [upstream, [model, names]] of Object.entries(upstreams)) {
  for (const name of names) {
    const client = clients[name]!;
    describe(`${name} to ${upstream}`, () => {
      test('one forced function comes back as the call', async (context) => {
        const { post, upstream: simulated } = await startForcing(context);
        const forced: readonly (readonly [readonly Function[], Force])[] = [
          [[weather], { name: 'weather' }],
          [[weather], 'required'],
          [[other, weather], { name: 'weather' }],
        ];
        for (const [functions, force] of forced) {
          const response = await post(client.path(model, false), client.body(model, functions, force));
          const body = await response.json();
          assert.equal(response.status, 200, JSON.stringify(body));
          const [called, input, stop] = client.read(body);
          assert.deepEqual([called, stop], ['weather', client.stop]);
          const { city, days } = input as Record<string, unknown>;
          assert.deepEqual([typeof city, Number.isInteger(days)], ['string', true]);
        }
        const sent = simulated.requests.map((request) => JSON.stringify(request.body));
        assert.equal(sent.length, forced.length);
        for (const text of sent) assert.match(text, /json_schema/);
      });

      test('a choice among several functions is refused before the call', async (context) => {
        const { post, upstream: simulated } = await startForcing(context);
        const response = await post(client.path(model, false), client.body(model, [weather, other], 'required'));
        const text = await response.text();
        assert.equal(response.status, 400, text);
        assert.match(text, /this model does not accept a forced tool call/);
        assert.match(text, new RegExp(client.field));
        assert.equal(simulated.requests.length, 0);
      });
    });
  }
}

describe('a stream', () => {
  test('has the call as it is written', async (context) => {
    const { openai } = await startForcing(context);
    const body = clients['openai-chat']!.body('anthropic/claude-opus-5-5', [weather], 'required');
    const stream = await openai.chat.completions.create({
      ...(body as ChatCompletionCreateParamsStreaming),
      stream: true,
    });
    let [text, name, stop] = ['', '', ''];
    const pieces: string[] = [];
    for await (const { choices } of stream) {
      for (const { delta, finish_reason: reason } of choices) {
        text += delta.content ?? '';
        for (const { function: call } of delta.tool_calls ?? []) {
          name += call?.name ?? '';
          if (call?.arguments) pieces.push(call.arguments);
        }
        stop = reason ?? stop;
      }
    }
    assert.deepEqual([text, name, stop], ['', 'weather', 'tool_calls']);
    assert.ok(pieces.length > 1, 'in pieces');
    assert.equal(typeof (JSON.parse(pieces.join('')) as { city: unknown }).city, 'string');
  });
});

function choiceIn(body: unknown): unknown {
  return (body as { tool_choice?: unknown }).tool_choice;
}

describe('where the rule does not apply', () => {
  const { body, read, path } = clients['openai-chat']!;

  test('an earlier model gets the tool choice', async (context) => {
    const { post, upstream } = await startForcing(context);
    const response = await post(path('', false), body('anthropic/claude-opus-5', [weather, other], 'required'));
    assert.equal(response.status, 200);
    assert.deepEqual(choiceIn(upstream.requests[0]?.body), { type: 'any' });
    assert.ok(['weather', 'other'].includes(read(await response.json())[0]));
  });

  test('in its own format the request is not changed, and the vendor answers', async (context) => {
    const { anthropic, upstream } = await startForcing(context);
    const own = clients['anthropic-messages']!.body('anthropic/claude-opus-5-5', [weather], 'required');
    await assert.rejects(anthropic.messages.create(own as MessageCreateParamsNonStreaming), {
      status: 400,
      message: /tool_choice: type \\?"tool\\?" and \\?"any\\?" are not supported for this model/,
    });
    assert.deepEqual(choiceIn(upstream.requests.at(-1)?.body), { type: 'any' });
  });

  test('with rules = false the vendor answers', async (context) => {
    const { post, upstream } = await startForcing(context, { rules: false });
    const response = await post(path('', false), body('anthropic/claude-opus-5-5', [weather], 'required'));
    assert.equal(response.status, 400);
    assert.match(await response.text(), /are not supported for this model/);
    assert.equal(upstream.requests.length, 1);
  });

  test('an alias goes on to the target that can', async (context) => {
    const { post, upstream } = await startForcing(context);
    const response = await post(path('', false), body('either', [weather, other], 'required'));
    assert.deepEqual([response.status, response.headers.get('x-simple-agents-target')], [200, 'openai']);
    assert.equal(upstream.requests.length, 1);
  });

  test('a schema that the vendor does not take is asked for in words, not with a forced tool', async (context) => {
    const { post, upstream } = await startForcing(context);
    const open = { type: 'object', additionalProperties: { type: 'string' } };
    const response = await post('/v1/chat/completions', {
      model: 'anthropic/claude-opus-5-5',
      messages: [{ role: 'user', content: 'Names by language' }],
      response_format: { type: 'json_schema', json_schema: { name: 'names', schema: open } },
    });
    assert.equal(response.status, 200, await response.text());
    assert.equal(choiceIn(upstream.requests[0]?.body), undefined);
  });
});
