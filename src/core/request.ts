// What is asked of a model, in no provider's words.

import type { JsonSchema, JsonValue } from './json.ts';
import type { CacheMarker, Message, Origin, WireExtra } from './message.ts';

export interface ChatRequest {
  /** Empty: the request names no model, and the default answers. */
  readonly model: string;
  /** System messages stand anywhere in the list; wires that know only one put them together. */
  readonly messages: readonly Message[];
  readonly tools?: readonly (ToolDefinition | OpaqueTool)[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: ResponseFormat;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** How many answers to give, where it is more than one. Only the upstream's bytes hold more than the first. */
  readonly choices?: number;
  readonly reasoning?: Reasoning;
  /** Features in preview that the request turns on, by the names Anthropic's API has for them. Other wires have none. */
  readonly betas?: readonly string[];
  /** The end user on whose behalf the call is made, for the provider's abuse monitoring. */
  readonly user?: string;
  /** `false` when the caller wants only the whole answer: a provider may then ask upstream for a plain body. */
  readonly stream?: boolean;
  /** Fields for one wire's body, verbatim, by wire name: `{ 'openai-chat': { logit_bias: … } }`. */
  readonly extra?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  /** The same schema with further names of fields (`x-alias`), for healing. It is not sent to a model. */
  readonly healingSchema?: JsonSchema;
  /** Ask the provider to enforce the schema, where it can. */
  readonly strict?: boolean;
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

/** A tool only its provider knows (web search, code execution, …). */
export interface OpaqueTool {
  readonly type: 'opaque';
  readonly origin: Origin;
  readonly data: JsonValue;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonSchema;
      readonly strict?: boolean;
    };

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

export interface Reasoning {
  readonly effort?: ReasoningEffort;
  readonly budgetTokens?: number;
}

export function isOpaqueTool(tool: ToolDefinition | OpaqueTool): tool is OpaqueTool {
  return 'type' in tool && tool.type === 'opaque';
}
