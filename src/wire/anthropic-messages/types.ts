// The parts of the Anthropic Messages wire that we read, and the tables that both sides of the codec share. The types are
// lenient: any field that a provider sends may be missing.

import type { StopReason } from '../../core/event.ts';
import { omitUndefined, entryOf, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Block, CacheMarker, ToolCallBlock } from '../../core/message.ts';
import { noUsage, type Usage } from '../../core/usage.ts';

export const wireName = 'anthropic-messages';

/** Turns on preview features, which add fields to the body. */
export const betaHeader = 'anthropic-beta';

export interface AnthropicUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
}

export interface AnthropicBlock {
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly input?: unknown;
  readonly citations?: readonly JsonValue[] | null;
}

export interface AnthropicDelta {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly partial_json?: string;
  readonly citation?: JsonValue;
  readonly stop_reason?: string | null;
  readonly stop_sequence?: string | null;
}

export interface AnthropicMessage {
  readonly type?: string;
  readonly id?: string;
  readonly model?: string;
  readonly content?: readonly AnthropicBlock[];
  readonly stop_reason?: string | null;
  readonly stop_sequence?: string | null;
  readonly usage?: AnthropicUsage | null;
  readonly error?: unknown;
}

/** Any event of the stream. Its fields depend on `type`. */
export interface AnthropicEvent {
  readonly type?: string;
  readonly index?: number;
  readonly message?: AnthropicMessage;
  readonly content_block?: AnthropicBlock;
  readonly delta?: AnthropicDelta;
  readonly usage?: AnthropicUsage | null;
  readonly error?: unknown;
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

const encodedStopReasons: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
  refusal: 'refusal',
  pause: 'pause_turn',
};

/** An unknown reason also ends the message. */
export function decodeStopReason(reason: string): StopReason {
  return entryOf(stopReasons, reason) ?? 'end';
}

export function encodeStopReason(reason: StopReason): string {
  return encodedStopReasons[reason];
}

/** Counts arrive at the start and at the end of a stream. A later number replaces an earlier one. */
export function mergeUsage(usage: Usage, update: AnthropicUsage | null | undefined): Usage {
  if (update === null || update === undefined) return usage;
  return omitUndefined({
    input: update.input_tokens ?? usage.input,
    output: update.output_tokens ?? usage.output,
    cacheRead: update.cache_read_input_tokens ?? usage.cacheRead,
    cacheWrite: update.cache_creation_input_tokens ?? usage.cacheWrite,
    reasoning: update.output_tokens_details?.thinking_tokens ?? usage.reasoning,
  });
}

export function encodeUsage(usage: Usage = noUsage): Record<string, JsonValue> {
  return omitUndefined({
    input_tokens: usage.input,
    output_tokens: usage.output,
    // Clients add them up without a check.
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    output_tokens_details: usage.reasoning === undefined ? undefined : { thinking_tokens: usage.reasoning },
  });
}

/** Time-to-live values of other wires are dropped; the marker stays. */
export function encodeCache(cache: CacheMarker | undefined): { type: 'ephemeral'; ttl?: string } | undefined {
  if (cache === undefined) return undefined;
  return cache.ttl === '5m' || cache.ttl === '1h' ? { type: 'ephemeral', ttl: cache.ttl } : { type: 'ephemeral' };
}

/** The wire requires an object. Arguments that are not JSON are sent back as text, so that the model sees its mistake. */
export function encodeInput(call: ToolCallBlock): JsonValue {
  if (isRecord(call.input)) return call.input as JsonObject;
  return { invalid_json: call.raw ?? JSON.stringify(call.input) };
}

/** Each wire has its own form of citations. Those of another wire are left out. */
export function citationsOf(block: Block): JsonValue[] {
  if (block.type !== 'text' || block.citations === undefined) return [];
  return block.citations.filter(isOwnCitation);
}

/** Those of OpenAI have a type of their own, those of Bedrock none. */
function isOwnCitation(citation: JsonValue): boolean {
  return isRecord(citation) && typeof citation['type'] === 'string' && citation['type'] !== 'url_citation';
}

/** The wire has no code for a prompt that is too long. Clients recognize it by the beginning of the message. */
const overflowPrefix = 'prompt is too long';

export function isOverflow(type: string | undefined, message: string): boolean {
  return type === 'invalid_request_error' && message.startsWith(overflowPrefix);
}

export function overflowMessage(message: string): string {
  return message.startsWith(overflowPrefix) ? message : `${overflowPrefix}: ${message}`;
}
