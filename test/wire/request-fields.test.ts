// What happens to each field of a request: every field of the official SDKs is classified, the docs page agrees, and
// over HTTP each is translated, rejected by name, or reported in a header. None is lost silently.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { requestFields, type FieldClass } from '../../src/wire/request-fields.ts';
import { ask, startBoth, startGateway, type GatewayTestOptions, type TestGateway } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';
import { begin, chunk, close, done, finish, frame, role, say, start, stop, write } from '../support/upstream.ts';

interface Sent {
  readonly wire: 'openai' | 'anthropic';
  readonly body: Record<string, unknown>;
  readonly headers: IncomingHttpHeaders;
}

interface Recording extends TestGateway {
  readonly sent: Sent[];
}

/** A gateway with an upstream of both wires that records its requests and always responds with `answer`. */
async function startRecording(
  context: TestContext,
  answer = '{"a": 1}',
  options: GatewayTestOptions = {},
): Promise<Recording> {
  const sent: Sent[] = [];
  const { origin } = await startHttpServer(context, (request, response) => {
    let received = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (received += piece));
    request.on('end', () => {
      const wire = request.url === '/v1/messages' ? 'anthropic' : 'openai';
      const body = JSON.parse(received) as Record<string, unknown>;
      sent.push({ wire, body, headers: request.headers });
      const isStream = body['stream'] === true;
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
      response.end(isStream ? streamOf(wire, answer) : JSON.stringify(bodyOf(wire, answer)));
    });
  });
  return { ...(await startGateway(context, origin, options)), sent };
}

function streamOf(wire: Sent['wire'], answer: string): string {
  if (wire === 'openai') return role + say(answer) + stop + done;
  return start + begin + write(answer) + close + finish + frame('message_stop');
}

function bodyOf(wire: Sent['wire'], answer: string): object {
  const usage = { prompt_tokens: 3, completion_tokens: 2, input_tokens: 3, output_tokens: 2 };
  if (wire === 'openai') {
    const choice = { index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' };
    return { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices: [choice], usage };
  }
  const content = [{ type: 'text', text: answer }];
  return { id: 'msg', type: 'message', role: 'assistant', model: 'm', content, stop_reason: 'end_turn', usage };
}

const chat = '/v1/chat/completions';
const messages = '/v1/messages';
const other = { [chat]: 'anthropic/m', [messages]: 'openai/m' } as const;
const same = { [chat]: 'openai/m', [messages]: 'anthropic/m' } as const;
type Path = keyof typeof other;

const wireOf = { [chat]: 'openai-chat', [messages]: 'anthropic-messages' } as const;

/** A value with a meaning, for every field that is not translated. */
const values: Readonly<Record<Path, Readonly<Record<string, unknown>>>> = {
  [chat]: {
    audio: { voice: 'alloy', format: 'wav' },
    modalities: ['text', 'audio'],
    logprobs: true,
    top_logprobs: 3,
    logit_bias: { '50256': -100 },
    functions: [{ name: 'f' }],
    function_call: { name: 'f' },
    moderation: { model: 'm' },
    web_search_options: {},
    seed: 7,
    frequency_penalty: 0.5,
    presence_penalty: 0.5,
    verbosity: 'low',
    metadata: { a: 'b' },
    prediction: { type: 'content', content: 'x' },
    prompt_cache_key: 'k',
    prompt_cache_options: { mode: 'explicit' },
    prompt_cache_retention: '24h',
    safety_identifier: 's',
    service_tier: 'flex',
    store: true,
  },
  [messages]: {
    compaction: { type: 'enabled' },
    container: 'container_1',
    fallbacks: [{ model: 'x' }],
    inference_geo: 'eu',
    mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }],
    top_k: 5,
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    cache_control: { type: 'ephemeral' },
    diagnostics: { previous_message_id: 'x' },
    fallback_credit_token: 't',
    service_tier: 'auto',
    speed: 'fast',
  },
};

describe('the table of fields', () => {
  const sources: readonly (readonly [wire: string, file: string, name: string, prefix?: string])[] = [
    ['openai-chat', 'openai/resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'],
    ['openai-responses', 'openai/resources/responses/responses.d.ts', 'ResponseCreateParamsBase'],
    ['anthropic-messages', '@anthropic-ai/sdk/resources/messages/messages.d.ts', 'MessageCreateParamsBase'],
    ['anthropic-messages', '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', 'MessageCreateParamsBase'],
    ['gemini', '@google/genai/dist/genai.d.ts', 'GenerationConfig', 'generationConfig.'],
  ];
  for (const [wire, file, name, prefix = ''] of sources) {
    test(`has every field of ${name} in ${file}`, async () => {
      const text = await readFile(new URL(`../../node_modules/${file}`, import.meta.url), 'utf8');
      const declarations = text.replaceAll('\r\n', '\n');
      const [, body = ''] =
        new RegExp(`export (?:declare )?interface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(declarations) ?? [];
      const fields = [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = '']) => field);
      assert.ok(fields.length > 10, `only ${fields.length} fields found`);
      const missing = fields.filter((field) => !Object.hasOwn(requestFields[wire] ?? {}, prefix + field));
      assert.deepEqual(missing, []);
    });
  }

  test('is on the docs page', async () => {
    const page = await readFile(new URL('../../docs/gateway.md', import.meta.url), 'utf8');
    const columns = ['translated', 'refused', 'tuning', 'ignored'] as const;
    for (const [wire, table] of Object.entries(requestFields)) {
      const [, row = ''] = new RegExp(`^\\| \`${wire}\` \\|(.*)\\|$`, 'm').exec(page) ?? [];
      const cells = row.split('|');
      for (const [column, name] of columns.entries()) {
        const listed = [...(cells[column] ?? '').matchAll(/`([\w.]+)`/g)].map(([, field = '']) => field);
        assert.deepEqual(listed.toSorted(), fieldsOf(table, name).toSorted(), `${wire}, ${name}`);
      }
    }
  });
});

function fieldsOf(table: (typeof requestFields)[string], name: FieldClass): string[] {
  return Object.entries(table).flatMap(([field, rule]) => (rule.class === name ? [field] : []));
}

for (const path of [chat, messages] as const) {
  const table = requestFields[wireOf[path]] ?? {};
  describe(`${path}: a field at a model of the other wire`, () => {
    for (const [field, value] of Object.entries(values[path])) {
      for (const stream of [false, true]) {
        test(`${field}, ${stream ? 'streamed' : 'whole'}`, async (context) => {
          const gateway = await startRecording(context);
          const response = await gateway.post(path, ask(other[path], 'Hi', { [field]: value, stream }));
          const rule = table[field]?.class;
          const text = await response.text();
          if (rule === 'refused') {
            assert.equal(response.status, 400, text);
            assert.match(text, new RegExp(`${field}: this model does not support this field`));
            assert.equal(gateway.sent.length, 0);
            return;
          }
          assert.equal(response.status, 200, text);
          assert.equal(response.headers.get('x-simple-agents-dropped'), rule === 'tuning' ? field : null);
          assert.equal(gateway.sent[0]?.body[field], undefined);
        });
      }
    }
  });

  test(`${path}: every untranslated field has a value in this test`, () => {
    const silent = Object.keys(table).filter((field) => !['translated', 'header'].includes(table[field]?.class ?? ''));
    // Rejected on every wire.
    const expected = silent.filter((field) => field !== 'thread');
    assert.deepEqual(Object.keys(values[path]).toSorted(), expected.toSorted());
  });

  test(`${path}: neutral values are no loss`, async (context) => {
    const gateway = await startRecording(context);
    const neutral: Record<string, unknown> = {
      ...Object.fromEntries(Object.keys(values[path]).map((field) => [field, null])),
      ...(path === chat
        ? {
            logprobs: false,
            top_logprobs: 0,
            logit_bias: {},
            modalities: ['text'],
            presence_penalty: 0,
            frequency_penalty: 0,
          }
        : { mcp_servers: [], container: null }),
    };
    const response = await gateway.post(path, ask(other[path], 'Hi', neutral));
    assert.deepEqual([response.status, response.headers.get('x-simple-agents-dropped')], [200, null]);
  });

  test(`${path}: the same wire gets every field unchanged, and an unknown one`, async (context) => {
    const gateway = await startRecording(context);
    // The response of an upstream without log probabilities and audio is rejected after the call.
    const { logprobs: _l, modalities: _m, audio: _a, ...passing } = values[path];
    const more = { ...passing, brand_new: { deep: [1, { er: null }] } };
    const response = await gateway.post(path, ask(same[path], 'Hi', more));
    assert.deepEqual([response.status, response.headers.get('x-simple-agents-dropped')], [200, null]);
    for (const [field, value] of Object.entries(more)) assert.deepEqual(gateway.sent[0]?.body[field], value, field);
    const elsewhere = await gateway.post(path, ask(other[path], 'Hi', { brand_new: 1 }));
    assert.deepEqual([elsewhere.status, elsewhere.headers.get('x-simple-agents-dropped')], [200, 'brand_new']);
  });
}

describe('a tuning field is reported under the client’s name', () => {
  test('several at once, and a temperature beyond the range is clamped', async (context) => {
    const gateway = await startRecording(context);
    const more = { seed: 1, temperature: 1.5, presence_penalty: 1 };
    for (const stream of [false, true]) {
      const response = await gateway.post(chat, ask('anthropic/m', 'Hi', { ...more, stream }));
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('x-simple-agents-dropped'), 'temperature, seed, presence_penalty');
      await response.text();
      assert.equal(gateway.sent.at(-1)?.body['temperature'], 1);
    }
    const unchanged = await gateway.post(chat, ask('openai/m', 'Hi', more));
    assert.equal(unchanged.headers.get('x-simple-agents-dropped'), null);
  });

  test('a reasoning effort with a limit too low for thinking', async (context) => {
    const gateway = await startRecording(context);
    const response = await gateway.post(chat, ask('anthropic/m', 'Hi', { reasoning_effort: 'high' }));
    assert.equal(response.headers.get('x-simple-agents-dropped'), 'reasoning_effort');
  });
});

describe('reasoning', () => {
  const efforts = [
    ['low', 2048],
    ['medium', 8192],
    ['high', 24_576],
  ] as const;
  for (const [effort, budget] of efforts) {
    test(`${effort} is a budget of ${budget} tokens, and back`, async (context) => {
      const gateway = await startRecording(context);
      await gateway.post(chat, { ...ask('anthropic/m', 'Hi'), max_tokens: 60_000, reasoning_effort: effort });
      assert.deepEqual(gateway.sent[0]?.body['thinking'], { type: 'enabled', budget_tokens: budget });
      const thinking = { type: 'enabled', budget_tokens: budget };
      await gateway.post(messages, { ...ask('openai/m', 'Hi'), max_tokens: 60_000, thinking });
      assert.equal(gateway.sent[1]?.body['reasoning_effort'], effort);
    });
  }

  test('is the vendor’s own effort if the model has one', async (context) => {
    const gateway = await startRecording(context);
    await gateway.post(chat, ask('anthropic/claude-opus-5', 'Hi', { reasoning_effort: 'high' }));
    const { thinking, output_config: config } = gateway.sent[0]?.body ?? {};
    assert.deepEqual([thinking, config], [{ type: 'adaptive' }, { effort: 'high' }]);
  });
});

describe('response_format json_object', () => {
  const damaged = 'Sure! Here it is:\n```json\n{\'a\': 1, "b": [true,]}\n```';
  for (const model of ['anthropic/m', 'openai/m']) {
    for (const stream of [false, true]) {
      test(`${model}, ${stream ? 'streamed' : 'whole'}: requests JSON and returns JSON`, async (context) => {
        const gateway = await startRecording(context, damaged);
        const format = { response_format: { type: 'json_object' }, stream };
        const response = await gateway.post(chat, ask(model, 'As JSON, please', format));
        const text = await response.text();
        assert.equal(response.status, 200, text);
        assert.deepEqual(JSON.parse(contentOf(text, stream)), { a: 1, b: [true] });
        const { body } = gateway.sent[0] ?? {};
        if (model === 'openai/m') assert.deepEqual(body?.['response_format'], { type: 'json_object' });
        else assert.match(String(body?.['system']), /JSON object/);
      });
    }
  }

  test('the simulated model, over Anthropic’s wire, obeys', async (context) => {
    const gateway = await startBoth(context);
    for (const stream of [false, true]) {
      const format = { response_format: { type: 'json_object' }, stream };
      const response = await gateway.post(chat, ask('anthropic/m', 'Count to 3, as JSON', format));
      const told = JSON.parse(contentOf(await response.text(), stream)) as { answer: string };
      assert.equal(told.answer, '1, 2, 3');
    }
  });

  test('prose without JSON is an error', async (context) => {
    const gateway = await startRecording(context, 'I would rather not.');
    const response = await gateway.post(chat, ask('anthropic/m', 'JSON', { response_format: { type: 'json_object' } }));
    assert.equal(response.status, 422);
  });
});

function contentOf(text: string, isStream: boolean): string {
  interface Choice {
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content: string };
  }
  const choiceOf = (json: string) => (JSON.parse(json) as { choices: Choice[] }).choices[0];
  if (!isStream) return choiceOf(text)?.message?.content ?? '';
  const frames = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => choiceOf(json)?.delta?.content ?? '');
  return frames.join('');
}

describe('logprobs', () => {
  for (const stream of [false, true]) {
    test(`missing from the response is an error on the same wire, ${stream ? 'streamed' : 'whole'}`, async (context) => {
      const gateway = await startRecording(context);
      const response = await gateway.post(chat, ask('openai/m', 'Hi', { logprobs: true, stream }));
      const { error } = (await response.json()) as { error: { message: string; param: string } };
      assert.deepEqual([response.status, error.param], [400, 'logprobs']);
    });
  }

  test('in the response passes unchanged and bypasses the cache', async (context) => {
    const logprobs = { content: [{ token: 'Hi', logprob: -0.1, bytes: null, top_logprobs: [] }] };
    const { origin } = await startHttpServer(context, (request, response) => {
      request.resume();
      response.setHeader('content-type', 'text/event-stream');
      response.end(role + chunk({ content: 'Hi' }, { logprobs }) + stop + done);
    });
    const gateway = await startGateway(context, origin, { gateway: { cache: { enabled: true } } });
    const response = await gateway.post(chat, ask('openai/m', 'Hi', { logprobs: true, stream: true }));
    assert.match(await response.text(), /"logprob":-0.1/);
  });

  test('passes unchanged beside a schema, so that it is not healed', async (context) => {
    const content = "{a: 'not healed',}";
    const logprobs = { content: [{ token: content, logprob: -0.1, bytes: null, top_logprobs: [] }] };
    const choice = { index: 0, message: { role: 'assistant', content }, logprobs, finish_reason: 'stop' };
    const body = JSON.stringify({ id: 'c', object: 'chat.completion', created: 0, model: 'm', choices: [choice] });
    const { origin } = await startHttpServer(context, (request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      response.end(body);
    });
    const gateway = await startGateway(context, origin);
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };
    const response = await gateway.post(chat, ask('openai/m', 'Hi', { logprobs: true, response_format: format }));
    assert.deepEqual([response.status, await response.text()], [200, body]);
  });
});

describe('tools and blocks of one wire', () => {
  const cases: readonly (readonly [what: string, path: Path, more: object, field: string, problem: RegExp])[] = [
    [
      'a server tool',
      messages,
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'tools',
      /a tool of type \\"web_search_20250305/,
    ],
    [
      'a custom tool',
      chat,
      { tools: [{ type: 'custom', custom: { name: 'x' } }] },
      'tools',
      /a tool of type \\"custom/,
    ],
    [
      'audio',
      chat,
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }] }] },
      'messages',
      /does not accept audio/,
    ],
    [
      'a document by URL',
      messages,
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://x.test' } }] }] },
      'messages',
      /does not accept a document by URL/,
    ],
    [
      'a block of a new kind',
      messages,
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }] },
      'messages',
      /of type \\"container_upload/,
    ],
    [
      'a new kind of choice',
      chat,
      { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: { type: 'allowed_tools' } },
      'tool_choice',
      /does not support this field/,
    ],
  ];
  for (const [what, path, more, field, problem] of cases) {
    test(`${what} is rejected by name on the other wire`, async (context) => {
      const gateway = await startRecording(context);
      const response = await gateway.post(path, { ...ask(other[path], 'Hi'), ...more });
      const text = await response.text();
      assert.equal(response.status, 400, text);
      assert.match(text, problem);
      assert.match(text, new RegExp(`${field}: this model`));
      assert.equal(gateway.sent.length, 0);
    });
  }
});

describe('in a fallback chain', () => {
  const aliases = { both: { targets: ['anthropic/m', 'openai/m'] }, back: { targets: ['openai/m', 'anthropic/m'] } };

  test('a target that would change the meaning is skipped', async (context) => {
    const gateway = await startRecording(context, '{"a": 1}', { gateway: { aliases } });
    const biased = await gateway.post(chat, ask('both', 'Hi', { logit_bias: { '1': 5 }, seed: 1 }));
    assert.deepEqual([biased.status, biased.headers.get('x-simple-agents-dropped')], [200, null]);
    assert.equal(gateway.sent.at(-1)?.wire, 'openai');
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    assert.equal((await gateway.post(messages, ask('back', 'Hi', { tools }))).status, 200);
    assert.equal(gateway.sent.at(-1)?.wire, 'anthropic');
    const skipped = gateway.events.filter((event) => event.type === 'target-skip');
    assert.deepEqual(
      skipped.map(({ target, reason }) => [target, reason]),
      [
        ['anthropic/m', 'incapable'],
        ['openai/m', 'incapable'],
      ],
    );
  });

  test('if none is left, the request is rejected by name', async (context) => {
    const gateway = await startRecording(context, '', {
      gateway: { aliases: { both: { targets: ['anthropic/m', 'anthropic/n'] } } },
    });
    const response = await gateway.post(chat, ask('both', 'Hi', { logit_bias: { '1': 5 } }));
    const { error } = (await response.json()) as { error: { param: string } };
    assert.deepEqual([response.status, error.param, gateway.sent.length], [400, 'logit_bias', 0]);
  });

  test('a target that returns no log probabilities is replaced by the next', async (context) => {
    const logprobs = { content: [{ token: 'x', logprob: -0.1, bytes: null, top_logprobs: [] }] };
    const { origin } = await startHttpServer(context, (request, response) => {
      let received = '';
      request.on('data', (piece: Buffer) => (received += piece.toString()));
      request.on('end', () => {
        const isAble = received.includes('"model":"able"');
        response.setHeader('content-type', 'text/event-stream');
        response.end(role + chunk({ content: 'x' }, isAble ? { logprobs } : {}) + stop + done);
      });
    });
    const targets = ['openai/unable', 'openai/able'];
    const gateway = await startGateway(context, origin, { gateway: { aliases: { both: { targets } } } });
    const response = await gateway.post(chat, ask('both', 'Hi', { logprobs: true, stream: true }));
    assert.match(await response.text(), /"logprob":-0.1/);
  });

  test('the header is that of the target that responded', async (context) => {
    const { origin } = await startHttpServer(context, (request, response) => {
      request.resume();
      const isFirst = request.url === messages;
      response.writeHead(isFirst ? 529 : 200, { 'content-type': 'application/json' });
      response.end(
        isFirst ? '{"type":"error","error":{"type":"overloaded_error"}}' : JSON.stringify(bodyOf('openai', 'x')),
      );
    });
    const gateway = await startGateway(context, origin, { gateway: { aliases } });
    const response = await gateway.post(chat, ask('both', 'Hi', { seed: 1 }));
    assert.deepEqual([response.status, response.headers.get('x-simple-agents-dropped')], [200, null]);
  });
});

describe('members that are newer than the gateway', () => {
  test('pass on Anthropic’s wire, everywhere in the body', async (context) => {
    const gateway = await startRecording(context, '{"a": 1}', { healTools: true });
    const request = {
      system: [{ type: 'text', text: 'Be brief.', weight: 1 }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi', mood: 'good' },
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'x' },
              citations: { enabled: true },
              context: 'c',
            },
            { type: 'document', source: { type: 'content', content: 'inline' } },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' }, crop: 2 },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't', name: 'f', input: {}, caller: { type: 'direct' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: [{ type: 'search_result', title: 's' }], fresh: true },
          ],
        },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true, input_examples: [{}] }],
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: {
        effort: 'utmost',
        task_budget: { type: 'tokens', total: 5 },
        format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
      temperature: 1,
      max_tokens: 100,
    };
    const response = await gateway.post(messages, { ...request, model: 'anthropic/m' });
    assert.equal(response.status, 200, await response.text());
    const { model: _model, stream: _stream, ...sent } = gateway.sent[0]?.body ?? {};
    assert.deepEqual(sent, request);
  });

  test('an effort without thinking does not turn thinking on', async (context) => {
    const gateway = await startRecording(context);
    await gateway.post(messages, ask('anthropic/claude-opus-5', 'Hi', { output_config: { effort: 'low' } }));
    const { thinking, output_config: config } = gateway.sent[0]?.body ?? {};
    assert.deepEqual([thinking, config], [undefined, { effort: 'low' }]);
  });

  test('pass on OpenAI’s wire, everywhere in the body', async (context) => {
    const gateway = await startRecording(context, '{"a": 1}', { healTools: true });
    const request = {
      messages: [
        { role: 'system', content: 'Be brief.', name: 'boss' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi', mood: 'good' },
            { type: 'video_url', video_url: { url: 'x' } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png', detail: 'original' } }],
          name: 'ann',
        },
        {
          role: 'assistant',
          content: 'Hm',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
            { id: 'b', type: 'custom', custom: { name: 'g', input: 'x' } },
          ],
          name: 'bot',
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok', fresh: true },
        { role: 'tool', tool_call_id: 'b', content: 'ok' },
      ],
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object' }, beta: 1 } },
        { type: 'custom', custom: { name: 'g' } },
      ],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
      reasoning_effort: 'utmost',
      stream: true,
      stream_options: { include_obfuscation: false, include_usage: true },
    };
    const response = await gateway.post(chat, { ...request, model: 'openai/m' });
    assert.equal(response.status, 200, await response.text());
    const { model: _model, ...sent } = gateway.sent[0]?.body ?? {};
    assert.deepEqual(sent, request);
  });

  test('are reported on the other wire', async (context) => {
    const gateway = await startRecording(context);
    const tools = [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }];
    const response = await gateway.post(messages, ask('openai/m', 'Hi', { tools }));
    assert.deepEqual([response.status, response.headers.get('x-simple-agents-dropped')], [200, 'defer_loading']);
  });
});

describe('anthropic-beta', () => {
  const beta = { 'anthropic-beta': 'context-management-2025-06-27, files-api-2025-04-14' };

  for (const healTools of [false, true]) {
    test(`reaches an upstream of Anthropic’s wire with its fields, heal_tools = ${healTools}`, async (context) => {
      const gateway = await startRecording(context, 'Hi', { healTools });
      const more = { context_management: { edits: [] }, tools: [{ name: 'f', input_schema: { type: 'object' } }] };
      for (const stream of [false, true]) {
        const response = await gateway.post(messages, ask('anthropic/m', 'Hi', { ...more, stream }), beta);
        assert.equal(response.status, 200, await response.text());
        const { headers, body } = gateway.sent.at(-1) ?? {};
        assert.equal(headers?.['anthropic-beta'], 'context-management-2025-06-27,files-api-2025-04-14');
        assert.deepEqual(body?.['context_management'], more.context_management);
      }
    });
  }

  test('is joined with the configured header', async (context) => {
    const { origin } = await startHttpServer(context, (request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(bodyOf('anthropic', String(request.headers['anthropic-beta']))));
    });
    const headers = { 'Anthropic-Beta': 'house-2026-01-01, files-api-2025-04-14' };
    const providers = [{ name: 'anthropic', type: 'anthropic', apiKey: 'k', baseUrl: origin, headers }];
    const gateway = await startGateway(context, origin, { gateway: { providers } });
    const { content } = await gateway.anthropic.beta.messages.create({
      model: 'anthropic/m',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Hi' }],
      betas: ['files-api-2025-04-14', 'new-2026-11-01'],
    });
    assert.match(JSON.stringify(content), /house-2026-01-01,files-api-2025-04-14,new-2026-11-01/);
  });

  test('reaches no upstream of the other wire, and neither do its fields', async (context) => {
    const gateway = await startRecording(context);
    const more = { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } };
    const response = await gateway.post(messages, ask('openai/m', 'Hi', more), beta);
    assert.deepEqual([response.status, response.headers.get('x-simple-agents-dropped')], [200, 'context_management']);
    const { headers, body } = gateway.sent[0] ?? {};
    assert.deepEqual([headers?.['anthropic-beta'], body?.['context_management']], [undefined, undefined]);
    await gateway.post(chat, ask('anthropic/m', 'Hi'), beta);
    assert.equal(gateway.sent.at(-1)?.headers['anthropic-beta'], undefined);
    const wrong = await gateway.post(messages, ask('anthropic/m', 'Hi'), { 'anthropic-beta': 'a b' });
    assert.equal(wrong.status, 400);
  });
});

describe('members of a response that are newer than the gateway', () => {
  const answers = {
    [chat]: [
      `data: ${JSON.stringify({ id: 'c', model: 'm', system_fingerprint: 'fp', new_member: { deep: 1 }, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] })}\n\n`,
      stop,
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, new_count: 7 } })}\n\n`,
      done,
    ].join(''),
    [messages]: [
      frame('message_start', {
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          new_member: { deep: 1 },
          usage: { input_tokens: 3, output_tokens: 1, service_tier: 'x' },
        },
      }),
      begin,
      write('Hi'),
      close,
      frame('content_block_start', { index: 1, content_block: { type: 'new_block', value: 5 } }),
      frame('content_block_stop', { index: 1 }),
      frame('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null, new_detail: 1 },
        usage: { output_tokens: 2, new_count: 7 },
        new_report: [2],
      }),
      frame('message_stop'),
    ].join(''),
  } as const;
  const expected = {
    [chat]: [/"new_member":\{"deep":1\}/, /"system_fingerprint":"fp"/, /"new_count":7/],
    [messages]: [
      /"new_member":\{"deep":1\}/,
      /"type":"new_block","value":5/,
      /"new_detail":1/,
      /"new_count":7/,
      /"new_report":\[2\]/,
    ],
  } as const;

  for (const path of [chat, messages] as const) {
    for (const healTools of [false, true]) {
      test(`${path}: pass on the same wire, heal_tools = ${healTools}`, async (context) => {
        const { origin } = await startHttpServer(context, (request, response) => {
          request.resume();
          response.setHeader('content-type', 'text/event-stream');
          response.end(answers[path]);
        });
        const gateway = await startGateway(context, origin, { healTools });
        const tool = { name: 'f', input_schema: { type: 'object' } };
        const tools = path === messages ? [tool] : [{ type: 'function', function: { name: 'f' } }];
        const options = path === chat ? { stream_options: { include_usage: true } } : {};
        const response = await gateway.post(path, ask(same[path], 'Hi', { stream: true, tools, ...options }));
        const text = await response.text();
        for (const member of expected[path]) assert.match(text, member);
        // They are also in a plain response.
        const whole = await (await gateway.post(path, ask(same[path], 'Hi', { tools }))).text();
        for (const member of expected[path]) assert.match(whole, member);
      });
    }
  }
});
