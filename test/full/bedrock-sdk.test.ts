// The official SDKs for Amazon Bedrock, unmodified, as clients of the simulator: they judge its paths, its binary streams
// and its errors, and it judges their requests.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { parseScript } from '../../src/testing/model/script.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import {
  anthropicBedrockSdk,
  bedrockSdk,
  type AnthropicBedrockSdk,
  type BedrockSdk,
  type ConverseOutput,
} from '../support/bedrock-sdk.ts';
import { requestFields } from '../../src/wire/request-fields.ts';
import { pixel } from '../support/gateway-stack.ts';
import { installedTools } from '../support/outside-agents.ts';

type Members = Record<string, unknown>;

const script = parseScript({
  otherwise: 'reply',
  replies: [
    {
      match: { contains: 'both, please' },
      interleave: true,
      toolCalls: [
        { name: 'get_weather', id: 'call_1', input: { city: 'Paris, the capital of France' } },
        { name: 'get_time', id: 'call_2', input: { zone: 'Europe/Paris, also called CET' } },
      ],
    },
    { match: 'think first', reasoning: 'One plus one.', text: 'Two.' },
    { match: 'cached', text: 'Hi', usage: { input: 3, output: 4, cacheRead: 100, cacheWrite: 20 } },
    { match: 'stop here', text: 'Hi', stopReason: 'stop-sequence' },
    { match: 'refuse', text: 'No', stopReason: 'refusal' },
    ...[400, 403, 404, 408, 429, 500, 503].map((status) => ({ match: `status ${status}`, fault: { status } })),
    ...['throttlingException', 'modelStreamErrorException', 'internalServerException', 'validationException'].map(
      (errorType) => ({ match: errorType, text: 'one two three', fault: { errorAfterEvents: 2, errorType } }),
    ),
    { match: 'unavailable', text: 'one two three', fault: { errorAfterEvents: 2 } },
    { match: 'damaged', text: 'one two three four', fault: { malformedSse: true } },
    { match: 'cut in the middle', text: 'one two three '.repeat(40), fault: { cutAtByte: 4000 } },
    { match: 'in small pieces', text: 'one two three', fault: { chunkSize: 7 } },
    { match: 'no usage', text: 'Hi', fault: { omitUsage: true } },
  ],
});

let server: SimulateServer;
let sdk: BedrockSdk;
let claude: AnthropicBedrockSdk;
before(async () => {
  server = await createSimulateServer({ script });
  sdk = await bedrockSdk();
  claude = await anthropicBedrockSdk();
});
after(() => server.close());

const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' };

function client(options: object = { credentials: keys }) {
  const requestHandler = new sdk.NodeHttpHandler();
  return new sdk.BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: server.url,
    maxAttempts: 1,
    requestHandler,
    ...options,
  });
}

function ask(text: string, more: Members = {}): Members {
  return { modelId: model, messages: [{ role: 'user', content: [{ text }] }], ...more };
}

async function converse(input: Members): Promise<ConverseOutput> {
  return (await client().send(new sdk.ConverseCommand(input))) as unknown as ConverseOutput;
}

async function stream(input: Members): Promise<Members[]> {
  const { stream: events } = await client().send(new sdk.ConverseStreamCommand(input));
  const read: Members[] = [];
  for await (const event of events as AsyncIterable<Members>) read.push(event);
  return read;
}

function textIn(events: readonly Members[]): string {
  const deltas = events.map(({ contentBlockDelta }) => contentBlockDelta as { delta: { text?: string } } | undefined);
  return deltas.map((event) => event?.delta.text ?? '').join('');
}

const objectSchema = { json: { type: 'object', properties: { city: { type: 'string' } } } };
const tools = ['get_weather', 'get_time'].map((name) => ({ toolSpec: { name, inputSchema: objectSchema } }));

async function invoke(modelId: string, body: object): Promise<Members> {
  const command = new sdk.InvokeModelCommand({
    modelId,
    contentType: 'application/json',
    body: JSON.stringify(body),
  });
  const answer = await client().send(command);
  return JSON.parse(new TextDecoder().decode(answer['body'] as Uint8Array)) as Members;
}

function anthropic() {
  const options = { awsRegion: 'us-east-1', awsAccessKey: 'AKID', awsSecretKey: 's', maxRetries: 0 };
  return new claude.AnthropicBedrock({ ...options, baseURL: server.url });
}

test('every field of the SDK’s request is in the table of fields', async () => {
  const folder = await installedTools('cloud');
  const path = '@aws-sdk/client-bedrock-runtime/dist-types/models/models_0.d.ts';
  const declarations = await readFile(join(folder, path), 'utf8');
  for (const name of ['ConverseRequest', 'ConverseStreamRequest']) {
    const [, body = ''] = new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(declarations) ?? [];
    const fields = [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = '']) => field);
    assert.deepEqual(fields.toSorted(), Object.keys(requestFields['bedrock-converse'] ?? {}).toSorted());
  }
});

describe('Converse', () => {
  test('text and usage', async () => {
    const { output, stopReason, usage } = await converse(ask('Count to 3'));
    assert.deepEqual(output.message, { role: 'assistant', content: [{ text: '1, 2, 3' }] });
    assert.equal(stopReason, 'end_turn');
    assert.ok((usage['totalTokens'] ?? 0) > 0);
  });

  test('a stream', async () => {
    const events = await stream(ask('Count to 3'));
    assert.equal(textIn(events), '1, 2, 3');
    const names = events.map((event) => Object.keys(event)[0]);
    assert.deepEqual([names[0], ...names.slice(-3)], ['messageStart', 'contentBlockStop', 'messageStop', 'metadata']);
  });

  test('a stream in small pieces is the same', async () => {
    assert.equal(textIn(await stream(ask('in small pieces'))), 'one two three');
  });

  test('an inference profile, whose ARN is in the path', async () => {
    const modelId = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5';
    const { output } = await converse(ask('Count to 2', { modelId }));
    assert.deepEqual(output.message.content, [{ text: '1, 2' }]);
    assert.equal(server.requests.at(-1)?.path, `/model/${encodeURIComponent(modelId)}/converse`);
  });

  test('two tools, whole and interleaved in a stream', async () => {
    const input = ask('both, please', { toolConfig: { tools } });
    const whole = await converse(input);
    assert.equal(whole.stopReason, 'tool_use');
    assert.deepEqual(whole.output.message.content, [
      { toolUse: { toolUseId: 'call_1', name: 'get_weather', input: { city: 'Paris, the capital of France' } } },
      { toolUse: { toolUseId: 'call_2', name: 'get_time', input: { zone: 'Europe/Paris, also called CET' } } },
    ]);
    const parts = new Map<number, string>();
    for (const { contentBlockDelta: event } of await stream(input)) {
      const { contentBlockIndex: index, delta } = (event ?? {}) as {
        contentBlockIndex?: number;
        delta?: { toolUse?: { input: string } };
      };
      if (index !== undefined) parts.set(index, (parts.get(index) ?? '') + (delta?.toolUse?.input ?? ''));
    }
    assert.deepEqual(
      [...parts.values()].map((json) => JSON.parse(json) as unknown),
      [{ city: 'Paris, the capital of France' }, { zone: 'Europe/Paris, also called CET' }],
    );
  });

  test('a result, an image and a document', async () => {
    const bytes = Buffer.from(pixel, 'base64');
    const content = [
      { toolResult: { toolUseId: 'a', status: 'error', content: [{ json: { a: 1 } }, { text: 'no' }] } },
      { image: { format: 'png', source: { bytes } } },
      { document: { format: 'txt', name: 'notes', source: { bytes: Buffer.from('Hello') } } },
      { text: 'What is in the image?' },
    ];
    const call = { toolUse: { toolUseId: 'a', name: 'get_weather', input: {} } };
    const messages = [
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [call] },
      { role: 'user', content },
    ];
    const { output } = await converse({ modelId: model, messages, toolConfig: { tools } });
    assert.match(String(output.message.content[0]?.['text']), /\S/);
  });

  test('reasoning, and it is accepted back', async () => {
    const events = await stream(ask('think first'));
    const deltas = events.flatMap(({ contentBlockDelta: event }) => {
      const { delta } = (event ?? {}) as { delta?: { reasoningContent?: { text?: string; signature?: string } } };
      return delta?.reasoningContent ?? [];
    });
    assert.equal(deltas.map(({ text = '' }) => text).join(''), 'One plus one.');
    assert.equal(deltas.filter(({ signature }) => signature !== undefined).length, 1);
    const { output } = await converse(ask('think first'));
    const messages = [
      ...(ask('x')['messages'] as Members[]),
      output.message,
      { role: 'user', content: [{ text: 'y' }] },
    ];
    await converse({ modelId: model, messages });
  });

  test('cache tokens, stop reasons and a schema', async () => {
    const { usage } = await converse(ask('cached'));
    assert.deepEqual([usage['cacheReadInputTokens'], usage['cacheWriteInputTokens']], [100, 20]);
    assert.equal((await converse(ask('stop here'))).stopReason, 'stop_sequence');
    assert.equal((await converse(ask('refuse'))).stopReason, 'content_filtered');
    const schema = JSON.stringify({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] });
    const textFormat = { type: 'json_schema', structure: { jsonSchema: { name: 'x', schema } } };
    const { output } = await converse(ask('An example', { outputConfig: { textFormat } }));
    assert.deepEqual(Object.keys(JSON.parse(String(output.message.content[0]?.['text'])) as object), ['a']);
    const events = await stream(ask('no usage'));
    const { metadata } = events.at(-1) as { metadata: Members };
    assert.equal(metadata['usage'], undefined);
  });
});

describe('errors', () => {
  const statuses: Readonly<Record<number, string>> = {
    400: 'ValidationException',
    403: 'AccessDeniedException',
    404: 'ResourceNotFoundException',
    408: 'ModelTimeoutException',
    429: 'ThrottlingException',
    500: 'InternalServerException',
    503: 'ServiceUnavailableException',
  };
  for (const [status, name] of Object.entries(statuses)) {
    test(`${status} is ${name}`, async () => {
      await assert.rejects(converse(ask(`status ${status}`)), {
        name,
        $fault: /^[45]/.exec(status)?.[0] === '5' ? 'server' : 'client',
      });
    });
  }

  for (const name of [
    'throttlingException',
    'modelStreamErrorException',
    'internalServerException',
    'validationException',
    'serviceUnavailableException',
  ]) {
    test(`${name} in a stream`, async () => {
      const prompt = name === 'serviceUnavailableException' ? 'unavailable' : name;
      await assert.rejects(stream(ask(prompt)), { name: name.charAt(0).toUpperCase() + name.slice(1) });
    });
  }

  test('a wrong checksum and a cut', async () => {
    await assert.rejects(stream(ask('damaged')), /checksum/i);
    await assert.rejects(stream(ask('cut in the middle')));
  });

  const refusals: readonly (readonly [name: string, options: object])[] = [
    ['UnrecognizedClientException', { credentials: { ...keys, accessKeyId: 'invalid' } }],
    ['ExpiredTokenException', { credentials: { ...keys, sessionToken: 'token-expired' } }],
    ['InvalidSignatureException', { credentials: keys, systemClockOffset: -3_600_000 }],
    ['AccessDeniedException', { token: { token: 'bad' }, authSchemePreference: ['httpBearerAuth'] }],
  ];
  for (const [name, options] of refusals) {
    test(`${name} for such credentials`, async () => {
      await assert.rejects(client(options).send(new sdk.ConverseCommand(ask('Hi'))), { name });
    });
  }

  test('a bearer key is accepted', async () => {
    const options = { token: { token: 'bedrock-api-key-x' }, authSchemePreference: ['httpBearerAuth'] };
    const answer = await client(options).send(new sdk.ConverseCommand(ask('Count to 2')));
    assert.equal(answer['stopReason'], 'end_turn');
  });
});

describe('embeddings', () => {
  test('of Titan', async () => {
    const { embedding, inputTextTokenCount: tokens } = await invoke('amazon.titan-embed-text-v2:0', {
      inputText: 'Hi',
      dimensions: 256,
    });
    assert.equal((embedding as number[]).length, 256);
    assert.ok((tokens as number) > 0);
  });

  test('of Cohere', async () => {
    const body = { texts: ['a', 'b'], input_type: 'search_document' };
    const { embeddings } = await invoke('cohere.embed-multilingual-v3', body);
    assert.equal((embeddings as number[][]).length, 2);
    await assert.rejects(invoke('cohere.embed-multilingual-v3', { texts: ['a'] }), { name: 'ValidationException' });
  });
});

function count(modelId: string, input: Members): Promise<Members> {
  return client().send(new sdk.CountTokensCommand({ modelId, input }));
}

describe('token counts', () => {
  const messages = [{ role: 'user', content: [{ text: 'Hi '.repeat(100) }] }];
  const base = model.replace('us.', '');

  test('of a request of each operation', async () => {
    const claudeBody = {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1,
      messages: [{ role: 'user', content: 'Hi' }],
    };
    const body = new TextEncoder().encode(JSON.stringify(claudeBody));
    const whole = await count(base, { converse: { messages, system: [{ text: 'Be brief.' }] } });
    const invoked = await count(base, { invokeModel: { body } });
    assert.ok((whole['inputTokens'] as number) > (invoked['inputTokens'] as number));
    assert.ok((invoked['inputTokens'] as number) > 0);
  });

  test('of an inference profile, a wrong body and a wrong input are errors', async () => {
    const wrong = [
      count(model, { converse: { messages } }),
      count(base, { invokeModel: { body: new Uint8Array(3) } }),
      count(base, {}),
    ];
    for (const call of wrong) await assert.rejects(call, { name: 'ValidationException' });
  });
});

describe('Anthropic’s SDK for Bedrock', () => {
  const request = { model, max_tokens: 200, messages: [{ role: 'user', content: 'Count to 3' }] };

  test('text', async () => {
    const { content, stop_reason: reason } = await anthropic().messages.create(request);
    assert.deepEqual([content, reason], [[{ type: 'text', text: '1, 2, 3' }], 'end_turn']);
  });

  test('a stream', async () => {
    const { content } = await anthropic().messages.stream(request).finalMessage();
    assert.deepEqual(content, [{ type: 'text', text: '1, 2, 3' }]);
  });
});
