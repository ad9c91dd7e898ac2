// The parts of the OpenAI chat-completions wire that we read, and the tables that both sides of the codec share. The types
// are lenient, because a dozen vendors speak this wire with small differences.

import type { StopReason } from '../../core/event.ts';
import { omitUndefined, entryOf, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

export const wireName = 'openai-chat';

/** Marks a text of the assistant that arrived as a refusal. */
export const refusalItem = { type: 'refusal' } as const;

export interface OpenaiUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
  /** DeepSeek's name for cached tokens. */
  readonly prompt_cache_hit_tokens?: number;
}

export interface OpenaiToolCall {
  readonly index?: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null };
}

/** OpenRouter's form of reasoning, the only one on this wire that can carry a signature. */
export interface OpenaiReasoningDetail {
  readonly type?: string;
  readonly text?: string | null;
  readonly summary?: string | null;
  readonly data?: string;
  readonly signature?: string | null;
}

/** Mistral's reasoning models send their content in parts. */
export interface OpenaiPart {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: readonly { readonly text?: string }[];
}

/** A message, or the part of one that a chunk adds. */
export interface OpenaiDelta {
  readonly content?: string | readonly OpenaiPart[] | null;
  readonly refusal?: string | null;
  /** DeepSeek, vLLM and others. */
  readonly reasoning_content?: string | null;
  /** OpenRouter, Groq and others. */
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly OpenaiReasoningDetail[] | null;
  readonly tool_calls?: readonly OpenaiToolCall[] | null;
  readonly annotations?: readonly JsonValue[] | null;
  readonly audio?: { readonly id?: string; readonly data?: string; readonly transcript?: string } | null;
  /** Images that the model made: OpenRouter, LiteLLM and others. */
  readonly images?: readonly { readonly image_url?: { readonly url?: string } }[] | null;
}

export interface OpenaiChoice {
  readonly index?: number;
  readonly delta?: OpenaiDelta;
  readonly message?: OpenaiDelta;
  readonly finish_reason?: string | null;
  readonly logprobs?: unknown;
  readonly error?: unknown;
}

export interface OpenaiError {
  readonly type?: string | null;
  readonly code?: string | number | null;
  readonly param?: string | null;
}

export interface OpenaiBody {
  readonly id?: string;
  readonly model?: string;
  readonly choices?: readonly OpenaiChoice[];
  readonly usage?: OpenaiUsage | null;
  readonly error?: unknown;
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'refusal',
};

const finishReasons: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'stop-sequence': 'stop',
  refusal: 'content_filter',
  pause: 'stop',
};

/**
 * Several vendors, and OpenAI itself for a forced tool, send `stop` after tool calls. An unknown reason also ends the
 * message.
 */
export function decodeStopReason(finishReason: string, hasToolCalls: boolean): StopReason {
  const reason = entryOf(stopReasons, finishReason) ?? 'end';
  return reason === 'end' && hasToolCalls ? 'tool-calls' : reason;
}

export function encodeStopReason(reason: StopReason): string {
  return finishReasons[reason];
}

/** In this wire the prompt tokens include the cached tokens. In `Usage` they do not. */
export function decodeUsage(usage: OpenaiUsage): Usage {
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens;
  const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens;
  return omitUndefined({
    input: Math.max(0, (usage.prompt_tokens ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output: usage.completion_tokens ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  });
}

export function encodeUsage(usage: Usage): JsonObject {
  const prompt = usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  const details = omitUndefined({ cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite });
  return omitUndefined({
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: Object.keys(details).length === 0 ? undefined : details,
    completion_tokens_details: usage.reasoning === undefined ? undefined : { reasoning_tokens: usage.reasoning },
  });
}
