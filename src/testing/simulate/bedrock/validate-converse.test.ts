// Requests that Bedrock rejects are rejected by the simulator, with the same reason.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { failsWith } from '../../../../test/support/fails-with.ts';
import { validateConverse } from './validate-converse.ts';

type Members = Record<string, unknown>;

const toolConfig = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }] };

function body(more: Members = {}): Members {
  return { modelId: 'm', stream: true, messages: [user({ text: 'Hi' })], ...more };
}

function user(...content: object[]): object {
  return { role: 'user', content };
}

function assistant(...content: object[]): object {
  return { role: 'assistant', content };
}

function messages(...list: object[]): Members {
  return body({ messages: list, toolConfig });
}

const call = { toolUse: { toolUseId: 'a', name: 'f', input: {} } };
const result = { toolResult: { toolUseId: 'a', content: [{ text: 'ok' }] } };
const image = { image: { format: 'png', source: { bytes: 'iVBORw0K' } } };
const document = { document: { format: 'pdf', name: 'a', source: { bytes: 'JVBERi0=' } } };

test('a complete request is accepted', () => {
  const content = [image, document, { text: 'Hi' }, { cachePoint: { type: 'default' } }];
  validateConverse(
    body({
      messages: [user(...content), assistant(call), user(result)],
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
      inferenceConfig: { maxTokens: 5, temperature: 1, topP: 0, stopSequences: ['x'] },
      toolConfig: { ...toolConfig, toolChoice: { tool: { name: 'f' } } },
      outputConfig: { effort: 'low' },
    }),
  );
});

describe('rejected', () => {
  const rows: readonly (readonly [problem: RegExp, body: unknown])[] = [
    [/not valid JSON/, 'text'],
    [/model identifier is invalid/, body({ modelId: 'unknown-model' })],
    [/member max_tokens is not known/, body({ max_tokens: 5 })],
    [/Value at 'messages'.*must not be null/, body({ messages: undefined })],
    [/must start with a user message/, messages(assistant({ text: 'Hi' }))],
    [/must alternate between user and assistant/, messages(user({ text: 'a' }), user({ text: 'b' }))],
    [/content field .* at messages\.0 is empty/, messages(user())],
    [/text field .* at messages\.0\.content\.0 is blank/, messages(user({ text: ' ' }))],
    [/must set one of the following keys/, messages(user({ text: 'a', ...image }))],
    [/toolUse block .* is not allowed .* user/, messages(user(call))],
    [/image block .* is not allowed .* assistant/, messages(user({ text: 'a' }), assistant(image))],
    [/toolConfig field must be defined/, body({ messages: [user({ text: 'a' }), assistant(call), user(result)] })],
    [/Expected toolResult blocks .* Ids: a/, messages(user({ text: 'a' }), assistant(call), user({ text: 'b' }))],
    [/exceeds the number of toolUse blocks/, messages(user(result))],
    [/toolUseId/, messages(user({ text: 'a' }), assistant({ toolUse: { ...call.toolUse, toolUseId: 'a:1' } }))],
    [/Provide a json object/, messages(user({ text: 'a' }), assistant({ toolUse: { ...call.toolUse, input: 'x' } }))],
    [/image\.format/, messages(user({ image: { ...image.image, format: 'bmp' } }))],
    [/not valid base64/, messages(user({ image: { format: 'png', source: { bytes: 'no!' } } }))],
    [/text block must be included/, messages(user(document))],
    [/duplicate document names/, messages(user(document, document, { text: 'a' }))],
    [/document file name/, messages(user({ document: { ...document.document, name: 'a.pdf' } }, { text: 'a' }))],
    [/cachePoint\.type/, messages(user({ text: 'a' }, { cachePoint: { type: 'x' } }))],
    [/temperature.*less than or equal to 1/, body({ inferenceConfig: { temperature: 1.5 } })],
    [/maxTokens.*greater than or equal to 1/, body({ inferenceConfig: { maxTokens: 0 } })],
    [/stopSequences\.0/, body({ inferenceConfig: { stopSequences: [''] } })],
    [/toolConfig\.tools.*length/, body({ toolConfig: { tools: [] } })],
    [
      /must be one of the following: object/,
      body({ toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: {} } } }] } }),
    ],
    [/already defined/, body({ toolConfig: { tools: [...toolConfig.tools, ...toolConfig.tools] } })],
    [/tool g .* is not in toolConfig/, body({ toolConfig: { ...toolConfig, toolChoice: { tool: { name: 'g' } } } })],
    [/exactly one member/, body({ toolConfig: { ...toolConfig, toolChoice: {} } })],
    [
      /tool_choice: type "tool" and "any" are not supported/,
      body({ modelId: 'us.anthropic.claude-opus-5-5', toolConfig: { ...toolConfig, toolChoice: { any: {} } } }),
    ],
    [/`temperature` is dep/, body({ modelId: 'anthropic.claude-opus-5', inferenceConfig: { temperature: 0 } })],
    [/`top_p` is dep/, body({ modelId: 'anthropic.claude-opus-5', inferenceConfig: { topP: 0.5 } })],
    [/system\.0 is blank/, body({ system: [{ text: '' }] })],
    [/outputConfig\.effort/, body({ outputConfig: { effort: 'none' } })],
    [
      /is not valid JSON/,
      body({ outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: '{' } } } } }),
    ],
  ];
  for (const [problem, wrong] of rows) {
    test(problem.source, () => assert.throws(() => validateConverse(wrong), failsWith('bad-request', problem)));
  }
});
