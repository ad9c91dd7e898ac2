// Speaks the OpenAI chat-completions wire to our own clients.
// Normalisation, so that decode(encode(events)) = events: neighbouring text blocks become one; `stop-sequence`
// and `pause` read back as `end`; blocks and citations of another wire have no words here and are left out; tool
// calls end with the message. Reasoning is sent as `reasoning_content`, its signature and encrypted parts as `reasoning_details`.

import { parseToolCall, type AssembledMessage } from '../../core/assembler.ts';
import { errorTable, type ErrorKind, type SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, MessageEnd, MessageStart, StreamEvent } from '../../core/event.ts';
import { omitUndefined, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import {
  argumentsOf,
  textOf,
  toolCallsOf,
  type Block,
  type CacheMarker,
  type ImageBlock,
  type Message,
  type OpaqueBlock,
  type ToolCallBlock,
} from '../../core/message.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import {
  reasoningEfforts,
  type ChatRequest,
  type OpaqueTool,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { costMember, membersFor } from '../response-extra.ts';
import { extraOf, JsonField } from '../json-field.ts';
import { encodeSse } from '../sse.ts';
import { CompleteFrames, type UnwantedFrame } from '../complete-frames.ts';
import type { EncodeStreamOptions, StreamEncoder, WireServer } from '../wire.ts';
import { toReasoningDetail } from './request.ts';
import { encodeStopReason, encodeUsage, wireName } from './types.ts';

export const openaiChatServer: WireServer = {
  name: wireName,
  requestIdHeader: 'x-request-id',
  fieldNames: {
    isError: 'is_error',
    reasoning: 'reasoning_effort',
    responseFormat: 'response_format',
    toolChoice: 'tool_choice',
    topP: 'top_p',
  },
  hasTextArguments: true,
  decodeRequest,
  encodeStream: (options) => new ChatEncoder(options),
  streamOptionsOf: (body) => ({ includeUsage: wantsUsage(body) }),
  passStream: ({ includeUsage = true } = {}) => new CompleteFrames(includeUsage ? undefined : usageFrame),
  encodeBody,
  encodeError,
  encodeModel,
  encodeModels: (models) => ({ object: 'list', data: models.map(encodeModel) }),
};

const origin = { wire: wireName };

function integer(field: JsonField): number {
  return field.integer();
}

type MutableRequest = { -readonly [Key in keyof ChatRequest]: ChatRequest[Key] };

function ignore(): void {}

/** How each member is read, where it is there: most requests have few of them, and the others cost nothing. */
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
  } satisfies Record<string, (field: JsonField, request: MutableRequest) => void>),
);

function decodeRequest(body: unknown): ChatRequest {
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

/** A field, or a value of one, that only this wire knows. */
function carry(request: MutableRequest, name: string, value: unknown): void {
  request.extra = { [wireName]: { ...request.extra?.[wireName], [name]: value } };
}

/** Values that are newer than this file are for this wire alone. */
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

const formats = ['text', 'json_object', 'json_schema'] as const;

function isKnownFormat(value: unknown): boolean {
  return !isRecord(value) || typeof value['type'] !== 'string' || formats.some((format) => format === value['type']);
}

function isKnownEffort(value: unknown): boolean {
  return typeof value !== 'string' || reasoningEfforts.some((effort) => effort === value);
}

/** We always ask for the usage. */
function carryStreamOptions(field: JsonField, request: MutableRequest): void {
  if (!isRecord(field.value)) return;
  const { include_usage: _usage, ...rest } = field.value;
  if (Object.keys(rest).length > 0) carry(request, 'stream_options', rest);
}

function wantsUsage(body: unknown): boolean {
  return isRecord(body) && isRecord(body['stream_options']) && body['stream_options']['include_usage'] === true;
}

/** The frame with the usage has no choice. We always ask for it; a client that did not trips over `choices[0]`. */
const usageFrame: UnwantedFrame = {
  mayBeIn: hasEmptyList,
  isUnwanted(data) {
    const body: unknown = JSON.parse(data);
    return isRecord(body) && isRecord(body['usage']) && Array.isArray(body['choices']) && body['choices'].length === 0;
  },
};

/** Looks at the bytes themselves: of most frames nothing else has to be read. */
function hasEmptyList(frames: Uint8Array): boolean {
  const [open, close, space] = [0x5b, 0x5d, 0x20];
  for (let at = frames.indexOf(open); at !== -1; at = frames.indexOf(open, at + 1)) {
    let next = at + 1;
    while (frames[next] === space) next++;
    if (frames[next] === close) return true;
  }
  return false;
}

/** One is what everybody gets. */
function decodeChoices(field: JsonField, request: MutableRequest): void {
  const count = field.integer();
  if (count < 1) field.fail('must be 1 or more');
  if (count > 1) request.choices = count;
}

function decodeStop(field: JsonField): string[] {
  return typeof field.value === 'string' ? [field.value] : field.items().map((item) => item.string());
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

/** Tool messages become results in one user message, together with what the user says next. */
function decodeMessages(fields: JsonField[]): Message[] {
  const messages: Message[] = [];
  /** The results that the next message may belong to. */
  let results: Block[] | undefined;
  for (const field of fields) {
    const role = field.get('role').oneOf(roles);
    if (role === 'tool') {
      if (results === undefined) messages.push({ role: 'user', content: (results = []) });
      results.push(decodeResult(field));
    } else if (role === 'user' && results !== undefined) {
      results.push(...decodeContent(field.get('content')));
      results = undefined;
    } else {
      const content = role === 'assistant' ? decodeAssistant(field) : decodeContent(field.get('content'));
      const extra = extraOf(field, wireName, messageFields);
      messages.push(omitUndefined({ role: role === 'developer' ? 'system' : role, content, extra }));
      results = undefined;
    }
  }
  return messages;
}

const messageFields = new Set(['role', 'content', 'refusal', 'tool_calls', 'reasoning_content', 'reasoning_details']);
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
      return { type: 'text', text: field.get('refusal').string() };
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
      return decodeFile(field.get('file'), cache);
    default:
      return { type: 'opaque', origin, data: field.json() };
  }
}

const dataUrl = /^data:([^;,]+);base64,(.*)$/s;

function decodeImage(field: JsonField, cache: CacheMarker | undefined): ImageBlock {
  const url = field.get('url').string();
  const [, mediaType, data] = dataUrl.exec(url) ?? [];
  if (url.startsWith('data:') && data === undefined)
    field.get('url').fail('must be an address or data:TYPE;base64,DATA');
  const source =
    mediaType === undefined || data === undefined
      ? ({ kind: 'url', url } as const)
      : ({ kind: 'base64', mediaType, data } as const);
  const detail = field.optionalMember('detail', (value) => value.string());
  return omitUndefined({ type: 'image', source, detail, cache });
}

function decodeFile(field: JsonField, cache: CacheMarker | undefined): Block {
  const id = field.optionalMember('file_id', (value) => value.string());
  if (id !== undefined) return omitUndefined({ type: 'document', source: { kind: 'file', id }, cache });
  const data = field.get('file_data');
  const [, mediaType, bytes] = dataUrl.exec(data.string()) ?? [];
  if (mediaType === undefined || bytes === undefined) return data.fail('must be data:TYPE;base64,DATA');
  const title = field.optionalMember('filename', (value) => value.string());
  return omitUndefined({ type: 'document', source: { kind: 'base64', mediaType, data: bytes }, title, cache });
}

/** OpenAI's marker, or the one OpenRouter's clients send. */
function decodeCache(field: JsonField): CacheMarker | undefined {
  const { prompt_cache_breakpoint: breakpoint } = field.object();
  return field.get(breakpoint ? 'prompt_cache_breakpoint' : 'cache_control').optional((marker) => {
    const ttl = marker.optionalMember('ttl', (value) => value.string());
    return ttl === undefined ? {} : { ttl };
  });
}

function decodeAssistant(field: JsonField): Block[] {
  const reasoning = decodeReasoning(field);
  const content = field.optionalMember('content', decodeContent) ?? [];
  const refusal = field.optionalMember('refusal', (value) => [{ type: 'text', text: value.string() } as const]) ?? [];
  const calls = field.optionalMember('tool_calls', (list) => list.items().map(decodeToolCall)) ?? [];
  return [...reasoning, ...content, ...refusal, ...calls];
}

function decodeReasoning(field: JsonField): Block[] {
  const details = field.optionalMember('reasoning_details', (list) => list.items());
  const text = field.optionalMember('reasoning_content', (value) => value.string());
  if (details === undefined) return text ? [{ type: 'reasoning', text, origin }] : [];
  return details.map((detail): Block => {
    const redacted = detail.get('data').optional((value) => value.string());
    const signature = detail.get('signature').optional((value) => value.string());
    const words = detail.get('text').optional((value) => value.string()) ?? (redacted === undefined ? text : undefined);
    return omitUndefined({ type: 'reasoning', text: words ?? '', signature, redacted, origin });
  });
}

/** Calls of other kinds of tools are for this wire alone. */
function decodeToolCall(field: JsonField): ToolCallBlock | OpaqueBlock {
  const type = field.optionalMember('type', (value) => value.string()) ?? 'function';
  if (type !== 'function') return { type: 'opaque', origin, data: field.json() };
  const call = field.get('function');
  return parseToolCall(field.get('id').string(), call.get('name').string(), call.get('arguments').string());
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
  const type = field.get('type').oneOf(formats);
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

class ChatEncoder implements StreamEncoder {
  readonly #created: number;
  readonly #includeUsage: boolean;
  readonly #written = new Set<number>();
  readonly #calls = new Map<number, number>();
  #head = '';
  #id = '';
  #model = '';

  constructor({ created = 0, includeUsage = false }: EncodeStreamOptions = {}) {
    this.#created = created;
    this.#includeUsage = includeUsage;
  }

  get includesUsage(): boolean {
    return this.#includeUsage;
  }

  push(event: StreamEvent, cost?: number): string {
    switch (event.type) {
      case 'text-delta':
        this.#written.add(event.index);
        return this.#delta(`{"content":${JSON.stringify(event.text)}}`);
      case 'reasoning-delta':
        this.#written.add(event.index);
        return this.#delta(`{"reasoning_content":${JSON.stringify(event.text)}}`);
      case 'tool-call-start':
        return this.#startCall(event.index, event.id, event.name);
      case 'tool-call-delta':
        return this.#delta(
          `{"tool_calls":[{"index":${this.#calls.get(event.index)},"function":{"arguments":${JSON.stringify(event.json)}}}]}`,
        );
      case 'block-end':
        return this.#endBlock(event);
      case 'message-start':
        return this.#start(event);
      case 'message-end':
        return this.#end(event, cost);
      case 'notice':
        return '';
    }
  }

  fail(error: SimpleAgentsError): string {
    return encodeSse(JSON.stringify(encodeError(error).body));
  }

  #start({ id, model, extra }: MessageStart): string {
    this.#id = id;
    this.#model = model;
    const own = membersFor(extra, wireName);
    const fixed = JSON.stringify({ id, object: 'chat.completion.chunk', created: this.#created, model, ...own });
    this.#head = `data: ${fixed.slice(0, -1)},"choices":[{"index":0,"delta":`;
    return this.#delta('{"role":"assistant","content":""}');
  }

  #delta(delta: string): string {
    return `${this.#head}${delta},"finish_reason":null}]}\n\n`;
  }

  #startCall(index: number, id: string, name: string): string {
    const number = this.#calls.size;
    this.#calls.set(index, number);
    this.#written.add(index);
    const call = { index: number, id, type: 'function', function: { name, arguments: '' } };
    return this.#delta(JSON.stringify({ tool_calls: [call] }));
  }

  #endBlock({ index, block }: BlockEnd): string {
    const whole = this.#written.has(index) ? '' : this.#whole(index, block);
    const annotations = annotationsOf(block);
    if (annotations.length > 0) return whole + this.#delta(JSON.stringify({ annotations }));
    const closing = block.type === 'reasoning' && (block.signature !== undefined || block.redacted !== undefined);
    if (!closing) return whole;
    const { text: _text, ...detail } = toReasoningDetail(block, 0);
    return whole + this.#delta(JSON.stringify({ reasoning_details: [detail] }));
  }

  /** A block that came without deltas. */
  #whole(index: number, block: Block): string {
    if (block.type === 'text' && block.text !== '') return this.push({ type: 'text-delta', index, text: block.text });
    if (block.type === 'reasoning' && block.text !== '') {
      return this.push({ type: 'reasoning-delta', index, text: block.text });
    }
    if (block.type !== 'tool-call') return '';
    return (
      this.#startCall(index, block.id, block.name) +
      this.push({ type: 'tool-call-delta', index, json: argumentsOf(block) })
    );
  }

  #end({ stopReason, usage, extra }: MessageEnd, cost: number | undefined): string {
    const { usage: more } = membersFor(extra, wireName);
    const finish = `${this.#head}{},"finish_reason":"${encodeStopReason(stopReason)}"}]}\n\n`;
    if (!this.#includeUsage || usage.missing) return `${finish}data: [DONE]\n\n`;
    const last = {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: this.#created,
      model: this.#model,
      choices: [],
      usage: omitUndefined({ ...encodeUsage(usage), ...(more as object), ...costMember(cost) }),
    };
    return `${finish}${encodeSse(JSON.stringify(last))}data: [DONE]\n\n`;
  }
}

/** Citations have a shape of their own on each wire; only this wire's can be said here. */
function annotationsOf(block: Block): JsonValue[] {
  if (block.type !== 'text' || block.citations === undefined) return [];
  return block.citations.filter((citation) => isRecord(citation) && citation['type'] === 'url_citation');
}

function encodeBody(message: AssembledMessage, created = 0): JsonObject {
  const { usage, ...own } = membersFor(message.answerExtra, wireName);
  return {
    id: message.id,
    object: 'chat.completion',
    created,
    model: message.model,
    choices: [
      {
        index: 0,
        message: encodeMessage(message.content),
        logprobs: null,
        finish_reason: encodeStopReason(message.stopReason ?? 'end'),
      },
    ],
    usage: { ...encodeUsage(message.usage), ...(usage as object) },
    ...(own as JsonObject),
  };
}

function encodeMessage(content: readonly Block[]): JsonObject {
  const text = textOf(content);
  const calls = toolCallsOf(content).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const reasoning = content.filter((block) => block.type === 'reasoning');
  const signed = reasoning.some((block) => block.signature !== undefined || block.redacted !== undefined);
  const thought = reasoning.map((block) => block.text).join('');
  const annotations = content.flatMap(annotationsOf);
  const audio = content.find((block) => block.type === 'audio');
  return omitUndefined({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: thought === '' ? undefined : thought,
    reasoning_details: signed ? reasoning.map(toReasoningDetail) : undefined,
    tool_calls: calls.length === 0 ? undefined : calls,
    annotations: annotations.length === 0 ? undefined : annotations,
    audio:
      audio === undefined ? undefined : omitUndefined({ id: audio.id, data: audio.data, transcript: audio.transcript }),
  });
}

const errorTypes: Readonly<Record<ErrorKind, readonly [type: string, code: string | null]>> = {
  'bad-request': ['invalid_request_error', null],
  'context-overflow': ['invalid_request_error', 'context_length_exceeded'],
  auth: ['invalid_request_error', 'invalid_api_key'],
  quota: ['insufficient_quota', 'insufficient_quota'],
  'not-found': ['invalid_request_error', 'model_not_found'],
  'rate-limit': ['rate_limit_error', 'rate_limit_exceeded'],
  overloaded: ['overloaded_error', null],
  upstream: ['server_error', null],
  network: ['server_error', null],
  timeout: ['timeout_error', null],
  'bad-response': ['server_error', null],
  healing: ['server_error', 'healing_failed'],
  configuration: ['server_error', null],
  internal: ['server_error', null],
};

function encodeError(error: SimpleAgentsError): { status: number; body: JsonObject } {
  const { kind, message, field } = error;
  const [type, usual] = errorTypes[kind];
  // What is missing is a model, unless the error says otherwise.
  const code = kind === 'not-found' && error.code === 'not_found' ? error.code : usual;
  return { status: errorTable[kind].status, body: { error: { message, type, param: field ?? null, code } } };
}

/** The last two are ours; clients of this wire ignore what they do not know. */
function encodeModel({ id, provider, contextWindow, price }: ModelListing): JsonObject {
  return omitUndefined({ id, object: 'model', created: 0, owned_by: provider, context_window: contextWindow, price });
}
