// Requests for the Gemini wire: what is translated, refused and reported, and that a request of its own clients passes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { JsonObject } from '../../core/json.ts';
import type { Block, Message } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest, type Reasoning } from '../../core/request.ts';
import { encodeRequest, findUnsupported } from './client-request.ts';
import { decodeRequest } from './server-request.ts';

const text: Block = { type: 'text', text: 'Hi' };
const tools = [{ name: 'f', inputSchema: { type: 'object' } }];

function request(more: Partial<ChatRequest> = {}, content: readonly Block[] = [text]): ChatRequest {
  return { model: 'gemini-3-pro', messages: [{ role: 'user', content }], stream: false, ...more };
}

function partsOf(blocks: readonly Block[], model = 'gemini-3-pro'): unknown {
  const messages: Message[] = [{ role: 'assistant', content: blocks }];
  const { contents } = encodeRequest({ model, messages }).body as { contents: JsonObject[] };
  return contents[0]?.['parts'];
}

function thinkingOf(model: string, reasoning: Reasoning): unknown {
  const { generationConfig } = encodeRequest(request({ model, reasoning })).body as { generationConfig?: JsonObject };
  return generationConfig?.['thinkingConfig'];
}

function result(content: Block[], more: object = {}): Block {
  return { type: 'tool-result', callId: 'c1', content, ...more } as Block;
}

describe('a request of another wire', () => {
  test('has the model and the form of the response in its path', () => {
    assert.equal(encodeRequest(request()).path, '/models/gemini-3-pro:generateContent');
    assert.equal(encodeRequest(request({ stream: true })).path, '/models/gemini-3-pro:streamGenerateContent?alt=sse');
    assert.equal(encodeRequest(request({ model: 'tunedModels/a b' })).path, '/tunedModels/a%20b:generateContent');
  });

  test('has its system messages at the front, and turns that alternate', () => {
    const messages: Message[] = [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [text] },
      { role: 'user', content: [text] },
      { role: 'system', content: [{ type: 'text', text: 'Now.' }] },
    ];
    const { body, losses } = encodeRequest({ model: 'm', messages });
    assert.deepEqual(body['systemInstruction'], { parts: [{ text: 'Be brief.' }, { text: 'Now.' }] });
    assert.deepEqual(body['contents'], [{ role: 'user', parts: [{ text: 'Hi' }, { text: 'Hi' }] }]);
    assert.equal(losses.length, 1);
  });

  test('has its tools in one declaration, and every tool choice', () => {
    const { body } = encodeRequest(request({ tools, toolChoice: { name: 'f' } }));
    assert.deepEqual(body['tools'], [
      { functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] },
    ]);
    assert.deepEqual(body['toolConfig'], { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } });
    const modes = (['auto', 'none', 'required'] as const).map(
      (toolChoice) => encodeRequest(request({ tools, toolChoice })).body['toolConfig'],
    );
    assert.deepEqual(
      modes,
      ['AUTO', 'NONE', 'ANY'].map((mode) => ({ functionCallingConfig: { mode } })),
    );
    assert.deepEqual(encodeRequest(request({ toolChoice: 'required' })).dropped, ['toolChoice']);
    assert.deepEqual(encodeRequest(request({ tools, parallelToolCalls: false })).dropped, ['parallelToolCalls']);
  });

  test('has strict tools as the mode that enforces all schemas', () => {
    const strict = [
      { ...tools[0]!, strict: true },
      { name: 'g', inputSchema: {} },
    ];
    const encode = (more: Partial<ChatRequest>): unknown[] => {
      const { body, losses } = encodeRequest(request({ tools: strict, ...more }));
      return [(body['toolConfig'] as JsonObject | undefined)?.['functionCallingConfig'], losses];
    };
    assert.deepEqual(encode({}), [{ mode: 'VALIDATED' }, []]);
    assert.deepEqual(encode({ toolChoice: 'auto' }), [{ mode: 'VALIDATED' }, []]);
    assert.deepEqual(encode({ toolChoice: 'required' }), [{ mode: 'ANY' }, []]);
    assert.deepEqual(encode({ toolChoice: 'none' }), [{ mode: 'NONE' }, []]);
    const loss = ['the strict flag of a tool was left out'];
    assert.deepEqual(encode({ model: 'gemini-2.5-pro' }), [undefined, loss]);
    assert.deepEqual(encode({ model: 'gemini-2.5-pro', toolChoice: 'required' }), [{ mode: 'ANY' }, []]);
  });

  test('has a response format, except beside the tools of an older model', () => {
    const schema = { type: 'object' };
    const format = { type: 'json-schema', schema } as const;
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
    assert.deepEqual(encodeRequest(request({ responseFormat: format, tools })).body['generationConfig'], config);
    const older = encodeRequest(request({ responseFormat: format, tools, model: 'gemini-2.5-pro' }));
    assert.deepEqual([older.body['generationConfig'], older.dropped], [undefined, ['responseFormat']]);
  });

  test('has thinking as a level, as a budget, or not at all, as the model does', () => {
    assert.deepEqual(thinkingOf('gemini-3-pro', { effort: 'high' }), { thinkingLevel: 'HIGH', includeThoughts: true });
    assert.deepEqual(thinkingOf('gemini-flash-latest', { effort: 'low' }), {
      thinkingLevel: 'LOW',
      includeThoughts: true,
    });
    assert.deepEqual(thinkingOf('gemini-2.5-pro', { effort: 'medium' }), {
      thinkingBudget: 8192,
      includeThoughts: true,
    });
    assert.deepEqual(thinkingOf('gemini-2.5-flash', { effort: 'none' }), { thinkingBudget: 0 });
    assert.deepEqual(thinkingOf('gemini-2.5-pro', { effort: 'none' }), { thinkingBudget: 128 });
    assert.deepEqual(thinkingOf('gemini-3-pro', { budgetTokens: 9 }), { thinkingBudget: 9, includeThoughts: true });
    assert.equal(thinkingOf('gemini-2.0-flash', { effort: 'high' }), undefined);
  });

  test('has files inline and by URL, and is refused with a file by its id', () => {
    const media: Block[] = [
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } },
      { type: 'image', source: { kind: 'url', url: 'https://example.com/a.jpg?x=1' } },
      { type: 'audio', format: 'wav', data: 'BB==' },
      { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'CC==' } },
      { type: 'document', source: { kind: 'text', text: 'A text.' } },
    ];
    const { contents } = encodeRequest(request({}, media)).body as { contents: JsonObject[] };
    assert.deepEqual(contents[0]?.['parts'], [
      { inlineData: { mimeType: 'image/png', data: 'AA==' } },
      { fileData: { fileUri: 'https://example.com/a.jpg?x=1', mimeType: 'image/jpeg' } },
      { inlineData: { mimeType: 'audio/wav', data: 'BB==' } },
      { inlineData: { mimeType: 'application/pdf', data: 'CC==' } },
      { text: 'A text.' },
    ]);
    assert.equal(findUnsupported(request({}, media)), undefined);
    const byId = request({}, [{ type: 'document', source: { kind: 'file', id: 'file_1' } }]);
    assert.equal(findUnsupported(byId)?.field, 'messages');
  });
});

describe('the results of calls', () => {
  const call: Block = { type: 'tool-call', id: 'c1', name: 'f', input: {} };
  const responseOf = (block: Block, model = 'gemini-3-pro'): unknown[] => {
    const messages: Message[] = [
      { role: 'assistant', content: [call] },
      { role: 'user', content: [block] },
    ];
    const { contents } = encodeRequest({ model, messages }).body as { contents: { parts: JsonObject[] }[] };
    return contents[1]?.parts ?? [];
  };

  test('repeat the name, and are an output, an error or an object', () => {
    const name = { id: 'c1', name: 'f' };
    assert.deepEqual(responseOf(result([text])), [{ functionResponse: { ...name, response: { output: 'Hi' } } }]);
    assert.deepEqual(responseOf(result([text], { isError: true })), [
      { functionResponse: { ...name, response: { error: 'Hi' } } },
    ]);
    const json: Block = { type: 'text', text: '{"a":[1]}' };
    assert.deepEqual(responseOf(result([json])), [{ functionResponse: { ...name, response: { a: [1] } } }]);
    const confusing: Block = { type: 'text', text: '{"output":"x"}' };
    assert.deepEqual(responseOf(result([confusing])), [
      { functionResponse: { ...name, response: { output: '{"output":"x"}' } } },
    ]);
  });

  test('contain images for newer models, which follow the result for older ones', () => {
    const image: Block = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } };
    const part = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const functionResponse = { id: 'c1', name: 'f', response: { output: '' } };
    assert.deepEqual(responseOf(result([image])), [{ functionResponse: { ...functionResponse, parts: [part] } }]);
    assert.deepEqual(responseOf(result([image]), 'gemini-2.5-flash'), [{ functionResponse }, part]);
  });

  test('of a call without an id of its own have none', () => {
    const own: Block = { type: 'tool-call', id: 'gemini-call-r-0', name: 'f', input: { a: 1 } };
    assert.deepEqual(partsOf([own], 'gemini-2.5-pro'), [{ functionCall: { name: 'f', args: { a: 1 } } }]);
  });
});

describe('signatures', () => {
  const origin = { wire: 'gemini' };
  const call: Block = { type: 'tool-call', id: 'c1', name: 'f', input: {} };
  const functionCall = { id: 'c1', name: 'f', args: {} };
  const hidden: Block = { type: 'reasoning', text: '', signature: 's', origin };
  const shown: Block = { type: 'reasoning', text: 'Hm', signature: 's', origin };

  test('are sent with the part after the reasoning, or with the thought', () => {
    assert.deepEqual(partsOf([hidden, call]), [{ functionCall, thoughtSignature: 's' }]);
    assert.deepEqual(partsOf([shown, call]), [
      { text: 'Hm', thought: true },
      { functionCall, thoughtSignature: 's' },
    ]);
    assert.deepEqual(partsOf([hidden, text]), [{ text: 'Hi', thoughtSignature: 's' }]);
    assert.deepEqual(partsOf([shown]), [{ text: 'Hm', thought: true, thoughtSignature: 's' }]);
    assert.deepEqual(partsOf([text, hidden]), [{ text: 'Hi' }, { text: '', thoughtSignature: 's' }]);
  });

  test('of calls by another model are the value that the API defines for them, once in a turn', () => {
    const [first, second] = partsOf([call, { ...call, id: 'c2' }]) as JsonObject[];
    assert.deepEqual(first, { functionCall, thoughtSignature: 'skip_thought_signature_validator' });
    assert.equal(second?.['thoughtSignature'], undefined);
    assert.deepEqual(partsOf([call], 'gemini-2.5-flash'), [{ functionCall }]);
  });

  test('of another provider are not sent', () => {
    const foreign: Block = { ...shown, origin: { wire: 'anthropic-messages' } };
    const { body, losses } = encodeRequest({ model: 'm', messages: [{ role: 'assistant', content: [foreign, text] }] });
    assert.deepEqual(body['contents'], [{ role: 'model', parts: [{ text: 'Hi' }] }]);
    assert.deepEqual(losses, ['reasoning of another provider was left out']);
  });
});

describe('a request of a client of this wire', () => {
  test('passes unchanged', () => {
    const body = {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Weather?' }, { inlineData: { mimeType: 'video/mp4', data: 'AA==' } }] },
        {
          role: 'model',
          parts: [
            { text: 'Hm', thought: true },
            { functionCall: { id: 'c1', name: 'f', args: { city: 'Paris' } }, thoughtSignature: 'czE=' },
            { functionCall: { name: 'g', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'c1', name: 'f', response: { result: { degrees: 20 } } } },
            { functionResponse: { name: 'g', response: { output: 'now' } } },
            {
              fileData: { fileUri: 'https://example.com/file', mimeType: 'image/png' },
              mediaResolution: { level: 'LOW' },
            },
          ],
        },
        { role: 'model', parts: [{ text: 'Warm.', thoughtSignature: 'czI=' }] },
        { role: 'user', parts: [{ text: 'Thanks' }] },
      ],
      tools: [
        { functionDeclarations: [{ name: 'f', description: 'd', parametersJsonSchema: {}, behavior: 'BLOCKING' }] },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] } },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      generationConfig: {
        maxOutputTokens: 9,
        temperature: 1.5,
        topP: 0.9,
        stopSequences: ['x'],
        seed: 7,
        candidateCount: 2,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        topK: 3,
        thinkingConfig: { thinkingBudget: -1, includeThoughts: true },
      },
      newField: { a: 1 },
    };
    assert.deepEqual(encodeRequest({ ...decodeRequest(body), model: 'm' }).body, body);
  });

  test('may be written in snake case and with schemas of Google', () => {
    const body = {
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      contents: { parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }] },
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { my_key: { type: 'STRING' } } } },
          ],
        },
      ],
      generation_config: {
        response_mime_type: 'application/json',
        response_schema: {
          type: 'OBJECT',
          properties: {
            b: { type: 'INTEGER', nullable: true },
            a: { type: 'ARRAY', items: { type: 'STRING' }, maxItems: '3' },
          },
          propertyOrdering: ['a', 'b'],
        },
      },
    };
    const { responseFormat, tools: decoded, messages } = decodeRequest(body);
    assert.deepEqual(messages[1]?.content, [
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AA==' } },
    ]);
    assert.deepEqual(decoded, [
      { name: 'f', inputSchema: { type: 'object', properties: { my_key: { type: 'string' } } } },
    ]);
    const schema = responseFormat?.type === 'json-schema' ? responseFormat.schema : {};
    assert.deepEqual(schema, {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'string' }, maxItems: 3 }, b: { type: ['integer', 'null'] } },
    });
    assert.deepEqual(Object.keys(schema['properties'] as object), ['a', 'b']);
  });

  test('is refused elsewhere where a field changes the meaning, and its errors name the field', () => {
    const several = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] } };
    const { extra, toolChoice } = decodeRequest({ contents: [{ parts: [{ text: 'Hi' }] }], toolConfig: several });
    assert.deepEqual(extra?.['gemini']?.['toolConfig.allowedFunctionNames'], ['f', 'g']);
    assert.equal(toolChoice, 'required');
    assert.throws(() => decodeRequest({}), { field: 'contents' });
    assert.throws(() => decodeRequest({ contents: [{ parts: [{ text: 3 }] }] }), { field: 'contents.0.parts.0.text' });
    assert.throws(() => decodeRequest({ contents: [{ role: 'system', parts: [] }] }), { field: 'contents.0.role' });
  });

  test('makes tools strict in the mode VALIDATED, if other APIs accept their schemas as strict', () => {
    const closed = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const nested = { ...closed, properties: { a: { type: 'array', items: closed } } };
    const schemas = [
      [closed, true],
      [nested, true],
      [{ ...closed, required: [] }, undefined],
      [{ ...closed, additionalProperties: true }, undefined],
      [{ ...closed, properties: { a: { type: 'object', properties: {} } } }, undefined],
    ] as const;
    for (const [mode, isValidated] of [
      ['VALIDATED', true],
      ['ANY', false],
    ] as const) {
      const functionDeclarations = schemas.map(([schema], at) => ({ name: `f${at}`, parametersJsonSchema: schema }));
      const { tools: decoded = [] } = decodeRequest({
        contents: [{ parts: [{ text: 'Hi' }] }],
        tools: [{ functionDeclarations }],
        toolConfig: { functionCallingConfig: { mode } },
      });
      assert.deepEqual(
        decoded.map((tool) => !isOpaqueTool(tool) && tool.strict),
        schemas.map(([, isStrict]) => (isValidated ? isStrict : undefined)),
      );
    }
  });

  test('ignores a tool that is null, as some clients send it', () => {
    const sent = [{ functionDeclarations: [{ name: 'f' }], codeExecution: null }];
    const { tools: decoded = [] } = decodeRequest({ contents: [{ parts: [{ text: 'Hi' }] }], tools: sent });
    assert.deepEqual(decoded.map(isOpaqueTool), [false]);
  });

  test('restores reasoning of another wire from a sealed signature', () => {
    const block = { origin: { wire: 'anthropic-messages' }, text: 'Hm', signature: 'real' };
    const thoughtSignature = `simple-agents:${JSON.stringify(block)}`;
    const parts = [
      { text: 'Hm', thought: true },
      { text: 'Hi', thoughtSignature },
    ];
    const { messages } = decodeRequest({ contents: [{ role: 'model', parts }] });
    assert.deepEqual(messages[0]?.content, [{ type: 'reasoning', ...block }, text]);
  });
});
