// Decodes a request of the OpenAI chat-completions wire, sent by one of our own clients, into a `ChatRequest`.
// Strict: an invalid field throws `bad-request` naming it. Fields and values that are newer than this file are kept in
// `extra`, for providers that speak the same wire.

import { parseToolCall } from '../../core/assembler.ts';
import { omitUndefined, isRecord } from '../../core/json.ts';
import type {
  Block,
  CacheMarker,
  DocumentBlock,
  ImageBlock,
  Message,
  OpaqueBlock,
  Role,
  TextBlock,
  ToolCallBlock,
} from '../../core/message.ts';
import {
  reasoningEfforts,
  type ChatRequest,
  type OpaqueTool,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { openReasoning } from '../foreign-reasoning.ts';
import { addMember, extraOf, JsonField, unknownMembers } from '../json-field.ts';
import { itemMember, writtenArguments } from '../loss.ts';
import { decodeFileData, decodeImageUrl, decodeMarker, formatTypes, isKnownFormat } from '../openai-content.ts';
import { refusalItem, wireName } from './types.ts';

const origin = { wire: wireName };

function integer(field: JsonField): number {
  return field.integer();
}

type MutableRequest = { -readonly [Key in keyof ChatRequest]: ChatRequest[Key] };

function ignore(): void {}

/** The reader of each member. Absent members, the usual case, cost nothing. */
const readers: ReadonlyMap<string, (field: JsonField, request: MutableRequest) => void> = new Map(
  Object.entries({
    model: ignore,
    messages: ignore,
    max_tokens: ignore,
    max_completion_tokens: ignore,
    tools: (field, request) => (request.tools = field.items().map(decodeTool)),
    tool_choice: (field, request) =>
      orCarry(field, request, isKnownChoice, (choice) => (request.toolChoice = decodeToolChoice(choice))),
    parallel_tool_calls: (field, request) => (request.parallelToolCalls = field.boolean()),
    response_format: (field, request) =>
      orCarry(field, request, isKnownFormat, (format) => (request.responseFormat = decodeResponseFormat(format))),
    reasoning_effort: (field, request) =>
      orCarry(
        field,
        request,
        isKnownEffort,
        (effort) => (request.reasoning = { effort: effort.oneOf(reasoningEfforts) }),
      ),
    temperature: (field, request) => (request.temperature = field.number()),
    top_p: (field, request) => (request.topP = field.number()),
    stop: (field, request) => (request.stop = decodeStop(field)),
    seed: (field, request) => (request.seed = field.integer()),
    n: decodeChoices,
    user: (field, request) => (request.user = field.string()),
    stream: (field, request) => (request.stream = field.boolean()),
    stream_options: carryStreamOptions,
    models: decodeModels,
    plugins: carryPlugins,
  } satisfies Record<string, (field: JsonField, request: MutableRequest) => void>),
);

export function decodeRequest(body: unknown): ChatRequest {
  const root = new JsonField(body);
  const members = root.object();
  const request: MutableRequest = {
    model: root.optionalMember('model', (field) => field.string()) ?? '',
    messages: decodeMessages(root.get('messages').items()),
    stream: false,
  };
  const maxTokens = root.optionalMember('max_completion_tokens', integer) ?? root.optionalMember('max_tokens', integer);
  if (maxTokens !== undefined) request.maxTokens = maxTokens;
  for (const name of Object.keys(members)) {
    const read = readers.get(name);
    if (read === undefined) carry(request, name, members[name]);
    else if (read !== ignore) root.optionalMember(name, (field) => read(field, request));
  }
  return request;
}

/** More would only delay the error. */
const mostModels = 10;

/** OpenRouter's list of models to try in order. Without `model`, the first is the model. */
function decodeModels(field: JsonField, request: MutableRequest): void {
  const names = field.items().map((item) => item.string() || item.fail('must not be empty'));
  if (names.length > mostModels) field.fail(`must have at most ${mostModels} models, but has ${names.length}`);
  const { model } = request;
  const [first = '', ...others] = model === '' ? names : [model, ...names];
  request.model = first;
  const further = others.filter((name, index) => name !== first && others.indexOf(name) === index);
  if (further.length > 0) request.fallbackModels = further;
}

/** OpenRouter's plugin for healing needs nothing, because the gateway heals anyway. Others are for OpenRouter itself. */
function carryPlugins(field: JsonField, request: MutableRequest): void {
  const others = field.items().filter((item) => item.get('id').string() !== 'response-healing');
  if (others.length > 0)
    carry(
      request,
      'plugins',
      others.map(({ value }) => value),
    );
}

/** Keeps a field, or a value of one, that only this wire has. */
function carry(request: MutableRequest, name: string, value: unknown): void {
  const own = request.extra?.[wireName] ?? {};
  addMember(own, name, value);
  request.extra = { [wireName]: own };
}

/** Reads a known value. An unknown value is kept for this wire only. */
function orCarry(
  field: JsonField,
  request: MutableRequest,
  isKnown: (value: unknown) => boolean,
  read: (field: JsonField) => void,
): void {
  if (isKnown(field.value)) read(field);
  else carry(request, field.path, field.value);
}

function isKnownChoice(value: unknown): boolean {
  return !isRecord(value) || typeof value['type'] !== 'string' || value['type'] === 'function';
}

function isKnownEffort(value: unknown): boolean {
  return typeof value !== 'string' || reasoningEfforts.some((effort) => effort === value);
}

/** Without `include_usage`, because we always request the usage. */
function carryStreamOptions(field: JsonField, request: MutableRequest): void {
  if (!isRecord(field.value)) return;
  const { include_usage: _usage, ...rest } = field.value;
  if (Object.keys(rest).length > 0) carry(request, 'stream_options', rest);
}

/** One choice is the default. */
function decodeChoices(field: JsonField, request: MutableRequest): void {
  const count = field.integer();
  if (count < 1) field.fail('must be 1 or more');
  if (count > 1) request.choices = count;
}

function decodeStop(field: JsonField): string[] {
  return typeof field.value === 'string' ? [field.value] : field.items().map((item) => item.string());
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

/** Tool messages become results in one user message, together with the content of a plain user message that follows. */
function decodeMessages(fields: JsonField[]): Message[] {
  const messages: Message[] = [];
  /** The content of the user message that collects results. */
  let results: Block[] | undefined;
  for (const field of fields) {
    const role = field.get('role').oneOf(roles);
    if (role === 'tool') {
      if (results === undefined) messages.push({ role: 'user', content: (results = []) });
      results.push(decodeResult(field));
    } else if (role === 'user' && results !== undefined && extraOf(field, wireName, messageFields) === undefined) {
      results.push(...decodeContent(field.get('content')));
      results = undefined;
    } else {
      const content = role === 'assistant' ? decodeAssistant(field) : decodeContent(field.get('content'));
      messages.push(omitUndefined({ ...decodeRole(role, field), content }));
      results = undefined;
    }
  }
  return messages;
}

/** For other wires, a developer message is a system message. */
function decodeRole(role: Role | 'developer', field: JsonField): Pick<Message, 'role' | 'extra'> {
  const extra = extraOf(field, wireName, messageFields);
  if (role !== 'developer') return omitUndefined({ role, extra });
  return { role: 'system', extra: { wire: wireName, members: { ...extra?.members, [itemMember]: { role } } } };
}

const messageFields = new Set([
  'role',
  'content',
  'refusal',
  'tool_calls',
  'reasoning_content',
  'reasoning_details',
  'images',
]);
const callFields = new Set(['id', 'type', 'function', 'index']);
const calledFields = new Set(['name', 'arguments']);
const fileFields = new Set(['type', 'file', 'prompt_cache_breakpoint', 'cache_control']);
const resultFields = new Set(['role', 'content', 'tool_call_id']);
const textFields = new Set(['type', 'text', 'prompt_cache_breakpoint', 'cache_control']);
const imageFields = new Set(['type', 'image_url', 'prompt_cache_breakpoint', 'cache_control']);
const functionFields = new Set(['name', 'description', 'parameters', 'strict']);

function decodeResult(field: JsonField): Block {
  const content = field.get('content');
  const texts = decodeContent(content).filter((block) => block.type === 'text');
  const extra = extraOf(field, wireName, resultFields);
  return omitUndefined({ type: 'tool-result', callId: field.get('tool_call_id').string(), content: texts, extra });
}

function decodeContent(field: JsonField): Block[] {
  if (typeof field.value === 'string') return field.value === '' ? [] : [{ type: 'text', text: field.value }];
  return field.items().map(decodePart);
}

function decodePart(field: JsonField): Block {
  const cache = decodeCache(field);
  switch (field.get('type').string()) {
    case 'text': {
      const extra = extraOf(field, wireName, textFields);
      return omitUndefined({ type: 'text', text: field.get('text').string(), cache, extra });
    }
    case 'refusal':
      return refusalOf(field.get('refusal'));
    case 'image_url':
      return omitUndefined({
        ...decodeImage(field.get('image_url'), cache),
        extra: extraOf(field, wireName, imageFields),
      });
    case 'input_audio': {
      const audio = field.get('input_audio');
      return omitUndefined({
        type: 'audio',
        format: audio.get('format').string(),
        data: audio.get('data').string(),
        cache,
      });
    }
    case 'file':
      return omitUndefined({
        ...decodeFile(field.get('file'), cache),
        extra: extraOf(field, wireName, fileFields),
      });
    default:
      return { type: 'opaque', origin, data: field.json() };
  }
}

function decodeImage(field: JsonField, cache: CacheMarker | undefined): ImageBlock {
  const source = decodeImageUrl(field.get('url'));
  const detail = field.optionalMember('detail', (value) => value.string());
  return omitUndefined({ type: 'image', source, detail, cache });
}

function decodeFile(field: JsonField, cache: CacheMarker | undefined): DocumentBlock {
  const id = field.optionalMember('file_id', (value) => value.string());
  if (id !== undefined) return omitUndefined({ type: 'document', source: { kind: 'file', id }, cache });
  const source = decodeFileData(field.get('file_data'));
  const title = field.optionalMember('filename', (value) => value.string());
  return omitUndefined({ type: 'document', source, title, cache });
}

/** OpenAI's marker, or the one that OpenRouter's clients send. */
function decodeCache(field: JsonField): CacheMarker | undefined {
  const { prompt_cache_breakpoint: breakpoint } = field.object();
  return field.get(breakpoint ? 'prompt_cache_breakpoint' : 'cache_control').optional(decodeMarker);
}

function decodeAssistant(field: JsonField): Block[] {
  const reasoning = decodeReasoning(field);
  const content = field.optionalMember('content', decodeContent) ?? [];
  const refusal = field.optionalMember('refusal', (value) => [refusalOf(value)]) ?? [];
  const images = field.optionalMember('images', (list) => list.items().map(decodePart)) ?? [];
  const calls = field.optionalMember('tool_calls', (list) => list.items().map(decodeToolCall)) ?? [];
  return [...reasoning, ...content, ...refusal, ...images, ...calls];
}

/** For other wires, a text. */
function refusalOf(field: JsonField): TextBlock {
  return { type: 'text', text: field.string(), extra: { wire: wireName, members: { [itemMember]: refusalItem } } };
}

function decodeReasoning(field: JsonField): Block[] {
  const details = field.optionalMember('reasoning_details', (list) => list.items());
  const text = field.optionalMember('reasoning_content', (value) => value.string());
  if (details === undefined) return text ? [{ type: 'reasoning', text, origin }] : [];
  return details.map((detail): Block => {
    const redacted = detail.get('data').optional((value) => value.string());
    const signature = detail.get('signature').optional((value) => value.string());
    const words = detail.get('text').optional((value) => value.string()) ?? (redacted === undefined ? text : undefined);
    const own = { type: 'reasoning', text: words ?? '', signature, redacted, origin } as const;
    return openReasoning(signature ?? redacted) ?? omitUndefined(own);
  });
}

/** Calls of other tool types are kept for this wire only. */
function decodeToolCall(field: JsonField): ToolCallBlock | OpaqueBlock {
  const type = field.optionalMember('type', (value) => value.string()) ?? 'function';
  if (type !== 'function') return { type: 'opaque', origin, data: field.json() };
  const called = field.get('function');
  const written = called.get('arguments').string();
  const call = parseToolCall(field.get('id').string(), called.get('name').string(), written);
  const item = unknownMembers(field.object(), callFields);
  const members = {
    ...unknownMembers(called.object(), calledFields),
    ...writtenArguments(call, written),
    ...(item === undefined ? {} : { [itemMember]: item }),
  };
  return Object.keys(members).length === 0 ? call : { ...call, extra: { wire: wireName, members } };
}

function decodeTool(field: JsonField): ToolDefinition | OpaqueTool {
  if (field.get('type').string() !== 'function') return { type: 'opaque', origin, data: field.json() };
  const tool = field.get('function');
  return omitUndefined({
    name: tool.get('name').string(),
    description: tool.optionalMember('description', (value) => value.string()),
    inputSchema: tool.optionalMember('parameters', (value) => value.json()) ?? { type: 'object', properties: {} },
    strict: tool.optionalMember('strict', (value) => value.boolean()),
    extra: extraOf(tool, wireName, functionFields),
  });
}

function decodeToolChoice(field: JsonField): ToolChoice {
  if (typeof field.value === 'string') return field.oneOf(['auto', 'none', 'required']);
  field.get('type').oneOf(['function']);
  return { name: field.get('function').get('name').string() };
}

function decodeResponseFormat(field: JsonField): ResponseFormat {
  const type = field.get('type').oneOf(formatTypes);
  if (type === 'text') return { type };
  if (type === 'json_object') return { type: 'json' };
  const format = field.get('json_schema');
  return omitUndefined({
    type: 'json-schema',
    name: format.get('name').string(),
    description: format.optionalMember('description', (value) => value.string()),
    schema: format.get('schema').json(),
    strict: format.optionalMember('strict', (value) => value.boolean()),
  });
}
