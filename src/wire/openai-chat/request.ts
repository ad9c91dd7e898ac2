// A request in the words of the OpenAI chat-completions wire, and of the vendors that speak it in their own way.
// What the wire cannot say, and what becomes of it: an error mark on a tool result, a cache marker on a tool and
// a document by address are left out; images in a tool result move to a user message after it; a token budget
// for reasoning becomes the nearest effort.

import { compact, type JsonObject, type JsonValue } from '../../core/json.ts';
import {
  argumentsOf,
  mayReturnTo,
  textOf,
  toolCallsOf,
  type Block,
  type CacheMarker,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type ReasoningBlock,
  type ToolResultBlock,
} from '../../core/message.ts';
import {
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type Reasoning,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { Losses } from '../loss.ts';
import type { EncodedRequest, EncodeOptions, Quirks } from '../wire.ts';
import { wireName } from './types.ts';

/** What one request is encoded with. */
interface Encoding {
  readonly options: EncodeOptions;
  readonly quirks: Quirks;
  readonly losses: Losses;
}

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const encoding: Encoding = { options, quirks: options.quirks ?? {}, losses: new Losses() };
  const { quirks, losses } = encoding;
  const { extra } = request;
  const stream = request.stream ?? true;
  const tools = request.tools?.flatMap((tool) => encodeTool(tool, encoding)) ?? [];
  const isOldLimit = quirks.maxTokensField === 'max_tokens';
  const isOldSeed = quirks.seedField === 'random_seed';
  // Without computed names and spreads, which take longer than all else here.
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
    // Usage is not sent unless asked for.
    stream_options: stream && !quirks.noStreamOptions ? { include_usage: true } : undefined,
  };
  if (quirks.noUser && request.user !== undefined) losses.leaveOut('the user');
  if (extra === undefined) return { body: compact(body), losses: losses.list };
  losses.addExtras(request, wireName);
  return { body: compact({ ...body, ...extra[wireName] }), losses: losses.list };
}

function encodeMessages(messages: readonly Message[], encoding: Encoding): JsonValue[] {
  const encoded: JsonValue[] = [];
  for (const message of messages) for (const part of encodeMessage(message, encoding)) encoded.push(part);
  return encoded;
}

function encodeMessage(message: Message, encoding: Encoding): JsonValue[] {
  if (message.role === 'assistant') return encodeAssistant(message, encoding);
  const [only] = message.content;
  // What nearly all messages are.
  if (message.content.length === 1 && only?.type === 'text' && only.text !== '' && only.cache === undefined) {
    return [{ role: message.role, content: only.text }];
  }
  if (message.role === 'system') return encodeSpoken('system', message.content, encoding);
  const results = message.content.filter((block) => block.type === 'tool-result');
  const moved = results.flatMap((result) => result.content.filter((part) => part.type !== 'text'));
  if (moved.length > 0) encoding.losses.add('images and documents in a tool result were moved to a user message');
  const rest = [...moved, ...message.content.filter((block) => block.type !== 'tool-result')];
  return [...results.map((result) => encodeResult(result, encoding)), ...encodeSpoken('user', rest, encoding)];
}

/** A message without content is refused, so it is not sent. */
function encodeSpoken(role: 'system' | 'user', blocks: readonly Block[], encoding: Encoding): JsonValue[] {
  const content = encodeParts(blocks, encoding);
  return content.length === 0 ? [] : [{ role, content }];
}

function encodeResult(result: ToolResultBlock, { quirks, losses }: Encoding): JsonValue {
  if (result.isError) losses.leaveOut('the error mark on a tool result');
  return { role: 'tool', tool_call_id: encodeId(result.callId, quirks), content: textOf(result.content) };
}

function encodeAssistant({ content }: Message, encoding: Encoding): JsonValue[] {
  const text = textOf(content);
  const calls = toolCallsOf(content).map((call) => ({
    id: encodeId(call.id, encoding.quirks),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const reasoning = encodeReasoning(content, encoding);
  const others = content.some(
    (block) => block.type === 'opaque' || block.type === 'image' || block.type === 'document',
  );
  if (others) encoding.losses.leaveOut('a block of another provider');
  const audio = content.find((block) => block.type === 'audio' && block.id !== undefined);
  if (text === '' && calls.length === 0 && audio === undefined) return [];
  return [
    compact({
      role: 'assistant',
      content: text === '' ? null : text,
      tool_calls: calls.length === 0 ? undefined : calls,
      audio: audio?.type === 'audio' && audio.id !== undefined ? { id: audio.id } : undefined,
      ...reasoning,
    }),
  ];
}

/** Reasoning goes back only to the vendor that wrote it, in the form that vendor reads. */
function encodeReasoning(content: readonly Block[], { options, quirks, losses }: Encoding): JsonObject {
  const all = content.filter((block) => block.type === 'reasoning');
  if (all.length === 0) return {};
  const form = quirks.reasoning ?? 'none';
  if (form === 'none' || !all.every((block) => mayReturnTo(block.origin, wireName, options.provider))) {
    losses.leaveOut('reasoning');
    return {};
  }
  if (form === 'content') return { reasoning_content: all.map((block) => block.text).join('') };
  return { reasoning_details: all.map(toReasoningDetail) };
}

export function toReasoningDetail({ text, signature, redacted }: ReasoningBlock, index: number): JsonObject {
  if (redacted !== undefined) return { type: 'reasoning.encrypted', data: redacted, index };
  return compact({ type: 'reasoning.text', text, signature, index });
}

/** A lone unmarked text is sent as a plain string, which every vendor accepts. */
function encodeParts(content: readonly Block[], encoding: Encoding): string | JsonValue[] {
  const parts = content.filter((block) => !(block.type === 'text' && block.text === ''));
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text' && encodeCache(only.cache, encoding) === undefined) return only.text;
  return parts.flatMap((block) => encodePart(block, encoding));
}

function encodePart(block: Block, encoding: Encoding): JsonValue[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text, ...encodeCache(block.cache, encoding) }];
    case 'image':
      return encodeImage(block, encoding);
    case 'audio': {
      const { data, format, cache } = block;
      return [{ type: 'input_audio', input_audio: { data, format }, ...encodeCache(cache, encoding) }];
    }
    case 'document':
      return encodeDocument(block, encoding);
    default:
      return encoding.losses.leaveOut('a block of another provider');
  }
}

function encodeImage({ source, detail, cache }: ImageBlock, encoding: Encoding): JsonValue[] {
  if (source.kind === 'file') return encoding.losses.leaveOut('an image by file id');
  const url = source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
  return [{ type: 'image_url', image_url: compact({ url, detail }), ...encodeCache(cache, encoding) }];
}

function encodeDocument({ source, title, cache }: DocumentBlock, encoding: Encoding): JsonValue[] {
  const marker = encodeCache(cache, encoding);
  switch (source.kind) {
    case 'text':
      return [{ type: 'text', text: source.text, ...marker }];
    case 'file':
      return [{ type: 'file', file: { file_id: source.id }, ...marker }];
    case 'base64': {
      const data = `data:${source.mediaType};base64,${source.data}`;
      return [{ type: 'file', file: { filename: title ?? 'document', file_data: data }, ...marker }];
    }
    case 'url':
      return encoding.losses.leaveOut('a document by address');
  }
}

function encodeCache(cache: CacheMarker | undefined, { quirks, losses }: Encoding): JsonObject | undefined {
  if (cache === undefined) return undefined;
  const form = quirks.cacheMarkers ?? 'breakpoint';
  if (form === 'cache-control') return { cache_control: compact({ type: 'ephemeral', ttl: cache.ttl }) };
  if (form === 'breakpoint')
    return { prompt_cache_breakpoint: compact({ mode: 'explicit', ttl: breakpointTtl(cache) }) };
  losses.leaveOut('a cache marker');
  return undefined;
}

/** Time-to-live values of other wires mean nothing here; the marker itself does. */
function breakpointTtl({ ttl }: CacheMarker): string | undefined {
  return ttl === '30m' || ttl === '12h' ? ttl : undefined;
}

function encodeTool(tool: ToolDefinition | OpaqueTool, { options, losses }: Encoding): JsonValue[] {
  if (isOpaqueTool(tool)) {
    return mayReturnTo(tool.origin, wireName, options.provider)
      ? [tool.data]
      : losses.leaveOut('a tool of another provider');
  }
  if (tool.cache !== undefined) losses.leaveOut('a cache marker on a tool');
  const { name, description, inputSchema, strict } = tool;
  return [{ type: 'function', function: compact({ name, description, parameters: inputSchema, strict }) }];
}

/** Without tools the wire refuses every word about them. */
function encodeToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly JsonValue[],
  losses: Losses,
): JsonValue | undefined {
  const isNamed = typeof choice === 'object';
  if (tools.length === 0) {
    if (isNamed || choice === 'required') losses.leaveOut('the tool choice, for want of tools,');
    return undefined;
  }
  return isNamed ? { type: 'function', function: { name: choice.name } } : choice;
}

function encodeResponseFormat(format: ResponseFormat | undefined, { quirks, losses }: Encoding): JsonValue | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'text') return { type: 'text' };
  switch (quirks.responseFormat ?? 'json-schema') {
    case 'none':
      losses.leaveOut('the response format');
      return undefined;
    case 'json':
      if (format.type === 'json-schema') {
        losses.add('the response format was reduced to plain JSON: the schema was left out');
      }
      return { type: 'json_object' };
    case 'json-schema':
      return format.type === 'json' ? { type: 'json_object' } : encodeSchema(format);
    case 'json-schema-only':
      return encodeSchema(format.type === 'json' ? { schema: { type: 'object' } } : format);
  }
}

type SchemaFormat = Omit<Extract<ResponseFormat, { type: 'json-schema' }>, 'type'>;

function encodeSchema({ name = 'response', description, schema, strict }: SchemaFormat): JsonValue {
  return { type: 'json_schema', json_schema: compact({ name, description, schema, strict }) };
}

/** Call and result are mapped alike, so they still find each other. */
function encodeId(id: string, { toolCallIds }: Quirks): string {
  return toolCallIds === undefined || /^[a-zA-Z0-9]{9}$/.test(id) ? id : toNineAlphanumeric(id);
}

/** A hash of 46 bits (FNV-1a's way, on two halves), which nine digits of base 36 can hold. */
function toNineAlphanumeric(id: string): string {
  let [low, high] = [0x811c9dc5, 0x2545f491];
  for (let index = 0; index < id.length; index++) {
    low = Math.imul(low ^ id.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ id.charCodeAt(index), 0x5bd1e995);
  }
  const hash = (high >>> 18) * 2 ** 32 + (low >>> 0);
  return hash.toString(36).padStart(9, '0');
}

function encodeEffort(reasoning: Reasoning | undefined, losses: Losses): string | undefined {
  if (reasoning?.budgetTokens === undefined) return reasoning?.effort;
  if (reasoning.effort !== undefined) return reasoning.effort;
  const effort = reasoning.budgetTokens <= 2048 ? 'low' : reasoning.budgetTokens <= 16384 ? 'medium' : 'high';
  losses.add(`a reasoning budget of ${reasoning.budgetTokens} tokens became the effort "${effort}"`);
  return effort;
}
