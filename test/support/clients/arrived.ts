// What arrived at a provider, read from the raw body of each wire. It does not use the decoders of `src/wire/`, so that a
// mistake there cannot hide itself.

import type { LoggedRequest } from '../../../src/testing/simulate/request-log.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ArrivedTool {
  readonly name: unknown;
  readonly schema: Json;
  readonly strict: unknown;
}

export interface ArrivedReasoning {
  readonly text: string;
  /** The signature, the encrypted content, or the id by which a provider knows what it stored. */
  readonly seal: unknown;
}

export interface ArrivedResult {
  readonly id: unknown;
  readonly content: string;
}

/** What a wire says in its own way. */
export interface ArrivedRequest {
  readonly path: string;
  readonly body: string;
  readonly disconnected: boolean;
  readonly tools: readonly ArrivedTool[];
  /** The schema of the response. */
  readonly schema: Json | undefined;
  /** The reasoning of earlier turns. */
  readonly reasoning: readonly ArrivedReasoning[];
  readonly results: readonly ArrivedResult[];
}

export function readArrived({ path, body, disconnected }: LoggedRequest): ArrivedRequest {
  const read = readers.find(([ending]) => ending.test(path))?.[1];
  if (read === undefined) throw new Error(`${path} is not a path of a model call`);
  return { path, body: JSON.stringify(body), disconnected: disconnected === true, ...read(toObject(body)) };
}

type Reader = (body: Json) => Pick<ArrivedRequest, 'tools' | 'schema' | 'reasoning' | 'results'>;

/** By the end of the path. */
const readers: readonly (readonly [ending: RegExp, read: Reader])[] = [
  [/\/chat\/completions$/, readChat],
  [/\/(?:messages|invoke|invoke-with-response-stream)$/, readMessages],
  [/\/responses$/, readResponses],
  [/\/converse(?:-stream)?$/, readConverse],
  [/:(?:g|streamG)enerateContent$/, readGemini],
];

function readChat(body: Json): ReturnType<Reader> {
  const messages = toList(body['messages']);
  const format = toObject(toObject(body['response_format'])['json_schema']);
  return {
    tools: toList(body['tools']).map((tool) => toTool(toObject(tool['function']), 'parameters')),
    schema: toSchema(format),
    reasoning: messages
      .flatMap((message) => toList(message['reasoning_details']))
      .map(({ text, signature }) => ({ text: String(text), seal: signature })),
    results: messages
      .filter(({ role }) => role === 'tool')
      .map((message) => ({ id: message['tool_call_id'], content: JSON.stringify(message['content']) })),
  };
}

function readMessages(body: Json): ReturnType<Reader> {
  const blocks = toList(body['messages']).flatMap(({ content }) => toList(content));
  const format = toObject(toObject(body['output_config'])['format'] ?? body['output_format']);
  return {
    tools: toList(body['tools']).map((tool) => toTool(tool, 'input_schema')),
    schema: toSchema(format),
    reasoning: blocks
      .filter(({ type }) => type === 'thinking')
      .map(({ thinking, signature }) => ({ text: String(thinking), seal: signature })),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ id: block['tool_use_id'], content: JSON.stringify(block['content']) })),
  };
}

function readResponses(body: Json): ReturnType<Reader> {
  const items = toList(body['input']);
  return {
    tools: toList(body['tools']).map((tool) => toTool(tool, 'parameters')),
    schema: toSchema(toObject(toObject(body['text'])['format'])),
    reasoning: items
      .filter(({ type }) => type === 'reasoning')
      .map((item) => ({
        text: toList(item['summary'])
          .map(({ text }) => String(text))
          .join(''),
        seal: item['encrypted_content'] ?? item['id'],
      })),
    results: items
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => ({ id: item['call_id'], content: JSON.stringify(item['output']) })),
  };
}

function readConverse(body: Json): ReturnType<Reader> {
  const blocks = toList(body['messages']).flatMap(({ content }) => toList(content));
  const members = (name: string): readonly Json[] =>
    blocks.filter((block) => name in block).map((block) => toObject(block[name]));
  const format = toObject(toObject(toObject(body['outputConfig'])['textFormat'])['structure'])['jsonSchema'];
  const { schema } = toObject(format);
  return {
    tools: toList(toObject(body['toolConfig'])['tools'])
      .map(({ toolSpec }) => toObject(toolSpec))
      .map((tool) => toTool({ ...tool, inputSchema: toObject(tool['inputSchema'])['json'] }, 'inputSchema')),
    schema: typeof schema === 'string' ? toObject(JSON.parse(schema)) : undefined,
    reasoning: members('reasoningContent')
      .map(({ reasoningText }) => toObject(reasoningText))
      .map(({ text, signature }) => ({ text: String(text), seal: signature })),
    results: members('toolResult').map((result) => ({
      id: result['toolUseId'],
      content: JSON.stringify(result['content']),
    })),
  };
}

function readGemini(body: Json): ReturnType<Reader> {
  const parts = toList(body['contents']).flatMap((content) => toList(content['parts']));
  const schema = toObject(body['generationConfig'])['responseJsonSchema'];
  // One mode for all tools.
  const { mode } = toObject(toObject(body['toolConfig'])['functionCallingConfig']);
  return {
    tools: toList(body['tools'])
      .flatMap((tool) => toList(tool['functionDeclarations']))
      .map((declaration) => toTool({ ...declaration, strict: mode === 'VALIDATED' }, 'parametersJsonSchema')),
    schema: schema === undefined ? undefined : toObject(schema),
    reasoning: readThoughts(parts),
    results: parts
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse }) => toObject(functionResponse))
      .map(({ id, response }) => ({ id, content: JSON.stringify(response) })),
  };
}

/** The signature of a thought is on the part that follows it, in base64. */
function readThoughts(parts: readonly Json[]): readonly ArrivedReasoning[] {
  return parts
    .map((part, index) => ({ part, seal: part['thoughtSignature'] ?? parts[index + 1]?.['thoughtSignature'] }))
    .filter(({ part }) => part['thought'] === true)
    .map(({ part, seal }) => ({ text: String(part['text']), seal: Buffer.from(String(seal), 'base64').toString() }));
}

function toTool(tool: Json, schema: string): ArrivedTool {
  return { name: tool['name'], schema: toObject(tool[schema]), strict: tool['strict'] };
}

function toSchema({ schema }: Json): Json | undefined {
  return schema === undefined ? undefined : toObject(schema);
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function toList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}
