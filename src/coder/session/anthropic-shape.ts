// Messages in session files: in the format of Anthropic's API, whatever the provider, so that other tools can read them.
// Information that this format cannot represent is kept under one extra key.
// Invariant: decodeMessage(encodeMessage(message)) equals the message, for every message that JSON can represent.

import { encodeAnthropicSource } from '../../core/anthropic-source.ts';
import type { StopReason } from '../../core/event.ts';
import { omitUndefined, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import type {
  Block,
  CacheMarker,
  DocumentBlock,
  MediaSource,
  Message,
  ReasoningBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../../core/message.ts';
import { text } from '../../core/message.ts';
import type { Usage } from '../../core/usage.ts';
import type { AnswerRecord } from '../../agent/history.ts';

/** The extra key for what Anthropic's format cannot represent. */
const ours = 'simple_agents';
const wire = 'anthropic-messages';

export function encodeMessage({ role, content }: Message, id: string, answer?: AnswerRecord): JsonObject {
  const blocks = content.map(encodeBlock);
  if (role !== 'assistant') return { role, content: blocks };
  const { input = 0, output = 0, cacheWrite = 0, cacheRead = 0 } = answer?.usage ?? {};
  return omitUndefined({
    id: answer?.id || id,
    type: 'message',
    role,
    model: answer?.model || undefined,
    content: blocks,
    'stop_reason': answer?.stopReason === undefined ? undefined : stopReasons[answer.stopReason],
    usage: {
      'input_tokens': input,
      'output_tokens': output,
      'cache_creation_input_tokens': cacheWrite,
      'cache_read_input_tokens': cacheRead,
    },
  });
}

const stopReasons: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
  pause: 'pause_turn',
  refusal: 'refusal',
};

function encodeBlock(block: Block): JsonObject {
  switch (block.type) {
    case 'text': {
      const { citations } = block;
      return omitUndefined({ type: 'text', text: block.text, citations, ...encodeCache(block.cache) });
    }
    case 'image':
      return withOurs(
        { type: 'image', source: encodeAnthropicSource(block.source), ...encodeCache(block.cache) },
        block,
        ['detail'],
      );
    case 'document':
      return encodeDocument(block);
    case 'reasoning':
      return encodeReasoning(block);
    case 'tool-call':
      return encodeCall(block);
    case 'tool-result':
      return encodeResult(block);
    case 'audio':
      return toTextBlock(block, block.transcript ?? `[audio: ${block.format}]`);
    case 'opaque':
      return encodeOpaque(block);
  }
}

/** A block type that Anthropic's format does not have: a text for other tools, and the block itself under the extra key. */
function toTextBlock(block: Block, words: string): JsonObject {
  return { type: 'text', text: words, [ours]: { block: block as unknown as JsonObject } };
}

function encodeDocument({ source, title, cache }: DocumentBlock): JsonObject {
  return omitUndefined({ type: 'document', source: encodeAnthropicSource(source), title, ...encodeCache(cache) });
}

function encodeReasoning(block: ReasoningBlock): JsonObject {
  const shape =
    block.redacted !== undefined && block.text === '' && block.signature === undefined
      ? { type: 'redacted_thinking', data: block.redacted }
      : { type: 'thinking', thinking: block.text, signature: block.signature };
  const isWhole = shape.type === 'redacted_thinking';
  return withOurs(omitUndefined(shape), block, isWhole ? ['origin'] : ['redacted', 'origin']);
}

function encodeCall(block: ToolCallBlock): JsonObject {
  const { id, name, input, cache } = block;
  const isObject = isRecord(input);
  const shape = { type: 'tool_use', id, name, input: isObject ? (input as JsonObject) : {}, ...encodeCache(cache) };
  return withOurs(shape, block, isObject ? ['raw', 'error', 'flags'] : ['input', 'raw', 'error', 'flags']);
}

function encodeResult({ callId, content, isError, cache }: ToolResultBlock): JsonObject {
  return omitUndefined({
    type: 'tool_result',
    'tool_use_id': callId,
    content: content.map(encodeBlock),
    'is_error': isError,
    ...encodeCache(cache),
  });
}

const knownTypes = new Set(['text', 'image', 'document', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result']);

/** A block that came from Anthropic is written unchanged. */
function encodeOpaque(block: Block & { type: 'opaque' }): JsonObject {
  const { origin, data } = block;
  const isNative =
    origin.wire === wire &&
    isRecord(data) &&
    typeof data['type'] === 'string' &&
    !knownTypes.has(data['type']) &&
    !Object.hasOwn(data, ours);
  return isNative ? withOurs(data, block, ['origin']) : toTextBlock(block, `[${origin.wire} block]`);
}

function encodeCache(cache: CacheMarker | undefined): JsonObject {
  return cache === undefined ? {} : { 'cache_control': omitUndefined({ type: 'ephemeral', ttl: cache.ttl }) };
}

/** Adds the given members of the block under the extra key, if they are defined. */
function withOurs<B extends Block>(shape: JsonObject, block: B, keys: readonly (keyof B & string)[]): JsonObject {
  const kept = keys.filter((key) => block[key] !== undefined);
  if (kept.length === 0) return shape;
  return { ...shape, [ours]: Object.fromEntries(kept.map((key) => [key, block[key] as JsonValue])) };
}

/** Undefined for a value that is not a message. Lenient, because other tools may have written it. */
export function decodeMessage(value: unknown): Message | undefined {
  if (!isRecord(value)) return undefined;
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return undefined;
  if (typeof content === 'string') return { role, content: [text(content)] };
  if (!Array.isArray(content)) return undefined;
  return { role, content: content.filter(isRecord).map(decodeBlock) };
}

/** Undefined if no usage was recorded. */
export function decodeUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const [input, output, cacheWrite, cacheRead] = [
    'input_tokens',
    'output_tokens',
    'cache_creation_input_tokens',
    'cache_read_input_tokens',
  ].map((key) => (typeof value[key] === 'number' ? value[key] : 0));
  return { input: input ?? 0, output: output ?? 0, cacheWrite: cacheWrite ?? 0, cacheRead: cacheRead ?? 0 };
}

type Shape = Record<string, unknown>;

function decodeBlock(shape: Shape): Block {
  const { [ours]: kept, ...rest } = shape;
  const more = isRecord(kept) ? kept : {};
  const { block } = more;
  const isTextBlock = isRecord(block) && (block['type'] === 'audio' || block['type'] === 'opaque');
  return isTextBlock ? (block as unknown as Block) : decodeShape(rest, more);
}

function decodeShape(shape: Shape, more: Shape): Block {
  const cache = decodeCache(shape['cache_control']);
  switch (shape['type']) {
    case 'text':
      return omitUndefined({
        type: 'text',
        text: asText(shape['text']),
        citations: asList(shape['citations']),
        ...cache,
      });
    case 'image':
      return { type: 'image', source: decodeSource(shape['source']), ...pick(more, 'detail'), ...cache };
    case 'document':
      return decodeDocument(shape);
    case 'thinking':
      return decodeThinking(shape, more);
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: asText(shape['data']), ...pick(more, 'origin') };
    case 'tool_use':
      return decodeCall(shape, more);
    case 'tool_result':
      return decodeResult(shape);
    default:
      return { type: 'opaque', origin: { wire }, data: shape as JsonObject, ...pick(more, 'origin') };
  }
}

function decodeThinking(shape: Shape, more: Shape): Block {
  const { signature } = shape;
  const proof = typeof signature === 'string' ? { signature } : {};
  return { type: 'reasoning', text: asText(shape['thinking']), ...proof, ...pick(more, 'redacted', 'origin') };
}

function decodeCall(shape: Shape, more: Shape): Block {
  const call = { id: asText(shape['id']), name: asText(shape['name']), input: shape['input'] };
  const kept = pick(more, 'input', 'raw', 'error', 'flags');
  return { type: 'tool-call', ...call, ...kept, ...decodeCache(shape['cache_control']) };
}

function decodeResult(shape: Shape): Block {
  const { content } = shape;
  const blocks = Array.isArray(content) ? content.filter(isRecord).map(decodeBlock) : [text(asText(content))];
  return {
    type: 'tool-result',
    callId: asText(shape['tool_use_id']),
    content: blocks.filter((block) => block.type === 'text' || block.type === 'image' || block.type === 'document'),
    ...(typeof shape['is_error'] === 'boolean' ? { isError: shape['is_error'] } : {}),
    ...decodeCache(shape['cache_control']),
  };
}

function decodeSource(value: unknown): MediaSource {
  const source = isRecord(value) ? value : {};
  if (source['type'] === 'url') return { kind: 'url', url: asText(source['url']) };
  if (source['type'] === 'file') return { kind: 'file', id: asText(source['file_id']) };
  return { kind: 'base64', mediaType: asText(source['media_type']), data: asText(source['data']) };
}

function decodeDocument(shape: Shape): Block {
  const source = isRecord(shape['source']) ? shape['source'] : {};
  const isText = source['type'] === 'text';
  return {
    type: 'document',
    source: isText ? { kind: 'text', text: asText(source['data']) } : decodeSource(source),
    ...(typeof shape['title'] === 'string' ? { title: shape['title'] } : {}),
    ...decodeCache(shape['cache_control']),
  };
}

function decodeCache(value: unknown): { cache?: CacheMarker } {
  if (!isRecord(value)) return {};
  return { cache: typeof value['ttl'] === 'string' ? { ttl: value['ttl'] } : {} };
}

/** Only the listed members, because the file may come from an untrusted source. */
function pick(more: Shape, ...keys: readonly string[]): Shape {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(more, key)).map((key) => [key, more[key]]));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function asList(value: unknown): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as JsonValue[]) : undefined;
}
