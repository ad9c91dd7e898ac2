// Requests encoded for the Anthropic wire, and the losses reported for what it cannot express.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { text, type Block, type ImageBlock, type Message, type ToolResultBlock } from '../../core/message.ts';
import type { ChatRequest, Reasoning, ToolDefinition } from '../../core/request.ts';
import type { EncodeOptions } from '../wire.ts';
import { encodeRequest } from './client-request.ts';

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

/** A turn with a tool, up to the result. */
function turns(...before: Block[]): Message[] {
  return [user(text('Look')), assistant(...before, call('c1')), user(result('c1'))];
}

function encode(request: Partial<ChatRequest>, options: EncodeOptions = {}) {
  return encodeRequest({ model: 'm', messages: [user(text('Hi'))], ...request }, options);
}

function messagesOf(messages: readonly Message[], options: EncodeOptions = {}) {
  const { body, losses } = encode({ messages }, options);
  return { messages: body['messages'], losses };
}

function written(block: Block): string {
  return JSON.stringify(messagesOf([assistant(block)]).messages);
}

describe('the body', () => {
  test('of a minimal request has the limit that the wire requires, and no other field', () => {
    assert.deepEqual(encode({}), {
      body: {
        model: 'm',
        max_tokens: 8192,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
        stream: true,
      },
      losses: [],
      dropped: [],
    });
  });

  test('carries every setting under its name', () => {
    const { body, losses } = encode({
      maxTokens: 10,
      temperature: 0.5,
      topP: 0.9,
      stop: ['a'],
      user: 'someone',
      toolChoice: 'required',
      parallelToolCalls: false,
      tools: [{ ...look, strict: true, cache: { ttl: '1h' } }],
      responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'object' } },
      stream: false,
    });
    assert.deepEqual(losses, []);
    assert.deepEqual(body, {
      model: 'm',
      max_tokens: 10,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['a'],
      metadata: { user_id: 'someone' },
      tools: [
        {
          name: 'look',
          description: 'Looks',
          input_schema: { type: 'object' },
          strict: true,
          cache_control: { type: 'ephemeral', ttl: '1h' },
        },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      stream: false,
    });
  });

  test('has this wire’s extra fields unchanged, and reports the others', () => {
    const extra = {
      'anthropic-messages': { top_k: 5 },
      'openai-chat': { logit_bias: {}, verbosity: 'low', store: true, prediction: null },
    };
    const { body, losses, dropped } = encode({ extra });
    assert.equal(body['top_k'], 5);
    assert.deepEqual(losses, ['verbosity is a field of openai-chat only', 'store is a field of openai-chat only']);
    assert.deepEqual(dropped, ['verbosity']);
  });

  const lossy: readonly (readonly [loss: string, request: Partial<ChatRequest>])[] = [
    ['the seed was left out', { seed: 1 }],
    ['a temperature of 1.5 was lowered to 1', { temperature: 1.5 }],
    ['the plain JSON response format was left out', { responseFormat: { type: 'json' } }],
    [
      'a tool of another provider was left out',
      { tools: [look, { type: 'opaque', origin: { wire: 'openai-chat' }, data: {} }] },
    ],
    ['the tool choice was left out: the request has no tools', { toolChoice: { name: 'look' } }],
    ['the tool choice was left out: the request has no tools', { toolChoice: 'required', tools: [] }],
  ];
  for (const [loss, request] of lossy) {
    test(`reports that ${loss}`, () => assert.deepEqual(encode(request).losses, [loss]));
  }

  const choices: readonly (readonly [request: Partial<ChatRequest>, expected: object | undefined])[] = [
    [{ tools: [look] }, undefined],
    [{ tools: [look], toolChoice: 'auto' }, { type: 'auto' }],
    [{ tools: [look], toolChoice: 'none' }, { type: 'none' }],
    [{ tools: [look], toolChoice: 'required' }, { type: 'any' }],
    [
      { tools: [look], toolChoice: { name: 'look' } },
      { type: 'tool', name: 'look' },
    ],
    [
      { tools: [look], parallelToolCalls: false },
      { type: 'auto', disable_parallel_tool_use: true },
    ],
    [{ tools: [look], toolChoice: 'none', parallelToolCalls: false }, { type: 'none' }],
    [{ parallelToolCalls: false }, undefined],
    [{ tools: [], toolChoice: 'auto' }, undefined],
  ];
  for (const [request, expected] of choices) {
    test(`has for ${JSON.stringify(request)} the tool choice ${JSON.stringify(expected)}`, () => {
      const { body } = encode(request);
      assert.deepEqual(body['tool_choice'], expected);
      if (request.tools?.length !== 1) assert.equal('tools' in body, false);
    });
  }
});

describe('reasoning', () => {
  const cases: readonly (readonly [reasoning: Reasoning, thinking: object | undefined, effort: string | undefined])[] =
    [
      [{}, undefined, undefined],
      [{ effort: 'none' }, { type: 'disabled' }, undefined],
      [{ effort: 'minimal' }, { type: 'enabled', budget_tokens: 1024 }, undefined],
      [{ effort: 'low' }, { type: 'enabled', budget_tokens: 2048 }, undefined],
      [{ effort: 'medium' }, { type: 'enabled', budget_tokens: 8192 }, undefined],
      [{ effort: 'high' }, { type: 'enabled', budget_tokens: 24_576 }, undefined],
      [{ budgetTokens: 2000 }, { type: 'enabled', budget_tokens: 2000 }, undefined],
      [{ budgetTokens: 2000, effort: 'max' }, { type: 'enabled', budget_tokens: 2000 }, 'max'],
    ];
  for (const [reasoning, thinking, effort] of cases) {
    test(JSON.stringify(reasoning), () => {
      const { body } = encode({ reasoning });
      assert.deepEqual(body['thinking'], thinking);
      assert.deepEqual(body['output_config'], effort === undefined ? undefined : { effort });
    });
  }

  const versions: readonly (readonly [model: string, type: string])[] = [
    ['claude-3-7-sonnet-20250219', 'enabled'],
    ['claude-sonnet-4-20250514', 'enabled'],
    ['claude-opus-4-1-20250805', 'enabled'],
    ['anthropic.claude-haiku-4-5-20251001-v1:0', 'enabled'],
    ['claude-opus-4-6', 'adaptive'],
    ['anthropic/claude-opus-4.6', 'adaptive'],
    ['claude-sonnet-5-5', 'adaptive'],
    ['claude-opus-5', 'adaptive'],
    ['glm-4.6', 'enabled'],
  ];
  for (const [model, type] of versions) {
    test(`an effort at ${model}`, () => {
      const { body } = encode({ model, reasoning: { effort: 'high' } });
      const expected = type === 'adaptive' ? { type } : { type, budget_tokens: 24_576 };
      assert.deepEqual(body['thinking'], expected);
      assert.deepEqual(body['output_config'], type === 'adaptive' ? { effort: 'high' } : undefined);
    });
  }

  test('an effort stays below the limit, and is left out if the limit is too low', () => {
    const reasoning = { effort: 'high' } as const;
    const { body } = encode({ reasoning, maxTokens: 6000 });
    assert.deepEqual([body['thinking'], body['max_tokens']], [{ type: 'enabled', budget_tokens: 3000 }, 6000]);
    assert.equal(encode({ reasoning }).body['max_tokens'], 8192 + 24_576);
    for (const maxTokens of [2047, 1500, 1025]) {
      const clamped = encode({ reasoning, maxTokens });
      const thinking = { type: 'enabled', budget_tokens: 1024 };
      assert.deepEqual(
        [clamped.body['thinking'], clamped.body['max_tokens'], clamped.dropped],
        [thinking, maxTokens, []],
      );
    }
    for (const maxTokens of [1024, 500]) {
      const small = encode({ reasoning, maxTokens });
      assert.deepEqual([small.body['thinking'], small.dropped], [undefined, ['reasoning']]);
    }
  });

  test('a budget of another wire is moved into the bounds of the API, and named', () => {
    const budgets = [
      [{ budgetTokens: 128 }, 6000, 1024, ['reasoning']],
      [{ budgetTokens: 9000 }, 6000, 5999, ['reasoning']],
      [{ budgetTokens: 4000 }, 6000, 4000, []],
      [{ budgetTokens: 4000 }, 1025, 1024, ['reasoning']],
    ] as const;
    for (const [reasoning, maxTokens, budget, named] of budgets) {
      const { body, dropped } = encode({ reasoning, maxTokens });
      assert.deepEqual([body['thinking'], dropped], [{ type: 'enabled', budget_tokens: budget }, named]);
    }
    assert.deepEqual(encode({ reasoning: { budgetTokens: 9000 }, maxTokens: 1000 }).body['thinking'], undefined);
  });

  describe('thinking that did not come back before tool results', () => {
    const reasoning = { effort: 'low' } as const;
    const foreign = { type: 'reasoning', text: 'Hm', signature: 's', origin: { wire: 'openai-responses' } } as const;
    const own = { ...foreign, origin: { wire: 'anthropic-messages' } } as const;
    const extra = { 'anthropic-messages': { thinking: { type: 'enabled', budget_tokens: 2000 } } };

    test('the API would reject a budget, so it is left out and named', () => {
      for (const before of [[], [foreign]]) {
        const { body, dropped } = encode({ messages: turns(...before), tools: [look], reasoning });
        assert.deepEqual([body['thinking'], body['max_tokens'], dropped], [undefined, 8192, ['reasoning']]);
      }
      const { body, dropped } = encode({ messages: turns(foreign), tools: [look], extra });
      assert.deepEqual([body['thinking'], dropped], [undefined, ['reasoning']]);
    });

    test('a budget stays with its own thinking, and where no tool results follow', () => {
      for (const messages of [turns(own), turns().slice(0, 1)]) {
        const { body, dropped } = encode({ messages, tools: [look], reasoning });
        assert.deepEqual([(body['thinking'] as { type: string }).type, dropped], ['enabled', []]);
      }
    });

    test('adaptive thinking, and the settings of a client that sent no thinking, pass', () => {
      const adaptive = encode({ messages: turns(), tools: [look], reasoning, model: 'claude-opus-5' });
      assert.deepEqual([adaptive.body['thinking'], adaptive.dropped], [{ type: 'adaptive' }, []]);
      const { body, dropped } = encode({ messages: turns(), tools: [look], extra });
      assert.deepEqual([body['thinking'], dropped], [extra['anthropic-messages'].thinking, []]);
    });
  });

  test('a forced tool takes precedence over an effort', () => {
    const forced = { tools: [look], toolChoice: 'required', reasoning: { effort: 'low' } } as const;
    const old = encode(forced);
    assert.deepEqual([old.body['thinking'], old.dropped], [undefined, ['reasoning']]);
    const { body, dropped } = encode({ ...forced, model: 'claude-opus-5' });
    assert.deepEqual([body['thinking'], body['output_config'], dropped], [undefined, { effort: 'low' }, []]);
  });

  test('is sent without a temperature', () => {
    const { body, dropped } = encode({ reasoning: { effort: 'low' }, temperature: 0.2, topP: 0.5 });
    assert.deepEqual([body['temperature'], body['top_p'], dropped], [undefined, undefined, ['temperature', 'topP']]);
    assert.equal(encode({ reasoning: { effort: 'none' }, temperature: 0.2 }).body['temperature'], 0.2);
  });

  test('a model that rejects sampling gets none, unless a client of its wire sets it', () => {
    const sampling = { temperature: 0.2, topP: 0.5 };
    for (const model of ['claude-opus-4-7', 'claude-opus-5', 'anthropic/claude-sonnet-5.5']) {
      const { body, dropped } = encode({ model, ...sampling });
      assert.deepEqual([body['temperature'], body['top_p'], dropped], [undefined, undefined, ['temperature', 'topP']]);
      assert.deepEqual(encode({ model, temperature: 1, topP: 1 }).dropped, []);
    }
    assert.equal(encode({ model: 'claude-opus-4-6', ...sampling }).body['temperature'], 0.2);
    const extra = { 'anthropic-messages': { temperature: 0.2, top_p: 0.5 } };
    const { body, dropped } = encode({ model: 'claude-opus-5', ...sampling, extra });
    assert.deepEqual([body['temperature'], body['top_p'], dropped], [0.2, 0.5, []]);
  });

  test('a model without budgets gets the nearest effort', () => {
    for (const [budgetTokens, effort] of [
      [1024, 'low'],
      [8000, 'medium'],
      [32_000, 'high'],
    ] as const) {
      const { body, losses } = encode({ model: 'claude-opus-5', reasoning: { budgetTokens } });
      assert.deepEqual([body['thinking'], body['output_config']], [{ type: 'adaptive' }, { effort }]);
      assert.match(losses.join(), /budget/);
    }
    const rules = { quirks: { rules: false } } as const;
    const { body } = encode({ model: 'claude-opus-5', reasoning: { budgetTokens: 1024 } }, rules);
    assert.deepEqual(body['thinking'], { type: 'enabled', budget_tokens: 1024 });
  });

  test('a model that always thinks gets the lowest effort instead of none', () => {
    const { body, dropped } = encode({ model: 'claude-opus-5-5', reasoning: { effort: 'none' } });
    assert.deepEqual([body['thinking'], body['output_config'], dropped], [undefined, { effort: 'low' }, ['reasoning']]);
    const older = encode({ model: 'claude-opus-5', reasoning: { effort: 'none' } });
    assert.deepEqual([older.body['thinking'], older.dropped], [{ type: 'disabled' }, []]);
  });

  test('rules that are off are not applied', () => {
    const rules = { quirks: { rules: false } } as const;
    const { body } = encode({ model: 'claude-opus-5-5', temperature: 0.2, reasoning: { effort: 'none' } }, rules);
    assert.deepEqual([body['thinking'], body['temperature']], [{ type: 'disabled' }, 0.2]);
  });

  test('leaves room for a response if no limit is set', () => {
    assert.equal(encode({ reasoning: { budgetTokens: 32_000 } }).body['max_tokens'], 40_192);
    assert.equal(encode({ reasoning: { budgetTokens: 1024 }, maxTokens: 2000 }).body['max_tokens'], 2000);
  });

  const origin = { wire: 'anthropic-messages', provider: 'one' };
  const thought: Block = { type: 'reasoning', text: 'Hm', signature: 's', origin };

  test('is sent back to its origin unchanged, signed or encrypted', () => {
    const { messages, losses } = messagesOf(
      [assistant(thought, { type: 'reasoning', text: '', redacted: 'r', origin }, text('Yes'))],
      { provider: 'one' },
    );
    assert.deepEqual(messages, [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'redacted_thinking', data: 'r' },
          { type: 'text', text: 'Yes' },
        ],
      },
    ]);
    assert.deepEqual(losses, []);
  });

  const lost: readonly (readonly [loss: string, thought: Block, provider: string])[] = [
    ['reasoning of another provider was left out', thought, 'two'],
    ['reasoning of another provider was left out', { ...thought, origin: { wire: 'openai-chat' } }, 'one'],
    ['unsigned reasoning was left out', { type: 'reasoning', text: 'Hm', origin }, 'one'],
  ];
  for (const [loss, block, provider] of lost) {
    test(`is not sent back: ${loss}`, () => {
      assert.deepEqual(messagesOf([assistant(block, text('Yes'))], { provider }), {
        messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Yes' }] }],
        losses: [loss],
      });
    });
  }
});

describe('messages', () => {
  test('of the system come first, as one text or, with markers, as blocks', () => {
    assert.equal(encode({ messages: [system(text('Be brief.')), user(text('Hi'))] }).body['system'], 'Be brief.');
    assert.deepEqual(encode({ messages: [system(text('a'), text('')), system(text('b'))] }).body['system'], [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
    assert.deepEqual(encode({ messages: [system({ ...text('a'), cache: {} })] }).body['system'], [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
    ]);
    assert.equal('system' in encode({ messages: [system(text('')), user(text('Hi'))] }).body, false);
  });

  test('of the system are moved to the front, which is reported, as is content they cannot have', () => {
    const { body, losses } = encode({ messages: [user(text('a')), system(text('b'), image), user(text('c'))] });
    assert.equal(body['system'], 'b');
    assert.deepEqual(body['messages'], [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'c' },
        ],
      },
    ]);
    assert.deepEqual(losses, [
      'a system message in the middle of the conversation was moved to the front',
      'non-text content in a system message was left out',
    ]);
  });

  test('alternate: adjacent messages of one role are joined, also around an empty one', () => {
    const unsigned: Block = { type: 'reasoning', text: 'Hm' };
    for (const between of [[], [assistant()], [assistant(text(''))], [assistant(unsigned)]]) {
      const { messages } = messagesOf([user(text('a')), ...between, user(text('b')), assistant(text('c'))]);
      assert.deepEqual(
        (messages as { role: string; content: unknown[] }[]).map(({ role, content }) => [role, content.length]),
        [
          ['user', 2],
          ['assistant', 1],
        ],
      );
    }
  });

  test('have tool results before any other user content', () => {
    const { messages } = messagesOf([
      assistant(call('a'), call('b', { at: 1 })),
      user(text('And?'), result('b', text('two'), image)),
      user({ ...result('a'), isError: true }),
    ]);
    assert.deepEqual(messages, [
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
          { type: 'tool_use', id: 'b', name: 'look', input: { at: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'b',
            content: [
              { type: 'text', text: 'two' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'a', content: [], is_error: true },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  test('map the ids of other vendors in the same way for call and result', () => {
    const { messages } = messagesOf([assistant(call('call|1.a')), user(result('call|1.a'))]);
    assert.match(JSON.stringify(messages), /"id":"call_1_a".*"tool_use_id":"call_1_a"/);
  });

  test('wrap arguments that are not an object in an object', () => {
    const broken: Block = { type: 'tool-call', id: 'a', name: 'look', input: null, raw: '{"at', error: 'broken' };
    assert.match(written(broken), /"input":\{"invalid_json":"\{\\"at"\}/);
    assert.match(written(call('a', [1])), /"input":\{"invalid_json":"\[1\]"\}/);
    assert.match(written(call('a', undefined)), /"input":\{\}/);
  });

  test('have images and documents in this wire’s format', () => {
    const { messages, losses } = messagesOf([
      user(
        { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, detail: 'low' },
        { type: 'image', source: { kind: 'file', id: 'file_1' } },
        { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
        { type: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' } },
        { type: 'document', source: { kind: 'text', text: 'plain' }, cache: { ttl: '30m' } },
        { type: 'document', source: { kind: 'base64', mediaType: 'text/csv', data: 'YSxi' } },
      ),
    ]);
    assert.deepEqual(messages, [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'image', source: { type: 'file', file_id: 'file_1' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'plain' },
            cache_control: { type: 'ephemeral' },
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
        ],
      },
    ]);
    assert.deepEqual(losses, []);
  });

  test('keep the citations of a text that belong to this wire', () => {
    const page = { type: 'page_location', cited_text: 'x' };
    const cited: Block = { type: 'text', text: 'a', citations: [page, { type: 'url_citation' }] };
    assert.deepEqual(messagesOf([assistant(cited)]).messages, [
      { role: 'assistant', content: [{ type: 'text', text: 'a', citations: [page] }] },
    ]);
  });

  test('send an unknown block back to its origin only', () => {
    const data = { type: 'server_tool_use', id: 'x' };
    const opaque: Block = { type: 'opaque', origin: { wire: 'anthropic-messages', provider: 'one' }, data };
    assert.deepEqual(messagesOf([assistant(opaque)], { provider: 'one' }).messages, [
      { role: 'assistant', content: [data] },
    ]);
    assert.deepEqual(messagesOf([assistant(opaque)], { provider: 'two' }), {
      messages: [],
      losses: ['a block of another provider was left out'],
    });
  });

  test('report that audio was left out', () => {
    const { losses } = messagesOf([user(text('Hi'), { type: 'audio', format: 'wav', data: 'AAAA' })]);
    assert.deepEqual(losses, ['audio was left out']);
  });
});

describe('a cache marker', () => {
  for (const [ttl, expected] of [
    [undefined, { type: 'ephemeral' }],
    ['5m', { type: 'ephemeral', ttl: '5m' }],
    ['1h', { type: 'ephemeral', ttl: '1h' }],
    ['12h', { type: 'ephemeral' }],
  ] as const) {
    test(`for ${ttl ?? 'no ttl'}`, () => {
      const marked: Block = { ...text('Hi'), cache: ttl === undefined ? {} : { ttl } };
      const { messages, losses } = messagesOf([user(marked)]);
      assert.deepEqual(messages, [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: expected }] }]);
      assert.deepEqual(losses, []);
    });
  }
});
