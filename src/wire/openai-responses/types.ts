// The parts of the OpenAI Responses wire that we read, and the tables that both sides of the codec share. The types are
// lenient: any field that a provider sends may be missing.

import type { StopReason } from '../../core/event.ts';
import { isRecord, omitUndefined, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import type { Block, ToolCallBlock } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest, type OpaqueTool, type ToolDefinition } from '../../core/request.ts';
import { promptTokens, type Usage } from '../../core/usage.ts';
import { itemMember } from '../loss.ts';

export const wireName = 'openai-responses';

/** The end of a stream. The Open Responses specification requires it; OpenAI does not send it, and its clients accept it. */
export const terminator = 'data: [DONE]\n\n';

export interface ResponsesUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly input_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number } | null;
  readonly output_tokens_details?: { readonly reasoning_tokens?: number } | null;
}

/** A part of a message, of a reasoning item or of its summary. */
export interface ResponsesPart {
  readonly type?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly annotations?: readonly JsonValue[] | null;
  readonly logprobs?: readonly JsonValue[];
}

/** An item of a response's output. Its fields depend on `type`. */
export interface ResponsesItem {
  readonly type?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly input?: string;
  readonly content?: readonly ResponsesPart[] | null;
  readonly summary?: readonly ResponsesPart[] | null;
  readonly encrypted_content?: string | null;
}

export interface ResponsesError {
  readonly type?: string | null;
  readonly code?: string | null;
  readonly param?: string | null;
}

export interface ResponsesBody {
  readonly id?: string;
  readonly model?: string;
  readonly status?: string;
  readonly output?: readonly ResponsesItem[];
  readonly usage?: ResponsesUsage | null;
  readonly error?: unknown;
  readonly incomplete_details?: { readonly reason?: string } | null;
}

/** Any event of the stream. Its fields depend on `type`. */
export interface ResponsesEvent {
  readonly type?: string;
  readonly response?: ResponsesBody;
  readonly output_index?: number;
  readonly content_index?: number;
  readonly summary_index?: number;
  readonly item?: ResponsesItem;
  readonly delta?: string;
  readonly logprobs?: readonly JsonValue[];
  readonly annotation?: JsonValue;
  readonly error?: unknown;
}

/** The value of `include` that asks for log probabilities. */
export const logprobsValue = 'message.output_text.logprobs';

export function asksForLogprobs(include: unknown): boolean {
  return Array.isArray(include) && include.includes(logprobsValue);
}

/** The wire has no stop reason: it follows from the status, from a refusal and from the tool calls. */
export function decodeStopReason(body: ResponsesBody, refused: boolean, hasToolCalls: boolean): StopReason {
  const { status = 'completed', incomplete_details: details } = body;
  // A background response, which is not finished yet.
  if (status === 'queued' || status === 'in_progress') return 'pause';
  if (status === 'incomplete') return details?.reason === 'content_filter' ? 'refusal' : 'length';
  if (refused) return 'refusal';
  return hasToolCalls ? 'tool-calls' : 'end';
}

export interface EncodedStatus {
  readonly status: 'completed' | 'incomplete';
  readonly incomplete_details: { readonly reason: string } | null;
}

export function encodeStopReason(reason: StopReason): EncodedStatus {
  if (reason === 'length') return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  if (reason === 'refusal') return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  return { status: 'completed', incomplete_details: null };
}

/** In this wire the input tokens include the cached tokens. In `Usage` they do not. */
export function decodeUsage(usage: ResponsesUsage): Usage {
  const { cached_tokens: cacheRead, cache_write_tokens: cacheWrite } = usage.input_tokens_details ?? {};
  return omitUndefined({
    input: Math.max(0, (usage.input_tokens ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    output: usage.output_tokens ?? 0,
    cacheRead,
    cacheWrite,
    reasoning: usage.output_tokens_details?.reasoning_tokens,
  });
}

/** The wire requires the details, so an unknown count is sent as zero. */
export function encodeUsage(usage: Usage): JsonObject {
  const input = promptTokens(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, cache_write_tokens: usage.cacheWrite ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + usage.output,
  };
}

/** Parts of a summary are paragraphs. */
export const partSeparator = '\n\n';

export function joinParts(parts: readonly ResponsesPart[] | null | undefined): string {
  return (parts ?? []).map(({ text = '' }) => text).join(partSeparator);
}

/**
 * A custom tool takes plain text instead of JSON. For other wires it is a function with this schema, so that its calls
 * have arguments like all others: `{ "input": TEXT }`.
 */
export const customSchema: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
};

/** A custom tool keeps its own definition. */
export function isCustomTool(tool: ToolDefinition | OpaqueTool): boolean {
  if (isOpaqueTool(tool) || tool.extra?.wire !== wireName) return false;
  const item = tool.extra.members[itemMember];
  return isRecord(item) && item['type'] === 'custom';
}

/** The names of the request's custom tools. */
export function customNames({ tools = [] }: Pick<ChatRequest, 'tools'>): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (!isOpaqueTool(tool) && isCustomTool(tool) ? [tool.name] : [])));
}

/** The plain text of a call to a custom tool. Arguments of another shape are sent as their JSON. */
export function customInput({ input, raw }: ToolCallBlock): string {
  if (isRecord(input) && typeof input['input'] === 'string') return input['input'];
  return raw ?? JSON.stringify(input);
}

const annotationTypes = ['url_citation', 'file_citation', 'container_file_citation', 'file_path'];

/** Each wire has its own form of citations. Those of the chat wire are flattened; those of other wires are left out. */
export function annotationsOf(block: Block): JsonObject[] {
  if (block.type !== 'text' || block.citations === undefined) return [];
  return block.citations.flatMap((citation): JsonObject[] => {
    if (!isRecord(citation) || !annotationTypes.includes(citation['type'] as string)) return [];
    const { url_citation: nested, ...flat } = citation;
    return [{ ...flat, ...(isRecord(nested) ? nested : {}) }];
  });
}

/** Whether an item is the result of a call, so that it belongs to the turn of the user. */
export function isResultType(type: string): boolean {
  return /_output$|_response$/.test(type);
}
