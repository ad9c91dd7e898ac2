// A request to a model, independent of any provider's format.

import type { JsonObject, JsonSchema, JsonValue } from './json.ts';
import type { CacheMarker, Message, Origin, WireExtra } from './message.ts';

export interface ChatRequest {
  /** An empty name means the default model. */
  readonly model: string;
  /** Model names to call in this order if all targets of `model` fail. Only a gateway reads it. */
  readonly fallbackModels?: readonly string[];
  /** System messages may be anywhere in the list. Wires that support only one join them. */
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
  /** The number of responses, if more than one. Only the upstream's bytes contain more than the first. */
  readonly choices?: number;
  readonly reasoning?: Reasoning;
  /** Names of preview features of Anthropic's API that the request turns on. Other wires have none. */
  readonly betas?: readonly string[];
  /** The format in which a client of the server sent the request. A provider with the same format judges it itself. */
  readonly client?: ClientFormat;
  /** The end user on whose behalf the call is made, for the provider's abuse monitoring. */
  readonly user?: string;
  /** `false`: the caller needs only the complete response, so a provider may request one plain body upstream. */
  readonly stream?: boolean;
  /**
   * The body of a request of OpenAI's legacy completions API, for providers that have this API. Others get `messages`,
   * which then has the prompt.
   */
  readonly completion?: JsonObject;
  /** Fields for one wire's body, sent unchanged, by wire name: `{ 'openai-chat': { logit_bias: … } }`. */
  readonly extra?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface ClientFormat {
  readonly wire: string;
  /** The version of the API that the client asks for. */
  readonly version?: string;
  /** What of the request this version refuses, although earlier ones accept it. */
  readonly refusal?: VersionRefusal;
}

export interface VersionRefusal {
  /** The first version that refuses it. */
  readonly since: string;
  readonly field: string;
  /** In the vendor's words, as far as they are known. */
  readonly message: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonSchema;
  /** The same schema with alternative field names (`x-alias`), for healing. It is not sent to a model. */
  readonly healingSchema?: JsonSchema;
  /** Ask the provider to enforce the schema, if it can. */
  readonly strict?: boolean;
  readonly cache?: CacheMarker;
  readonly extra?: WireExtra;
}

/** A tool that only its provider knows (web search, code execution, …). */
export interface OpaqueTool {
  readonly type: 'opaque';
  readonly origin: Origin;
  readonly data: JsonValue;
  /** Clients offer it with every request. A model without it gets the request without the tool, and that is reported. */
  readonly isOptional?: true;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** The model must call a tool. */
export function isForcedChoice(choice: ToolChoice | undefined): boolean {
  return typeof choice === 'object' || choice === 'required';
}

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonSchema;
      readonly strict?: boolean;
      /** The schema is one of several strings, and the response is the string itself, without quotes. */
      readonly isBare?: true;
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
