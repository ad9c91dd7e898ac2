// The request of a library user, and its conversion to a `ChatRequest`. A string stands for one user message, a list of
// messages for a request.

import { parseDuration } from '../config/schema/duration.ts';
import type { CacheControl, CallContext, OnCut } from '../core/call.ts';
import { rejectField, SimpleAgentsError, toError } from '../core/error.ts';
import { omitUndefined, isRecord, type JsonSchema } from '../core/json.ts';
import { text, type Block, type Message, type Role } from '../core/message.ts';
import type { ChatRequest, ResponseFormat } from '../core/request.ts';
import { checkShape } from '../core/shape.ts';
import { createCallId } from '../gateway/observe/observe.ts';
import { HealError, type SchemaInput } from '../heal/index.ts';
import { toModelSchema } from '../heal/schema/model-schema.ts';
import { requestShape } from './request-shape.ts';
import type { HealingOptions } from './typed.ts';

export interface MessageInput {
  readonly role: Role;
  readonly content: string | readonly Block[];
}

export interface RequestInput extends Omit<ChatRequest, 'model' | 'messages' | 'client' | 'completion'> {
  /** An alias, `provider/model`, or a model's own name. Defaults to the client's model. */
  readonly model?: string;
  readonly messages: string | readonly MessageInput[];
  /** Shorthand for a system message at the start. */
  readonly system?: string;
  readonly signal?: AbortSignal;
  /**
   * If the client has a cache: `off`, no lookup and no store; `read`, lookup only; `refresh`, no lookup, but store;
   * `{ ttl }`, lookup, and store for this many milliseconds, or `"10m"`.
   */
  readonly cache?: Exclude<CacheControl, object> | { readonly ttl: number | string };
  /** What to do when a response is cut off in the middle. Defaults to the client's setting, else to an error. */
  readonly onCut?: OnCut;
}

/** A request for a typed response. */
export interface TypedRequestInput<S extends SchemaInput = SchemaInput> extends Omit<RequestInput, 'responseFormat'> {
  /** A zod schema, a schema of another library that provides JSON Schema, or a JSON Schema. */
  readonly schema: S;
  /** How the response is healed; overrides the client's settings. */
  readonly healing?: HealingOptions;
}

/** A prompt, a list of messages, or a complete request. */
export type PromptInput = string | readonly MessageInput[] | RequestInput;

export function toChatRequest(
  input: PromptInput | TypedRequestInput,
  model: string | undefined,
  stream: boolean,
): ChatRequest {
  checkModel(model);
  const { messages, system, signal: _signal, cache: _cache, onCut: _onCut, ...rest } = toRequestInput(input);
  const list = toMessages(messages);
  return {
    ...rest,
    model: rest.model ?? model ?? '',
    messages: system === undefined ? list : [{ role: 'system', content: [text(system)] }, ...list],
    stream,
  };
}

/** The model as an argument of its own. */
export function checkModel(model: unknown): void {
  if (model !== undefined && typeof model !== 'string') rejectField('bad-request', 'model', 'must be a string');
}

export function isTyped(input: PromptInput | TypedRequestInput): input is TypedRequestInput {
  return isRecord(input) && input['schema'] !== undefined;
}

export function signalOf(input: PromptInput | TypedRequestInput): AbortSignal | undefined {
  return controlsOf(input).signal;
}

/** The request's options for the policies around the model, if it has any. */
export function contextOf(input: PromptInput | TypedRequestInput): CallContext | undefined {
  const { onCut, cache } = controlsOf(input);
  if (onCut === undefined && cache === undefined) return undefined;
  const options = omitUndefined({ onCut, cache: cache && toCacheControl(cache) });
  return { id: createCallId(), observe: () => undefined, ...options };
}

function controlsOf(input: PromptInput | TypedRequestInput): Pick<RequestInput, 'signal' | 'onCut' | 'cache'> {
  return typeof input === 'string' || isList(input) || !isRecord(input) ? {} : input;
}

function toCacheControl(cache: NonNullable<RequestInput['cache']>): CacheControl {
  if (!isRecord(cache)) return cache;
  const ttl = typeof cache.ttl === 'string' ? parseTtl(cache.ttl) : cache.ttl;
  return ttl > 0
    ? { ttl }
    : rejectField('bad-request', 'cache.ttl', 'must be a duration greater than 0, such as 600_000 or "10m"');
}

function parseTtl(length: string): number {
  try {
    return parseDuration(length);
  } catch (error) {
    return rejectField('bad-request', 'cache.ttl', toError(error).message);
  }
}

function toRequestInput(input: PromptInput | TypedRequestInput): RequestInput {
  const request = typeof input === 'string' || isList(input) ? { messages: input } : input;
  if (!isRecord(request)) return rejectField('bad-request', 'messages', 'must be a string or an array');
  checkShape(requestShape, request, { kind: 'bad-request' });
  return isTyped(request) ? toUntyped(request) : request;
}

/** The untyped request for the model, with the schema as its response format. */
function toUntyped({ schema, healing: _healing, ...input }: TypedRequestInput): RequestInput {
  if ('responseFormat' in input)
    return rejectField('bad-request', 'responseFormat', 'cannot be combined with schema; remove one of them');
  return { ...input, responseFormat: toResponseFormat(schema) };
}

/** Throws `bad-request` for a schema that cannot be used, before the model is called. */
function toResponseFormat(schema: SchemaInput): ResponseFormat {
  try {
    return { type: 'json-schema', schema: toModelSchema(schema) as JsonSchema };
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    throw new SimpleAgentsError('bad-request', `schema: ${error.message}`, { cause: error, field: 'schema' });
  }
}

function isList(input: PromptInput | TypedRequestInput): input is readonly MessageInput[] {
  return Array.isArray(input);
}

function toMessages(messages: RequestInput['messages']): Message[] {
  return typeof messages === 'string' ? [{ role: 'user', content: [text(messages)] }] : messages.map(toMessage);
}

function toMessage({ role, content }: MessageInput): Message {
  if (typeof content !== 'string') return { role, content };
  return { role, content: content === '' ? [] : [text(content)] };
}
