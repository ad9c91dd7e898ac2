// Members, words and bytes that the APIs refuse anywhere in a request, so the simulator does too.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { failsWith } from '../../../test/support/fails-with.ts';
import { validateConverse } from './bedrock/validate-converse.ts';
import { validateGemini } from './gemini/validate.ts';
import { validateAnthropic } from './validate-anthropic.ts';
import { validateOpenai } from './validate-openai.ts';
import { validateResponses } from './validate-responses.ts';

type Members = Readonly<Record<string, unknown>>;
type Row = readonly [problem: RegExp, more: Members];

function refuses(name: string, validate: (more: Members) => void, rows: readonly Row[]): void {
  describe(name, () => {
    test('accepts what has none of it', () => validate({}));
    for (const [problem, more] of rows) {
      test(`refuses: ${problem.source}`, () => assert.throws(() => validate(more), failsWith('bad-request', problem)));
    }
  });
}

const urlSafe = '-_-_';
const unpadded = 'AAA';
const user = (...content: readonly Members[]): Members => ({ messages: [{ role: 'user', content }] });
const text = { type: 'text', text: 'Hi' };
const schema = { type: 'object', properties: {}, additionalProperties: false };

const pdf = (source: Members): Members => user({ type: 'document', source });
const image = (source: Members): Members => user({ type: 'image', source });
const png = { type: 'base64', media_type: 'image/png' };

refuses('the Anthropic API', (more) => validateAnthropic({ model: 'm', max_tokens: 2000, ...user(text), ...more }), [
  [/messages\.0\.content\.0\.text\.index: Extra inputs/, user({ ...text, index: 0 })],
  [/image\.detail: Extra inputs/, user({ type: 'image', source: { ...png, data: 'AAAA' }, detail: 'low' })],
  [/image\.source\.base64\.url: Extra inputs/, image({ ...png, data: 'AAAA', url: 'x' })],
  [/image\.source\.base64\.data: Invalid base64/, image({ ...png, data: urlSafe })],
  [/image\.source\.base64\.data: Invalid base64/, image({ ...png, data: unpadded })],
  [/image\.source\.file\.file_id: Field required/, image({ type: 'file' })],
  [
    /document\.source\.base64\.data: Invalid base64/,
    pdf({ type: 'base64', media_type: 'application/pdf', data: urlSafe }),
  ],
  [
    /base64\.media_type: Input should be 'application\/pdf'/,
    pdf({ type: 'base64', media_type: 'text/plain', data: 'AAAA' }),
  ],
  [/text\.media_type: Input should be 'text\/plain'/, pdf({ type: 'text', media_type: 'text/html', data: 'x' })],
  [/document\.source: Input tag 'blob'/, pdf({ type: 'blob' })],
  [/system\.0\.name: Extra inputs/, { system: [{ ...text, name: 'x' }] }],
  [/tools\.0\.custom\.parameters: Extra inputs/, { tools: [{ name: 'f', input_schema: schema, parameters: schema }] }],
  [
    /tool_choice\.auto\.name: Extra inputs/,
    { tools: [{ name: 'f', input_schema: schema }], tool_choice: { type: 'auto', name: 'f' } },
  ],
  [/thinking\.enabled\.effort: Extra inputs/, { thinking: { type: 'enabled', budget_tokens: 1024, effort: 'low' } }],
  [/thinking\.display: Input should be/, { thinking: { type: 'adaptive', display: 'all' } }],
  [/output_config\.effort: Input should be/, { output_config: { effort: 'minimal' } }],
  [
    /output_config\.format\.name: Extra inputs/,
    { output_config: { format: { type: 'json_schema', name: 'x', schema } } },
  ],
  [/metadata\.trace: Extra inputs/, { metadata: { trace: 'x' } }],
  [/service_tier: Input should be/, { service_tier: 'flex' }],
  [/top_k: Input should be/, { top_k: -1 }],
  [/ephemeral\.forever: Extra inputs/, user({ ...text, cache_control: { type: 'ephemeral', forever: true } })],
]);

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const called = (more: Members): Members => ({
  messages: [
    { role: 'user', content: 'x' },
    { role: 'assistant', tool_calls: [more] },
    { role: 'tool', tool_call_id: 'c', content: 'y' },
  ],
});
const wav = (data: string): Members => user({ type: 'input_audio', input_audio: { data, format: 'wav' } });
const file = (more: Members): Members => user({ type: 'file', file: { filename: 'a.pdf', ...more } });

refuses('the OpenAI API', (more) => validateOpenai({ model: 'm', ...user(text), ...more }), [
  [/Unknown parameter: 'messages\[0\]\.content\[0\]\.index'/, user({ ...text, index: 0 })],
  [/Unknown parameter: 'messages\[1\]\.tool_calls\[0\]\.input'/, called({ ...call, input: {} })],
  [
    /Unknown parameter: 'messages\[1\]\.tool_calls\[0\]\.function\.raw'/,
    called({ ...call, function: { ...call.function, raw: '' } }),
  ],
  [
    /image_url\.url'.*invalid base64/,
    user({ type: 'image_url', image_url: { url: `data:image/png;base64,${urlSafe}` } }),
  ],
  [/input_audio\.data'.*base64/, wav(urlSafe)],
  [/Invalid file data/, file({ file_data: `data:application/pdf;base64,${unpadded}` })],
  [/Invalid file data/, file({ file_data: 'AAAA' })],
  [/Missing required parameter: .*file\.file_id/, file({})],
  [/Invalid value: 'file'/, { messages: [{ role: 'system', content: [{ type: 'file', file: { file_id: 'x' } }] }] }],
  [
    /Unknown parameter: 'tools\[0\]\.function\.input_schema'/,
    { tools: [{ type: 'function', function: { name: 'f', input_schema: schema } }] },
  ],
  [
    /Unknown parameter: 'response_format\.strict'/,
    { response_format: { type: 'json_schema', strict: true, json_schema: { name: 'x', schema } } },
  ],
  [/Unknown parameter: 'stream_options\.usage'/, { stream: true, stream_options: { usage: true } }],
  [/Invalid value: 'utmost'/, { reasoning_effort: 'utmost' }],
  [/Invalid value: 'chatty'/, { verbosity: 'chatty' }],
  [/Invalid value: 'standard_only'/, { service_tier: 'standard_only' }],
]);

const items = (...input: readonly Members[]): Members => ({ input });
const said = (...content: readonly Members[]): Members => items({ role: 'user', content });

refuses('the Responses API', (more) => validateResponses({ model: 'm', input: 'Hi', ...more }), [
  [/Unknown parameter: 'input\[0\]\.tool_calls'/, items({ role: 'user', content: 'x', tool_calls: [] })],
  [/Unknown parameter: 'input\[0\]\.status'/, items({ type: 'reasoning', id: 'rs_1', summary: [], status: null })],
  [
    /Unknown parameter: 'input\[0\]\.content\[0\]\.cache_control'/,
    said({ type: 'input_text', text: 'x', cache_control: {} }),
  ],
  [/image_url'\. Expected a valid URL/, said({ type: 'input_image', image_url: `data:image/png;base64,${urlSafe}` })],
  [/Invalid file data/, said({ type: 'input_file', file_data: `data:application/pdf;base64,${urlSafe}` })],
  [
    /Unknown parameter: 'tools\[0\]\.input_schema'/,
    { tools: [{ type: 'function', name: 'f', strict: false, input_schema: schema }] },
  ],
  [/Unknown parameter: 'reasoning\.budget'/, { reasoning: { budget: 1 } }],
  [/Unknown parameter: 'text\.format\.json_schema'/, { text: { format: { type: 'json_schema', json_schema: {} } } }],
  [/Invalid value: 'chatty'/, { text: { verbosity: 'chatty' } }],
  [/Invalid value: 'always'/, { truncation: 'always' }],
]);

const block = (content: Members): Members => ({ messages: [{ role: 'user', content: [{ text: 'x' }, content] }] });
const thought = (reasoningContent: Members): Members => ({
  messages: [
    { role: 'user', content: [{ text: 'x' }] },
    { role: 'assistant', content: [{ reasoningContent }] },
  ],
});

refuses(
  'Bedrock',
  (more) => validateConverse({ modelId: 'm', messages: [{ role: 'user', content: [{ text: 'Hi' }] }], ...more }),
  [
    [/image\.detail is not known/, block({ image: { format: 'png', source: { bytes: 'AAAA' }, detail: 'low' } })],
    [/image\.source\.url is not known/, block({ image: { format: 'png', source: { url: 'x' } } })],
    [/image\.source\.bytes is not valid base64/, block({ image: { format: 'png', source: { bytes: urlSafe } } })],
    [/audio\.source\.bytes is not valid base64/, block({ audio: { format: 'wav', source: { bytes: unpadded } } })],
    [
      /document\.title is not known/,
      block({ document: { format: 'pdf', name: 'a', title: 'a', source: { bytes: 'AAAA' } } }),
    ],
    [/cachePoint\.scope is not known/, block({ cachePoint: { type: 'default', scope: 'x' } })],
    [/reasoningText\.id is not known/, thought({ reasoningText: { text: 'x', id: '1' } })],
    [/redactedContent is not valid base64/, thought({ redactedContent: 'no!' })],
  ],
);

const part = (more: Members): Members => ({ contents: [{ role: 'user', parts: [more] }] });
const blob = (data: string): Members => part({ inlineData: { mimeType: 'image/png', data } });
const declared = (more: Members): Members => ({ tools: [{ functionDeclarations: [{ name: 'f', ...more }] }] });
const config = (generationConfig: Members): Members => ({ generationConfig });

refuses(
  'the Gemini API',
  (more) => validateGemini({ contents: [{ parts: [{ text: 'Hi' }] }], ...more }, 'gemini-2.5-flash'),
  [
    [/'contents\[0\]\.parts\[0\]\.inline_data\.data' \(TYPE_BYTES\), Base64 decoding failed/, blob('no!')],
    [/Base64 decoding failed/, blob('-_+/')],
    [/Base64 decoding failed/, blob('A')],
    [
      /thought_signature' \(TYPE_BYTES\), Base64 decoding failed/,
      part({ text: 'x', thoughtSignature: 'simple-agents:{}' }),
    ],
    [/mime_type is required/, part({ inlineData: { data: 'AAAA' } })],
    [/function_call\.name: Name cannot be empty/, part({ functionCall: { args: {} } })],
    [/function_response\.name: Name cannot be empty/, part({ functionResponse: { name: '', response: {} } })],
    [
      /Unknown name "const" at '.*parameters\.properties\.a'/,
      declared({ parameters: { type: 'OBJECT', properties: { a: { const: 1 } } } }),
    ],
    [
      /'tools\[0\]\.function_declarations\[0\]\.parameters\.type' \(TYPE_ENUM\), "file"/,
      declared({ parameters: { type: 'file' } }),
    ],
    [
      /function_calling_config\.mode' \(TYPE_ENUM\), "REQUIRED"/,
      { toolConfig: { functionCallingConfig: { mode: 'REQUIRED' } } },
    ],
    [/thinking_level' \(TYPE_ENUM\), "XHIGH"/, config({ thinkingConfig: { thinkingLevel: 'XHIGH' } })],
    [
      /only one of thinking budget and thinking level/,
      config({ thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 5 } }),
    ],
    [/response_modalities\[0\]' \(TYPE_ENUM\), "SMELL"/, config({ responseModalities: ['SMELL'] })],
    [
      /safety_settings\[0\]\.threshold' \(TYPE_ENUM\)/,
      { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'ALL' }] },
    ],
  ],
);

test('the Gemini API accepts both alphabets, with and without padding, and types in any case', () => {
  for (const data of ['AAAA', '+/+/', '-_-_', 'AA==', 'AA', '']) validateGemini(blob(data), 'gemini-2.5-flash');
  const parameters = {
    type: 'object',
    properties: { type: { type: 'ARRAY', items: { type: 'string' }, minItems: '1' } },
  };
  const signature = { text: 'x', thoughtSignature: 'skip_thought_signature_validator' };
  validateGemini({ ...part(signature), ...declared({ parameters }) }, 'gemini-2.5-flash');
});
