// Blocks, token counts and errors in the format of stream-json. Encoding is not always exact; `isSame` tells the encoder
// whether it must also send the original.

import { encodeAnthropicSource } from '../core/anthropic-source.ts';
import { classifyFailure, errorTable, SimpleAgentsError, type ErrorKind } from '../core/error.ts';
import type { StopReason } from '../core/event.ts';
import { entryOf, isRecord, omitUndefined, type JsonObject, type JsonValue } from '../core/json.ts';
import type { Block, MediaSource, OpaqueBlock, ToolResultBlock } from '../core/message.ts';
import type { Usage } from '../core/usage.ts';
import { numberOf, recordOf, stringOf } from './line.ts';

/** The wire that stream-json borrows its messages from. Signatures and unknown blocks may return there. */
const messageWire = 'anthropic-messages';
const origin = { wire: messageWire };

/** A block that the format cannot express becomes an empty text. */
export function encodeBlock(block: Block): JsonObject {
  switch (block.type) {
    case 'text':
      return omitUndefined({ type: 'text', text: block.text, citations: block.citations });
    case 'reasoning':
      if (block.redacted !== undefined) return { type: 'redacted_thinking', data: block.redacted };
      return { type: 'thinking', thinking: block.text, signature: block.signature ?? '' };
    case 'tool-call':
      return {
        type: 'tool_use',
        id: block.id,
        name: block.name,
        input: isRecord(block.input) ? (block.input as JsonObject) : {},
      };
    case 'tool-result':
      return encodeToolResult(block);
    case 'image':
      return { type: 'image', source: encodeAnthropicSource(block.source) };
    case 'document':
      return omitUndefined({ type: 'document', source: encodeAnthropicSource(block.source), title: block.title });
    case 'opaque':
      return block.origin.wire === messageWire && isRecord(block.data) ? block.data : { type: 'text', text: '' };
    case 'audio':
      return { type: 'text', text: '' };
  }
}

function encodeToolResult({ callId, content, isError }: ToolResultBlock): JsonObject {
  return omitUndefined({
    tool_use_id: callId,
    type: 'tool_result',
    content: content.map(encodeBlock),
    is_error: isError === true ? true : undefined,
  });
}

export function decodeContent(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map((block) => decodeBlock(recordOf(block))) : [];
}

export function decodeBlock(block: Record<string, unknown>): Block {
  const { text, thinking, id, name } = block;
  switch (block['type']) {
    case 'text':
      return omitUndefined({ type: 'text', text: stringOf(text) ?? '', citations: citationsOf(block['citations']) });
    case 'thinking':
      return omitUndefined({
        type: 'reasoning',
        text: stringOf(thinking) ?? '',
        signature: stringOf(block['signature']) || undefined,
        origin,
      });
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: stringOf(block['data']) ?? '', origin };
    case 'tool_use':
      return { type: 'tool-call', id: stringOf(id) ?? '', name: stringOf(name) ?? '', input: block['input'] ?? {} };
    case 'tool_result':
      return decodeToolResult(block);
    default:
      return decodeMedia(block) ?? toOpaque(block);
  }
}

/** An empty list means that the text has no citations. */
function citationsOf(value: unknown): readonly JsonValue[] | undefined {
  return Array.isArray(value) && value.length > 0 ? (value as JsonValue[]) : undefined;
}

export function decodeToolResult(block: Record<string, unknown>): ToolResultBlock {
  return omitUndefined({
    type: 'tool-result',
    callId: stringOf(block['tool_use_id']) ?? '',
    content: decodeContent(block['content']).map(toResultPart),
    isError: block['is_error'] === true ? true : undefined,
  });
}

function toResultPart(block: Block): ToolResultBlock['content'][number] {
  const isPart =
    block.type === 'text' || block.type === 'image' || block.type === 'document' || block.type === 'opaque';
  return isPart ? block : toOpaque(encodeBlock(block));
}

function decodeMedia(block: Record<string, unknown>): Block | undefined {
  const { type, title } = block;
  if (type !== 'image' && type !== 'document') return undefined;
  const source = decodeSource(recordOf(block['source']));
  if (source === undefined) return undefined;
  if (type === 'document') return omitUndefined({ type, source, title: stringOf(title) });
  return source.kind === 'text' ? undefined : { type, source };
}

function decodeSource(
  source: Record<string, unknown>,
): MediaSource | { readonly kind: 'text'; readonly text: string } | undefined {
  const { type, data, url, media_type: mediaType, file_id: id } = source;
  if (type === 'base64' && typeof data === 'string' && typeof mediaType === 'string')
    return { kind: type, mediaType, data };
  if (type === 'url' && typeof url === 'string') return { kind: type, url };
  if (type === 'file' && typeof id === 'string') return { kind: type, id };
  if (type === 'text' && typeof data === 'string') return { kind: type, text: data };
  return undefined;
}

function toOpaque(block: object): OpaqueBlock {
  return { type: 'opaque', origin, data: block as JsonObject };
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  pause_turn: 'pause',
  refusal: 'refusal',
};

export function decodeStopReason(reason: unknown): StopReason | undefined {
  return typeof reason === 'string' ? (entryOf(stopReasons, reason) ?? 'end') : undefined;
}

export function encodeStopReason(reason: StopReason): string {
  return Object.keys(stopReasons).find((name) => stopReasons[name] === reason) as string;
}

/** All counts are present, because hosts add them up. */
export function encodeUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning ?? 0 },
  };
}

/** Counts arrive in parts. A later one replaces an earlier one. */
export function decodeUsage(value: unknown, before: Usage): Usage {
  if (!isRecord(value)) return before;
  return omitUndefined({
    input: numberOf(value['input_tokens']) ?? before.input,
    output: numberOf(value['output_tokens']) ?? before.output,
    cacheRead: numberOf(value['cache_read_input_tokens']) ?? before.cacheRead,
    cacheWrite: numberOf(value['cache_creation_input_tokens']) ?? before.cacheWrite,
    reasoning: numberOf(recordOf(value['output_tokens_details'])['thinking_tokens']) ?? before.reasoning,
  });
}

const errorMembers = ['status', 'retryAfterMs', 'target', 'field', 'code', 'requestId'] as const;

export function encodeFailure(error: SimpleAgentsError): JsonObject {
  const details: Record<string, JsonValue | undefined> = {};
  for (const member of errorMembers) details[member] = error[member];
  return omitUndefined({ kind: error.kind, message: error.message, ...details });
}

export function decodeFailure(value: unknown): SimpleAgentsError {
  const { kind, message, ...details } = recordOf(value);
  const text = stringOf(message) ?? 'The agent reported an error without a message.';
  const isKnown = typeof kind === 'string' && Object.hasOwn(errorTable, kind);
  if (!isKnown) return classifyFailure({ message: text });
  return new SimpleAgentsError(kind as ErrorKind, text, details);
}

/** Compares JSON values. A member that is `undefined` counts as absent. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isSame(left[name], right[name]));
}
