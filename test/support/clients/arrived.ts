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
  /** The signature or the encrypted content. */
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
  const read = readers[path];
  if (read === undefined) throw new Error(`${path} is not a path of a model call`);
  return { path, body: JSON.stringify(body), disconnected: disconnected === true, ...read(toObject(body)) };
}

/** Whether this file reads the wire of a path: those of OpenAI and Anthropic. */
export function isReadable(path: string): boolean {
  return Object.hasOwn(readers, path);
}

type Reader = (body: Json) => Pick<ArrivedRequest, 'tools' | 'schema' | 'reasoning' | 'results'>;

const readers: Readonly<Record<string, Reader>> = {
  '/v1/chat/completions': readChat,
  '/v1/messages': readMessages,
  '/v1/responses': readResponses,
};

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
        seal: item['encrypted_content'],
      })),
    results: items
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => ({ id: item['call_id'], content: JSON.stringify(item['output']) })),
  };
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
