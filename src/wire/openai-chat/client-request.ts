// Encodes a request for the OpenAI chat-completions wire and the vendors that differ from it in details.
// What the wire cannot express: a document by URL and an image by file id are unsupported; the error flag of a tool result
// and a cache marker on a tool are left out; images in a tool result move to a user message after it; a token budget for
// reasoning becomes the nearest effort.

import { toStandardBase64 } from '../../core/base64.ts';
import { omitUndefined, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import {
  argumentsOf,
  mayReturnTo,
  textOf,
  type Block,
  type CacheMarker,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type OpaqueBlock,
  type ReasoningBlock,
  type TextBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  type WireExtra,
} from '../../core/message.ts';
import {
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { itemMember, Losses } from '../loss.ts';
import { encodeBreakpoint, encodeDataUrl } from '../openai-content.ts';
import { encodeEffort } from '../reasoning-effort.ts';
import { findUnsupported as find, type Unsupported } from '../unsupported.ts';
import type { EncodedRequest, EncodeOptions, Quirks } from '../wire.ts';
import { refusalItem, wireName } from './types.ts';

/** The context of encoding one request. */
interface Encoding {
  readonly options: EncodeOptions;
  readonly quirks: Quirks;
  readonly losses: Losses;
}

export function findUnsupported(request: ChatRequest, { provider }: EncodeOptions = {}): Unsupported | undefined {
  return find(request, { wire: wireName, provider, findInBlock });
}

function findInBlock(block: Block): string | undefined {
  if (block.type === 'document' && block.source.kind === 'url') return 'does not accept a document by URL';
  return block.type === 'image' && block.source.kind === 'file' ? 'does not accept an image by file id' : undefined;
}

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const encoding: Encoding = { options, quirks: options.quirks ?? {}, losses: new Losses() };
  const { quirks, losses } = encoding;
  const { extra } = request;
  const stream = request.stream ?? true;
  const tools = request.tools?.flatMap((tool) => encodeTool(tool, encoding)) ?? [];
  const isOldLimit = quirks.maxTokensField === 'max_tokens';
  const isOldSeed = quirks.seedField === 'random_seed';
  const body = {
    model: request.model,
    messages: encodeMessages(request.messages, encoding),
    max_tokens: isOldLimit ? request.maxTokens : undefined,
    max_completion_tokens: isOldLimit ? undefined : request.maxTokens,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: encodeToolChoice(request.toolChoice, tools, losses),
    parallel_tool_calls: tools.length === 0 ? undefined : request.parallelToolCalls,
    response_format: encodeResponseFormat(request.responseFormat, encoding),
    reasoning_effort: encodeEffort(request.reasoning, losses),
    temperature: request.temperature,
    top_p: request.topP,
    stop: request.stop?.length === 0 ? undefined : request.stop,
    seed: isOldSeed ? undefined : request.seed,
    random_seed: isOldSeed ? request.seed : undefined,
    n: request.choices,
    user: quirks.noUser ? undefined : request.user,
    stream,
    // Providers send usage in a stream only on request.
    stream_options: stream && !quirks.noStreamOptions ? { include_usage: true } : undefined,
  };
  if (quirks.noUser && request.user !== undefined) losses.omit('the user');
  if (extra === undefined) return { body: omitUndefined(body), losses: losses.list, dropped: losses.dropped };
  losses.addExtras(request, wireName);
  const { stream_options: streamOptions, ...own } = extra[wireName] ?? {};
  const complete = { ...body, ...own, stream_options: mergeStreamOptions(body.stream_options, streamOptions) };
  const expected = own['logprobs'] === true ? { expected: { logprobs: true } } : {};
  return { body: omitUndefined(complete), losses: losses.list, dropped: losses.dropped, ...expected };
}

/** Adds the stream options that a client of this wire sent, other than the usage. */
function mergeStreamOptions(ours: object | undefined, own: unknown): JsonObject | undefined {
  return ours && isRecord(own) ? ({ ...own, ...ours } as JsonObject) : (ours as JsonObject | undefined);
}

function encodeMessages(messages: readonly Message[], encoding: Encoding): JsonValue[] {
  const encoded: JsonValue[] = [];
  for (const message of joinCalls(messages)) for (const part of encodeMessage(message, encoding)) encoded.push(part);
  return encoded;
}

/**
 * Results must directly follow one message with all their calls. Clients of other wires may divide calls and results among
 * several messages of one role.
 */
function joinCalls(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  let last: { readonly role: Message['role']; readonly content: Block[] } | undefined;
  for (const message of messages) {
    const isLinked = message.extra === undefined && message.content.some(isCallOrResult);
    if (isLinked && message.role === last?.role) {
      for (const block of message.content) last.content.push(block);
      continue;
    }
    last = isLinked ? { role: message.role, content: [...message.content] } : undefined;
    joined.push(last ?? message);
  }
  return joined;
}

function isCallOrResult({ type }: Block): boolean {
  return type === 'tool-call' || type === 'tool-result';
}

function encodeMessage(message: Message, encoding: Encoding): JsonValue[] {
  if (message.role === 'assistant') return encodeAssistant(message, encoding);
  const [only] = message.content;
  // The common case.
  if (message.content.length === 1 && only?.type === 'text' && isPlain(only)) {
    return [omitUndefined({ role: roleOf(message, encoding), content: only.text, ...ownOf(message, encoding) })];
  }
  if (message.role === 'system') return encodeSpoken(message, message.content, encoding);
  const results = message.content.filter((block) => block.type === 'tool-result');
  const moved = results.flatMap((result) => result.content.filter((part) => part.type !== 'text'));
  if (moved.length > 0) encoding.losses.add('images and documents in a tool result were moved to a user message');
  const rest = [...moved, ...message.content.filter((block) => block.type !== 'tool-result')];
  return [...results.map((result) => encodeResult(result, encoding)), ...encodeSpoken(message, rest, encoding)];
}

function isPlain({ text, cache, extra }: TextBlock): boolean {
  return text !== '' && cache === undefined && extra === undefined;
}

/** Members of a tool call beside its function. */
function itemOf({ extra }: ToolCallBlock): JsonObject {
  const item = extra?.wire === wireName ? extra.members[itemMember] : undefined;
  return isRecord(item) ? (item as JsonObject) : {};
}

function isRefusal(block: Block): boolean {
  return block.type === 'text' && block.extra?.wire === wireName && block.extra.members[itemMember] === refusalItem;
}

/** Members that only this wire has. */
function ownOf({ extra }: { readonly extra?: WireExtra | undefined }, { losses }: Encoding): object | undefined {
  if (extra === undefined) return undefined;
  const { [itemMember]: _item, ...own } = losses.takeExtra(extra, wireName) ?? {};
  return Object.keys(own).length === 0 ? undefined : own;
}

/** The role that a client of this wire wrote, if the vendor knows it. */
function roleOf({ role, extra }: Message, { quirks }: Encoding): string {
  const item = extra?.wire === wireName && !quirks.noDeveloperRole ? extra.members[itemMember] : undefined;
  return isRecord(item) && item['role'] === 'developer' ? 'developer' : role;
}

/** Vendors reject a message without content, so it is left out. */
function encodeSpoken(message: Message, blocks: readonly Block[], encoding: Encoding): JsonValue[] {
  const content = encodeParts(blocks, encoding);
  return content.length === 0
    ? []
    : [omitUndefined({ role: roleOf(message, encoding), content, ...ownOf(message, encoding) })];
}

function encodeResult(result: ToolResultBlock, encoding: Encoding): JsonValue {
  const { quirks, losses } = encoding;
  if (result.isError) losses.drop('isError', 'the error flag of a tool result was left out');
  const content = textOf(result.content);
  return omitUndefined({
    role: 'tool',
    tool_call_id: encodeId(result.callId, quirks),
    content,
    ...ownOf(result, encoding),
  });
}

function encodeAssistant(message: Message, encoding: Encoding): JsonValue[] {
  const { content } = message;
  for (const block of content) if (block.type === 'text') losesOwn(block, encoding);
  const text = textOf(content.filter((block) => !isRefusal(block)));
  const refusal = textOf(content.filter(isRefusal));
  const calls = content.flatMap((block) => encodeCall(block, encoding));
  const reasoning = encodeReasoning(content, encoding);
  const others = content.some(
    (block) => (block.type === 'opaque' && !isOwn(block)) || block.type === 'image' || block.type === 'document',
  );
  if (others) encoding.losses.omit('a block of another provider');
  const audio = content.find((block) => block.type === 'audio' && block.id !== undefined);
  if (text === '' && refusal === '' && calls.length === 0 && audio === undefined) return [];
  return [
    omitUndefined({
      role: 'assistant',
      content: text === '' ? null : text,
      refusal: refusal === '' ? undefined : refusal,
      tool_calls: calls.length === 0 ? undefined : calls,
      audio: audio?.type === 'audio' && audio.id !== undefined ? { id: audio.id } : undefined,
      ...reasoning,
      ...ownOf(message, encoding),
    }),
  ];
}

function encodeCall(block: Block, encoding: Encoding): JsonValue[] {
  if (block.type === 'opaque') return isOwn(block) ? [block.data] : [];
  if (block.type !== 'tool-call') return [];
  const called = { name: block.name, arguments: argumentsOf(block), ...ownOf(block, encoding) };
  return [{ id: encodeId(block.id, encoding.quirks), type: 'function', function: called, ...itemOf(block) }];
}

/** A tool call or content part of a type that only this wire has. */
function isOwn({ origin }: OpaqueBlock): boolean {
  return origin.wire === wireName;
}

/** Records members that this wire does not have. */
function losesOwn({ extra }: { readonly extra?: WireExtra | undefined }, { losses }: Encoding): void {
  if (extra !== undefined && extra.wire !== wireName) losses.takeExtra(extra, wireName);
}

/** Reasoning is sent back only to the vendor that created it, in that vendor's form. */
function encodeReasoning(content: readonly Block[], { options, quirks, losses }: Encoding): JsonObject {
  const all = content.filter((block) => block.type === 'reasoning');
  if (all.length === 0) return {};
  const form = quirks.reasoning ?? 'none';
  if (form === 'none' || !all.every((block) => mayReturnTo(block.origin, wireName, options.provider))) {
    losses.omit('reasoning');
    return {};
  }
  if (form === 'content') return { reasoning_content: all.map((block) => block.text).join('') };
  return { reasoning_details: all.map(toReasoningDetail) };
}

export function toReasoningDetail({ text, signature, redacted }: ReasoningBlock, index: number): JsonObject {
  if (redacted !== undefined) return { type: 'reasoning.encrypted', data: redacted, index };
  return omitUndefined({ type: 'reasoning.text', text, signature, index });
}

/** A single text block without markers is sent as a plain string, which every vendor accepts. */
function encodeParts(content: readonly Block[], encoding: Encoding): string | JsonValue[] {
  const parts = content.filter((block) => !(block.type === 'text' && block.text === ''));
  const [only] = parts;
  const isAlone = parts.length === 1 && only?.type === 'text' && ownOf(only, encoding) === undefined;
  if (isAlone && encodeCache(only.cache, encoding) === undefined) return only.text;
  return parts.flatMap((block) => encodePart(block, encoding));
}

function encodePart(block: Block, encoding: Encoding): JsonValue[] {
  switch (block.type) {
    case 'text':
      return [
        omitUndefined({
          type: 'text',
          text: block.text,
          ...encodeCache(block.cache, encoding),
          ...ownOf(block, encoding),
        }),
      ];
    case 'image':
      return encodeImage(block, encoding);
    case 'audio': {
      const { data, format, cache } = block;
      return [
        { type: 'input_audio', input_audio: { data: toStandardBase64(data), format }, ...encodeCache(cache, encoding) },
      ];
    }
    case 'document':
      return encodeDocument(block, encoding);
    case 'opaque':
      return isOwn(block) ? [block.data] : encoding.losses.omit('a block of another provider');
    default:
      return encoding.losses.omit('a block of another provider');
  }
}

function encodeImage(image: ImageBlock, encoding: Encoding): JsonValue[] {
  const { source, detail, cache } = image;
  if (source.kind === 'file') return encoding.losses.omit('an image by file id');
  const url = source.kind === 'url' ? source.url : encodeDataUrl(source);
  const part = { type: 'image_url', image_url: omitUndefined({ url, detail }), ...encodeCache(cache, encoding) };
  return [omitUndefined({ ...part, ...ownOf(image, encoding) })];
}

function encodeDocument(document: DocumentBlock, encoding: Encoding): JsonValue[] {
  const { source, title, cache } = document;
  const marker = { ...encodeCache(cache, encoding), ...ownOf(document, encoding) };
  switch (source.kind) {
    case 'text':
      return [{ type: 'text', text: source.text, ...marker }];
    case 'file':
      return [{ type: 'file', file: { file_id: source.id }, ...marker }];
    case 'base64': {
      const data = encodeDataUrl(source);
      return [{ type: 'file', file: { filename: title ?? 'document', file_data: data }, ...marker }];
    }
    case 'url':
      return encoding.losses.omit('a document by URL');
  }
}

function encodeCache(cache: CacheMarker | undefined, { quirks, losses }: Encoding): JsonObject | undefined {
  if (cache === undefined) return undefined;
  const form = quirks.cacheMarkers ?? 'breakpoint';
  if (form === 'cache-control') return { cache_control: omitUndefined({ type: 'ephemeral', ttl: cache.ttl }) };
  if (form === 'breakpoint') return encodeBreakpoint(cache);
  losses.omit('a cache marker');
  return undefined;
}

function encodeTool(tool: ToolDefinition | OpaqueTool, encoding: Encoding): JsonValue[] {
  const { options, losses } = encoding;
  if (isOpaqueTool(tool)) {
    return mayReturnTo(tool.origin, wireName, options.provider) ? [tool.data] : losses.omitTool(tool);
  }
  if (tool.cache !== undefined) losses.omit('a cache marker on a tool');
  const { name, description, inputSchema, strict } = tool;
  const called = { name, description, parameters: inputSchema, strict, ...ownOf(tool, encoding) };
  return [{ type: 'function', function: omitUndefined(called) }];
}

/** Without tools the API rejects every field about them. */
function encodeToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly JsonValue[],
  losses: Losses,
): JsonValue | undefined {
  const isNamed = typeof choice === 'object';
  if (tools.length === 0) {
    const isForced = isNamed || choice === 'required';
    if (isForced) losses.drop('toolChoice', 'the tool choice was left out: the request has no tools');
    return undefined;
  }
  return isNamed ? { type: 'function', function: { name: choice.name } } : choice;
}

function encodeResponseFormat(format: ResponseFormat | undefined, { quirks, losses }: Encoding): JsonValue | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'text') return { type: 'text' };
  switch (quirks.responseFormat ?? 'json-schema') {
    case 'none':
      losses.drop('responseFormat', 'the response format was left out');
      return undefined;
    case 'json':
      if (format.type === 'json-schema') {
        losses.drop('responseFormat', 'the response format was reduced to plain JSON: the schema was left out');
      }
      return { type: 'json_object' };
    case 'json-schema':
      return format.type === 'json' ? { type: 'json_object' } : encodeSchema(format);
    case 'json-schema-only':
      return encodeSchema(format.type === 'json' ? { schema: { type: 'object' } } : format);
  }
}

type SchemaFormatFields = Omit<Extract<ResponseFormat, { type: 'json-schema' }>, 'type'>;

function encodeSchema({ name = 'response', description, schema, strict }: SchemaFormatFields): JsonValue {
  return { type: 'json_schema', json_schema: omitUndefined({ name, description, schema, strict }) };
}

/** The ids of call and result are mapped in the same way, so they still match. */
function encodeId(id: string, { toolCallIds }: Quirks): string {
  return toolCallIds === undefined || /^[a-zA-Z0-9]{9}$/.test(id) ? id : toNineAlphanumeric(id);
}

/** A 46-bit hash (FNV-1a on two halves), which fits nine base-36 digits. */
function toNineAlphanumeric(id: string): string {
  let [low, high] = [0x811c9dc5, 0x2545f491];
  for (let index = 0; index < id.length; index++) {
    low = Math.imul(low ^ id.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ id.charCodeAt(index), 0x5bd1e995);
  }
  const hash = (high >>> 18) * 2 ** 32 + (low >>> 0);
  return hash.toString(36).padStart(9, '0');
}
