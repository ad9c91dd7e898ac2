// Requests encoded for the OpenAI wire, vendor by vendor, and the losses reported for what it cannot express.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../core/json.ts';
import { text, type Block, type ImageBlock, type Message, type ToolResultBlock } from '../../core/message.ts';
import type { ChatRequest, ToolDefinition } from '../../core/request.ts';
import type { EncodeOptions, Quirks } from '../wire.ts';
import { encodeRequest } from './client-request.ts';
import { decodeRequest } from './server-request.ts';

const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });
const system = (...content: Block[]): Message => ({ role: 'system', content });
const call = (id: string, input: unknown = {}): Block => ({ type: 'tool-call', id, name: 'look', input });
const result = (callId: string, ...content: ToolResultBlock['content']): ToolResultBlock => ({
  type: 'tool-result',
  callId,
  content,
});
const image: ImageBlock = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } };
const look: ToolDefinition = { name: 'look', description: 'Looks', inputSchema: { type: 'object' } };

function encode(request: Partial<ChatRequest>, options: EncodeOptions = {}) {
  return encodeRequest({ model: 'm', messages: [user(text('Hi'))], ...request }, options);
}

function messagesOf(messages: readonly Message[], options: EncodeOptions = {}) {
  const { body, losses } = encode({ messages }, options);
  return { messages: body['messages'], losses };
}

describe('the body', () => {
  test('of a minimal request asks for a stream with usage, and has no other field', () => {
    assert.deepEqual(encode({}), {
      body: {
        model: 'm',
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
        stream_options: { include_usage: true },
      },
      losses: [],
      dropped: [],
    });
  });

  test('carries every setting under its name', () => {
    const { body, losses } = encode({
      maxTokens: 10,
      temperature: 1.5,
      topP: 0.9,
      stop: ['a', 'b'],
      seed: 7,
      user: 'someone',
      parallelToolCalls: false,
      toolChoice: { name: 'look' },
      tools: [{ ...look, strict: true }],
      reasoning: { effort: 'low' },
      stream: false,
    });
    assert.deepEqual(losses, []);
    assert.deepEqual(body, {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: 10,
      temperature: 1.5,
      top_p: 0.9,
      stop: ['a', 'b'],
      seed: 7,
      user: 'someone',
      parallel_tool_calls: false,
      tool_choice: { type: 'function', function: { name: 'look' } },
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks', parameters: { type: 'object' }, strict: true },
        },
      ],
      reasoning_effort: 'low',
      stream: false,
    });
  });

  test('has this wire’s extra fields unchanged, and reports the others', () => {
    const { body, losses } = encode({
      extra: { 'openai-chat': { logit_bias: { 5: 1 }, seed: 3 }, other: { top_k: 1 } },
    });
    assert.deepEqual([body['logit_bias'], body['seed'], body['top_k']], [{ 5: 1 }, 3, undefined]);
    assert.deepEqual(losses, ['top_k is a field of other only']);
  });

  test('has no empty lists, and no tool fields without tools', () => {
    const { body, losses } = encode({ tools: [], toolChoice: 'auto', parallelToolCalls: true, stop: [] });
    assert.deepEqual(Object.keys(body), ['model', 'messages', 'stream', 'stream_options']);
    assert.deepEqual(losses, []);
  });

  test('reports a tool choice without tools', () => {
    for (const toolChoice of ['required', { name: 'look' }] as const) {
      const { body, losses } = encode({ tools: [], toolChoice });
      assert.equal('tool_choice' in body, false);
      assert.deepEqual(losses, ['the tool choice was left out: the request has no tools']);
    }
  });
});

describe('a vendor', () => {
  const cases: readonly (readonly [what: string, quirks: Quirks, request: Partial<ChatRequest>, expected: object])[] = [
    ['may call the limit by its old name', { maxTokensField: 'max_tokens' }, { maxTokens: 5 }, { max_tokens: 5 }],
    ['may call the seed otherwise', { seedField: 'random_seed' }, { seed: 5 }, { random_seed: 5 }],
    ['may know no stream options', { noStreamOptions: true }, {}, { stream_options: undefined }],
    ['may take plain JSON', {}, { responseFormat: { type: 'json' } }, { response_format: { type: 'json_object' } }],
    [
      'may take only a schema, and gets the widest for plain JSON',
      { responseFormat: 'json-schema-only' },
      { responseFormat: { type: 'json' } },
      { response_format: { type: 'json_schema', json_schema: { name: 'response', schema: { type: 'object' } } } },
    ],
    [
      'that takes only a schema takes a schema',
      { responseFormat: 'json-schema-only' },
      { responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'array' }, strict: true } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'n', schema: { type: 'array' }, strict: true },
        },
      },
    ],
    ['may be told to write text', {}, { responseFormat: { type: 'text' } }, { response_format: { type: 'text' } }],
  ];
  for (const [what, quirks, request, expected] of cases) {
    test(what, () => {
      const { body, losses } = encode(request, { quirks });
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(body[key], value, key);
      assert.deepEqual(losses, []);
    });
  }

  const lossy: readonly (readonly [loss: string, quirks: Quirks, request: Partial<ChatRequest>, absent: object])[] = [
    ['the user was left out', { noUser: true }, { user: 'someone' }, { user: undefined }],
    [
      'the response format was reduced to plain JSON: the schema was left out',
      { responseFormat: 'json' },
      { responseFormat: { type: 'json-schema', schema: {} } },
      { response_format: { type: 'json_object' } },
    ],
    [
      'the response format was left out',
      { responseFormat: 'none' },
      { responseFormat: { type: 'json' } },
      { response_format: undefined },
    ],
    [
      'a reasoning budget of 10000 tokens became the effort "medium"',
      {},
      { reasoning: { budgetTokens: 10_000 } },
      { reasoning_effort: 'medium' },
    ],
    [
      'a tool of another provider was left out',
      {},
      { tools: [{ type: 'opaque', origin: { wire: 'anthropic-messages' }, data: { type: 'web_search' } }] },
      { tools: undefined },
    ],
    ['a cache marker on a tool was left out', {}, { tools: [{ ...look, cache: {} }] }, {}],
  ];
  for (const [loss, quirks, request, expected] of lossy) {
    test(`that cannot: ${loss}`, () => {
      const { body, losses } = encode(request, { quirks });
      assert.deepEqual(losses, [loss]);
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(body[key], value, key);
    });
  }

  test('gets its own tools back', () => {
    const data = { type: 'web_search' };
    const tools = [{ type: 'opaque' as const, origin: { wire: 'openai-chat', provider: 'one' }, data }];
    assert.deepEqual(encode({ tools }, { provider: 'one' }).body['tools'], [data]);
    assert.deepEqual(encode({ tools }, { provider: 'two' }).losses, ['a tool of another provider was left out']);
  });
});

describe('messages', () => {
  test('of one text are sent as a string, others in parts', () => {
    const { messages } = messagesOf([
      system(text('Be brief.')),
      user(text('a'), text(''), text('b')),
      assistant(text('c'), text('d')),
      user(text('e')),
    ]);
    assert.deepEqual(messages, [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: 'cd' },
      { role: 'user', content: 'e' },
    ]);
  });

  test('that are empty are not sent, whatever the role', () => {
    const { messages } = messagesOf([system(), system(text('')), user(), assistant(text('')), user(text('Hi'))]);
    assert.deepEqual(messages, [{ role: 'user', content: 'Hi' }]);
  });

  test('keep their order, also system messages in the middle', () => {
    const { messages, losses } = messagesOf([user(text('a')), system(text('b')), user(text('c'))]);
    assert.deepEqual(
      (messages as { role: string }[]).map(({ role }) => role),
      ['user', 'system', 'user'],
    );
    assert.deepEqual(losses, []);
  });

  test('of the developer keep their role, unless the vendor rejects it', () => {
    for (const content of ['Be brief.', [{ type: 'text', text: 'Be brief.' }]] as const) {
      const decoded = decodeRequest({ model: 'm', messages: [{ role: 'developer', content, name: 'dev' }] });
      const rolesAt = (quirks: Quirks) => (encodeRequest(decoded, { quirks }).body['messages'] as JsonObject[])[0];
      assert.deepEqual(rolesAt({}), { role: 'developer', content: 'Be brief.', name: 'dev' });
      assert.deepEqual(rolesAt({ noDeveloperRole: true }), { role: 'system', content: 'Be brief.', name: 'dev' });
    }
  });

  test('have tool results first, one message each, then the user content', () => {
    const { messages, losses } = messagesOf([
      assistant(call('call_1', { at: 1 }), call('call_2')),
      user(text('And?'), result('call_2', text('two'), text('!')), result('call_1')),
    ]);
    assert.deepEqual(messages, [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 'call_2', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_2', content: 'two!' },
      { role: 'tool', tool_call_id: 'call_1', content: '' },
      { role: 'user', content: 'And?' },
    ]);
    assert.deepEqual(losses, []);
  });

  test('of one role in a row with calls or results are one, because results must follow all calls', () => {
    const conversation = [
      user(text('Look')),
      assistant(text('One'), call('a')),
      assistant(call('b')),
      user(result('a', text('1')), text('and')),
      user(result('b', text('2'))),
      assistant(text('Done')),
      assistant(text('really')),
    ];
    assert.deepEqual(messagesOf(conversation).messages, [
      { role: 'user', content: 'Look' },
      {
        role: 'assistant',
        content: 'One',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'user', content: 'and' },
      { role: 'assistant', content: 'Done' },
      { role: 'assistant', content: 'really' },
    ]);
  });

  test('move what a tool result cannot contain to a user message after it, and report it', () => {
    const { messages, losses } = messagesOf([
      assistant(call('call_1')),
      user({ ...result('call_1', text('seen'), image), isError: true }),
    ]);
    assert.deepEqual((messages as unknown[]).slice(1), [
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
    ]);
    assert.deepEqual(losses, [
      'images and documents in a tool result were moved to a user message',
      'the error flag of a tool result was left out',
    ]);
  });

  test('send invalid arguments back to the model unchanged', () => {
    const { messages } = messagesOf([
      assistant({ type: 'tool-call', id: 'a', name: 'look', input: null, raw: '{"at', error: 'broken' }),
    ]);
    assert.match(JSON.stringify(messages), /"arguments":"\{\\"at"/);
  });

  test('have images, audio and documents in this wire’s format', () => {
    const { messages, losses } = messagesOf([
      user(
        { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, detail: 'low' },
        { type: 'audio', format: 'wav', data: 'AAAA' },
        { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
        { type: 'document', source: { kind: 'file', id: 'file_1' } },
        { type: 'document', source: { kind: 'text', text: 'plain' } },
      ),
    ]);
    assert.deepEqual(messages, [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
          { type: 'file', file: { file_id: 'file_1' } },
          { type: 'text', text: 'plain' },
        ],
      },
    ]);
    assert.deepEqual(losses, []);
  });

  test('report what this wire cannot express', () => {
    const { losses } = messagesOf([
      user(
        text('Hi'),
        { type: 'image', source: { kind: 'file', id: 'file_1' } },
        { type: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' } },
        { type: 'opaque', origin: { wire: 'anthropic-messages' }, data: { type: 'new' } },
      ),
    ]);
    assert.deepEqual(losses, [
      'an image by file id was left out',
      'a document by URL was left out',
      'a block of another provider was left out',
    ]);
  });
});

describe('a cache marker', () => {
  const cases: readonly (readonly [form: Quirks['cacheMarkers'], ttl: string | undefined, expected: object])[] = [
    [undefined, undefined, { prompt_cache_breakpoint: { mode: 'explicit' } }],
    ['breakpoint', '30m', { prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }],
    ['breakpoint', '5m', { prompt_cache_breakpoint: { mode: 'explicit' } }],
    ['cache-control', undefined, { cache_control: { type: 'ephemeral' } }],
    ['cache-control', '1h', { cache_control: { type: 'ephemeral', ttl: '1h' } }],
  ];
  for (const [form, ttl, expected] of cases) {
    test(`as ${form ?? 'the inventor has it'}${ttl === undefined ? '' : ` for ${ttl}`}`, () => {
      const marked: Block = { ...text('Hi'), cache: ttl === undefined ? {} : { ttl } };
      const options = form === undefined ? {} : { quirks: { cacheMarkers: form } };
      const { messages, losses } = messagesOf([user(marked)], options);
      assert.deepEqual(messages, [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...expected }] }]);
      assert.deepEqual(losses, []);
    });
  }

  test('is left out for a vendor without markers, and the text stays a string', () => {
    const marked: Block = { ...text('Hi'), cache: {} };
    assert.deepEqual(messagesOf([user(marked)], { quirks: { cacheMarkers: 'none' } }), {
      messages: [{ role: 'user', content: 'Hi' }],
      losses: ['a cache marker was left out'],
    });
  });
});

function encodeThoughts(options: EncodeOptions, ...content: Block[]) {
  return messagesOf([assistant(...content, text('Yes'))], options);
}

describe('reasoning', () => {
  const origin = { wire: 'openai-chat', provider: 'one' };
  const thought: Block = { type: 'reasoning', text: 'Hm', signature: 's', origin };
  const secret: Block = { type: 'reasoning', text: '', redacted: 'r', origin };
  test('is sent back to its vendor as text', () => {
    assert.deepEqual(encodeThoughts({ provider: 'one', quirks: { reasoning: 'content' } }, thought), {
      messages: [{ role: 'assistant', content: 'Yes', reasoning_content: 'Hm' }],
      losses: [],
    });
  });

  test('is sent back to its vendor as details, signed and encrypted', () => {
    assert.deepEqual(encodeThoughts({ provider: 'one', quirks: { reasoning: 'details' } }, thought, secret), {
      messages: [
        {
          role: 'assistant',
          content: 'Yes',
          reasoning_details: [
            { type: 'reasoning.text', text: 'Hm', signature: 's', index: 0 },
            { type: 'reasoning.encrypted', data: 'r', index: 1 },
          ],
        },
      ],
      losses: [],
    });
  });

  const lost: readonly (readonly [what: string, options: EncodeOptions, thought: Block])[] = [
    ['to a vendor that does not want it', { provider: 'one' }, thought],
    ['to another vendor', { provider: 'two', quirks: { reasoning: 'details' } }, thought],
    [
      'of another wire',
      { provider: 'one', quirks: { reasoning: 'details' } },
      { ...thought, origin: { wire: 'anthropic-messages', provider: 'one' } },
    ],
  ];
  for (const [what, options, block] of lost) {
    test(`is not sent ${what}, which is reported`, () => {
      assert.deepEqual(encodeThoughts(options, block), {
        messages: [{ role: 'assistant', content: 'Yes' }],
        losses: ['reasoning was left out'],
      });
    });
  }

  test('alone is not a message', () => {
    assert.deepEqual(messagesOf([user(text('Hi')), assistant(thought)]).messages, [{ role: 'user', content: 'Hi' }]);
  });
});

/** The ids of the call and of the result. */
function idsOf(id: string, quirks: Quirks) {
  const { messages } = messagesOf([assistant(call(id)), user(result(id, text('ok')))], { quirks });
  const [first, second] = messages as [{ tool_calls: { id: string }[] }, { tool_call_id: string }];
  return [first.tool_calls[0]?.id, second.tool_call_id];
}

describe('the id of a tool call', () => {
  test('is unchanged', () => assert.deepEqual(idsOf('toolu_1.a', {}), ['toolu_1.a', 'toolu_1.a']));

  test('is mapped for a vendor that requires nine letters and digits, in the same way for call and result', () => {
    const nine = { toolCallIds: 'nine-alphanumeric' } as const;
    const ids = ['call_PTLP8xhu3uwZk4l3nlnrrJha', 'call_PTLP8xhu3uwZk4l3nlnrrJhb', 'a', ''].map((id) =>
      idsOf(id, nine),
    );
    for (const [ofCall, ofResult] of ids) {
      assert.match(ofCall ?? '', /^[a-zA-Z0-9]{9}$/);
      assert.equal(ofResult, ofCall);
    }
    assert.equal(new Set(ids.map(([id]) => id)).size, ids.length);
    assert.deepEqual(idsOf('D681PevKs', nine), ['D681PevKs', 'D681PevKs']);
  });
});
