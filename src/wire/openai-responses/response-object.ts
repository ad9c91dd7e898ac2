// The response object of the OpenAI Responses wire: what the model produced, and the settings of the request, which the
// API repeats. Clients read the settings, so absent ones are sent with the API's defaults.

import type { StopReason } from '../../core/event.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { encodeStopReason } from './types.ts';

const defaults: JsonObject = {
  background: false,
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

/** The members that repeat the request. The tier is what the provider chose. */
export const echoedNames = Object.keys(defaults).filter((name) => name !== 'service_tier');

/** The members of a request that its response repeats. */
export function echoOf(body: unknown): JsonObject {
  const echo: Record<string, JsonValue | undefined> = { ...defaults };
  if (!isRecord(body)) return echo;
  for (const name of Object.keys(defaults)) if (isSet(body[name])) echo[name] = body[name] as JsonValue;
  for (const name of ['reasoning', 'text'])
    if (isRecord(body[name])) echo[name] = { ...(defaults[name] as JsonObject), ...(body[name] as JsonObject) };
  if (echo['service_tier'] === 'auto') echo['service_tier'] = 'default';
  if (Array.isArray(echo['tools'])) echo['tools'] = echo['tools'].map(toEchoedTool);
  const conversation = conversationIdOf(body);
  return conversation === undefined ? echo : { ...echo, conversation: { id: conversation } };
}

/** A request names its conversation by the id, or by an object with it. */
export function conversationIdOf({ conversation }: Record<string, unknown>): string | undefined {
  const id: unknown = isRecord(conversation) ? conversation['id'] : conversation;
  return typeof id === 'string' ? id : undefined;
}

/** The wire requires all members of a function. */
function toEchoedTool(tool: JsonValue): JsonValue {
  if (!isRecord(tool) || tool['type'] !== 'function') return tool;
  return { description: null, parameters: null, strict: null, ...tool };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The names of the custom tools in the request. */
export function customNamesIn({ tools }: JsonObject): ReadonlySet<string> {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const custom = list.filter((tool) => isRecord(tool) && tool['type'] === 'custom') as { readonly name: string }[];
  return new Set(custom.map(({ name }) => name));
}

export interface ResponseState {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly echo: JsonObject;
  /** Members that the provider sent and events do not have. */
  readonly own: object;
}

/** The object while the response is in progress. */
export function responseInProgress({ id, model, created, echo, own }: ResponseState): JsonObject {
  const head = { id, object: 'response', created_at: created, status: 'in_progress' };
  const state = { completed_at: null, error: null, incomplete_details: null, model, output: [], usage: null };
  return { ...head, ...state, ...echo, ...own };
}

export interface ResponseEnding {
  readonly stopReason: StopReason;
  readonly output: readonly JsonValue[];
  readonly usage: JsonObject | null;
}

export function finishedResponse(state: ResponseState, { stopReason, output, usage }: ResponseEnding): JsonObject {
  const end = encodeStopReason(stopReason);
  const completed = end.status === 'completed' ? state.created : null;
  return { ...responseInProgress(state), ...end, completed_at: completed, output, usage };
}

export function failedResponse(state: ResponseState, error: JsonObject): JsonObject {
  return { ...responseInProgress(state), status: 'failed', error };
}
