// Requests of other wires for the Converse wire: what is translated, refused and reported. Every body that is encoded here
// is one that the simulated API accepts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { JsonObject } from '../../core/json.ts';
import type { Block, MediaSource, Message } from '../../core/message.ts';
import type { ChatRequest, ToolDefinition } from '../../core/request.ts';
import { validateConverse } from '../../testing/simulate/bedrock/validate-converse.ts';
import { encodeRequest as encode, findUnsupported } from './client-request.ts';

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const hi: Block = { type: 'text', text: 'Hi' };
const tool: ToolDefinition = { name: 'f', inputSchema: { type: 'object' } };

function request(more: Partial<ChatRequest> = {}, content: readonly Block[] = [hi]): ChatRequest {
  return { model: claude, messages: [{ role: 'user', content }], ...more };
}

function encodeRequest(made: ChatRequest, provider = 'bedrock') {
  const encoded = encode(made, { provider });
  validateConverse({ ...encoded.body, modelId: made.model });
  return encoded;
}

function contentOf(made: ChatRequest, index = 0): unknown {
  const { messages } = encodeRequest(made).body as unknown as { messages: { content: unknown }[] };
  return messages[index]?.content;
}

function configOf(made: ChatRequest): unknown {
  return encodeRequest(made).body['toolConfig'];
}

function reasoningOf(model: string, more: Partial<ChatRequest>): unknown[] {
  const { body, dropped } = encodeRequest(request({ model, ...more }));
  return [body['additionalModelRequestFields'], body['outputConfig'], dropped];
}

describe('the path', () => {
  test('has the model and the kind of response', () => {
    assert.equal(encode(request()).path, `/model/${encodeURIComponent(claude)}/converse-stream`);
    const model = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc';
    assert.equal(
      encode(request({ model, stream: false })).path,
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fabc/converse',
    );
    assert.deepEqual(encode(request()).expected, { model: claude });
  });
});

describe('messages', () => {
  test('alternate, start with results, and have no blank text', () => {
    const messages: Message[] = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [hi, { type: 'text', text: ' \n' }, { type: 'text', text: '' }] },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'a:1', name: 'f', input: { x: 1 } }] },
      { role: 'user', content: [hi] },
      { role: 'user', content: [{ type: 'tool-result', callId: 'a:1', content: [], isError: true }] },
    ];
    const { body, losses } = encodeRequest({ model: claude, messages, tools: [tool] });
    assert.deepEqual(body['system'], [{ text: 'Be brief.' }]);
    assert.deepEqual(body['messages'], [
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a_1', name: 'f', input: { x: 1 } } }] },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a_1', content: [{ text: '(no output)' }], status: 'error' } },
          { text: 'Hi' },
        ],
      },
    ]);
    assert.deepEqual(losses, ['blank text was left out']);
  });

  test('have images and documents with formats and names', () => {
    const png: MediaSource = { kind: 'base64', mediaType: 'image/png', data: 'iVBORw0K' };
    const pdf: MediaSource = { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0=' };
    const content: Block[] = [
      { type: 'image', source: png },
      { type: 'image', source: { kind: 'url', url: 's3://bucket/a.JPG' } },
      { type: 'document', source: pdf, title: 'Report: 2026/Q1.pdf' },
      { type: 'document', source: pdf },
      { type: 'document', source: { kind: 'text', text: 'Grüße' } },
      { type: 'audio', format: 'wav', data: 'UklGRg==' },
      hi,
    ];
    assert.deepEqual(contentOf(request({}, content)), [
      { image: { format: 'png', source: { bytes: 'iVBORw0K' } } },
      { image: { format: 'jpeg', source: { s3Location: { uri: 's3://bucket/a.JPG' } } } },
      { document: { format: 'pdf', source: { bytes: 'JVBERi0=' }, name: 'Report 2026 Q1 pdf' } },
      { document: { format: 'pdf', source: { bytes: 'JVBERi0=' }, name: 'document' } },
      { document: { format: 'txt', source: { bytes: 'R3LDvMOfZQ==' }, name: 'document 2' } },
      { audio: { format: 'wav', source: { bytes: 'UklGRg==' } } },
      { text: 'Hi' },
    ]);
  });

  test('have cache points after marked blocks, where the model takes them', () => {
    const marked = { type: 'text', text: 'Hi', cache: { ttl: '1h' } } as const;
    const tools = [{ ...tool, cache: {} }];
    const messages: Message[] = [
      { role: 'system', content: [{ ...marked, cache: {} }] },
      { role: 'user', content: [marked, hi] },
    ];
    const { body } = encodeRequest({ model: claude, messages, tools });
    const point = { cachePoint: { type: 'default' } };
    assert.deepEqual(body['system'], [{ text: 'Hi' }, point]);
    assert.deepEqual(contentOf({ model: claude, messages }), [
      { text: 'Hi' },
      { cachePoint: { type: 'default', ttl: '1h' } },
      { text: 'Hi' },
    ]);
    assert.deepEqual((body['toolConfig'] as JsonObject)['tools'], [
      { toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } },
      point,
    ]);
    assert.deepEqual(contentOf({ model: 'meta.llama3-3-70b-instruct-v1:0', messages }), [
      { text: 'Hi' },
      { text: 'Hi' },
    ]);
  });

  test('have a cache point after a result whose part is marked', () => {
    const part = { type: 'text', text: 'ok', cache: {} } as const;
    const messages: Message[] = [
      { role: 'user', content: [hi] },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [hi, { type: 'tool-result', callId: 'a', content: [part] }] },
    ];
    assert.deepEqual(contentOf({ model: claude, messages, tools: [tool] }, 2), [
      { toolResult: { toolUseId: 'a', content: [{ text: 'ok' }] } },
      { cachePoint: { type: 'default' } },
      { text: 'Hi' },
    ]);
  });

  test('return reasoning to its provider only, unchanged', () => {
    const origin = { wire: 'bedrock-converse', provider: 'bedrock' };
    const content = (block: object): Message[] => [
      { role: 'user', content: [hi] },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm', origin, ...block }, hi] },
      { role: 'user', content: [hi] },
    ];
    const of = (block: object): unknown => contentOf({ model: claude, messages: content(block) }, 1);
    const said = { text: 'Hi' };
    assert.deepEqual(of({ signature: 'c2ln' }), [
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
      said,
    ]);
    assert.deepEqual(of({ text: '', redacted: 'AAAA' }), [{ reasoningContent: { redactedContent: 'AAAA' } }, said]);
    assert.deepEqual(of({}), [said]);
    assert.deepEqual(of({ signature: 's', origin: { wire: 'anthropic-messages' } }), [said]);
    const other = { ...origin, provider: 'other' };
    const { losses } = encodeRequest({ model: claude, messages: content({ signature: 's', origin: other }) });
    assert.deepEqual(losses, ['reasoning of another provider was left out']);
  });
});

describe('tools', () => {
  const call: Message[] = [
    { role: 'user', content: [hi] },
    { role: 'assistant', content: [{ type: 'tool-call', id: 'a', name: 'g', input: null, raw: '{"x', error: 'e' }] },
    { role: 'user', content: [{ type: 'tool-result', callId: 'a', content: [hi] }] },
  ];
  const f = { toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } };

  test('and their choice', () => {
    const strict = { ...tool, description: '', strict: true };
    assert.deepEqual(configOf(request({ tools: [strict], toolChoice: 'auto' })), {
      tools: [{ toolSpec: { ...f.toolSpec, strict: true } }],
      toolChoice: { auto: {} },
    });
    assert.deepEqual(configOf(request({ tools: [tool], toolChoice: 'required' })), {
      tools: [f],
      toolChoice: { any: {} },
    });
    const named = configOf(request({ tools: [tool], toolChoice: { name: 'f' } }));
    assert.deepEqual(named, { tools: [f], toolChoice: { tool: { name: 'f' } } });
    assert.equal(configOf(request({ tools: [tool], toolChoice: 'none' })), undefined);
  });

  test('of the conversation are declared, because the API requires it', () => {
    const { body, losses } = encodeRequest({ model: claude, messages: call });
    assert.deepEqual(body['toolConfig'], {
      tools: [{ toolSpec: { name: 'g', inputSchema: { json: { type: 'object' } } } }],
    });
    assert.deepEqual(losses, ['the tools that the conversation calls were declared: the API requires it']);
    const invalid = { toolUse: { toolUseId: 'a', name: 'g', input: { invalid_json: '{"x' } } };
    assert.deepEqual(contentOf({ model: claude, messages: call }, 1), [invalid]);
  });

  test('cannot be forced with every model', () => {
    const model = 'meta.llama3-3-70b-instruct-v1:0';
    const { body, dropped } = encodeRequest(request({ model, tools: [tool], toolChoice: 'required' }));
    assert.deepEqual([body['toolConfig'], dropped], [{ tools: [f] }, ['toolChoice']]);
  });

  test('cannot be forbidden after a call, nor called one by one', () => {
    const { dropped } = encodeRequest({
      model: claude,
      messages: call,
      tools: [tool],
      toolChoice: 'none',
      parallelToolCalls: false,
    });
    assert.deepEqual(dropped, ['toolChoice', 'parallelToolCalls']);
  });
});

describe('reasoning', () => {
  test('of Claude is a budget, or an effort since 4.6', () => {
    const thinking = { thinking: { type: 'enabled', budget_tokens: 2048 } };
    assert.deepEqual(reasoningOf(claude, { reasoning: { budgetTokens: 2048 } }), [thinking, undefined, []]);
    assert.deepEqual(reasoningOf(claude, { reasoning: { effort: 'low' } }), [thinking, undefined, []]);
    const adaptive = { thinking: { type: 'adaptive' } };
    const newest = 'us.anthropic.claude-opus-4-6-v1';
    assert.deepEqual(reasoningOf(newest, { reasoning: { effort: 'max' } }), [adaptive, { effort: 'max' }, []]);
    const { body } = encodeRequest(request({ temperature: 0.5, reasoning: { budgetTokens: 1024 } }));
    assert.equal(body['inferenceConfig'], undefined);
  });

  test('of other families has their own fields, or is left out', () => {
    const nova = { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } };
    assert.deepEqual(reasoningOf('us.amazon.nova-2-lite-v1:0', { reasoning: { effort: 'max' } }), [
      nova,
      undefined,
      [],
    ]);
    const off = { reasoningConfig: { type: 'disabled' } };
    assert.deepEqual(reasoningOf('us.amazon.nova-2-lite-v1:0', { reasoning: { effort: 'none' } }), [
      off,
      undefined,
      [],
    ]);
    const oss = { reasoning_effort: 'low' };
    assert.deepEqual(reasoningOf('openai.gpt-oss-120b-1:0', { reasoning: { effort: 'minimal' } }), [
      oss,
      undefined,
      [],
    ]);
    const llama = reasoningOf('meta.llama4-maverick-17b-instruct-v1:0', { reasoning: { effort: 'low' } });
    assert.deepEqual(llama, [undefined, undefined, ['reasoning']]);
  });

  test('that the caller sets for this wire takes precedence', () => {
    const own = {
      additionalModelRequestFields: { thinking: { type: 'disabled' }, top_k: 5 },
      serviceTier: { type: 'flex' },
    };
    const { body } = encodeRequest(request({ reasoning: { effort: 'high' }, extra: { 'bedrock-converse': own } }));
    assert.deepEqual(body['additionalModelRequestFields'], own.additionalModelRequestFields);
    assert.deepEqual(body['serviceTier'], { type: 'flex' });
  });
});

test('limits, sampling, stop sequences and a schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const { body, dropped, losses } = encodeRequest(
    request({
      maxTokens: 9,
      temperature: 1.5,
      topP: 0.5,
      stop: ['END'],
      seed: 4,
      user: 'u',
      responseFormat: { type: 'json-schema', name: 'x', schema },
    }),
  );
  assert.deepEqual(body['inferenceConfig'], { maxTokens: 9, temperature: 1, topP: 0.5, stopSequences: ['END'] });
  assert.deepEqual(body['outputConfig'], {
    textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'x', schema: JSON.stringify(schema) } } },
  });
  assert.deepEqual(dropped, ['temperature', 'seed']);
  assert.ok(losses.includes('the user was left out'));
});

describe('what the wire cannot carry is refused by name', () => {
  const rows: readonly (readonly [Block, RegExp])[] = [
    [{ type: 'image', source: { kind: 'url', url: 'https://x/a.png' } }, /images by URL; send the bytes/],
    [{ type: 'image', source: { kind: 'file', id: 'f' } }, /images by file id/],
    [
      { type: 'image', source: { kind: 'base64', mediaType: 'image/bmp', data: 'A' } },
      /images of the type "image\/bmp"/,
    ],
    [{ type: 'image', source: { kind: 'url', url: 's3://b/a' } }, /format of images from this URL/],
    [{ type: 'document', source: { kind: 'url', url: 'https://x/a.pdf' } }, /documents by URL/],
    [{ type: 'document', source: { kind: 'base64', mediaType: 'application/zip', data: 'A' } }, /"application\/zip"/],
    [{ type: 'audio', format: 'aiff', data: 'A' }, /audio of the format "aiff"/],
  ];
  for (const [block, problem] of rows) {
    test(problem.source, () => {
      const found = findUnsupported(request({}, [block]));
      assert.equal(found?.field, 'messages');
      assert.match(found?.problem ?? '', problem);
      const inside = findUnsupported(request({}, [{ type: 'tool-result', callId: 'c', content: [block as never] }]));
      assert.match(inside?.problem ?? '', problem);
    });
  }

  test('several choices', () => assert.equal(findUnsupported(request({ choices: 2 }))?.field, 'n'));
  test('and nothing else', () => assert.equal(findUnsupported(request()), undefined));
});
