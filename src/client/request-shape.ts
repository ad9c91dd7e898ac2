// What a request of a library user may contain. TypeScript checks it at compile time; this check is for programs in
// JavaScript, and for requests that other languages send as JSON.

import { isRecord } from '../core/json.ts';
import type { ResponseFormat } from '../core/request.ts';
import { blockShape, reasoningShape, requestToolShape, stringsShape } from '../core/request-shape.ts';
import {
  anyShape,
  booleanShape,
  closedObjectOf,
  countShape,
  fractionShape,
  integerShape,
  isString,
  listOf,
  numberShape,
  objectShape,
  oneOf,
  optional,
  orElse,
  recordOf,
  shapeOf,
  signalShape,
  stringShape,
  variantOf,
  wholeShape,
  type MemberShapes,
  type Shape,
} from '../core/shape.ts';
import type { MessageInput, RequestInput, TypedRequestInput } from './request.ts';
import type { HealingOptions } from './typed.ts';

const message = { content: orElse(isString, listOf(blockShape, 'must be a string or an array of blocks')) };
const messageInput = variantOf<MessageInput, 'role'>('role', { system: message, user: message, assistant: message });
const messageList = listOf(messageInput, 'must be a string or an array');

const messages: Shape = (value, path) =>
  Array.isArray(value) && value.length === 0 ? { path, problem: 'must not be empty' } : messageList(value, path);

const toolChoice: Shape = orElse(
  (value) => isRecord(value) && isString(value['name']),
  shapeOf('must be "auto", "none", "required" or { name }', (value) =>
    ['auto', 'none', 'required'].includes(value as string),
  ),
);

type Without<T, Name extends PropertyKey> = T extends unknown ? Omit<T, Name> : never;

/** A bare string is for clients of Google's format. */
const responseFormat = variantOf<Without<ResponseFormat, 'isBare'>, 'type'>('type', {
  text: {},
  json: {},
  'json-schema': {
    name: optional(stringShape),
    description: optional(stringShape),
    schema: objectShape,
    strict: optional(booleanShape),
  },
});

export const healingShape = closedObjectOf<HealingOptions>({
  enabled: optional(booleanShape),
  strict: optional(booleanShape),
  coerceTypes: optional(booleanShape),
  minConfidence: optional(fractionShape),
  repair: optional(wholeShape),
});

/** Its time to live is read later. */
export const cacheShape = shapeOf(
  'must be "off", "read", "refresh" or { ttl }',
  (value) => ['off', 'read', 'refresh'].includes(value as string) || isRecord(value),
);

/** With and without a schema. `Omit` joins the members of both types. */
type AnyRequestInput = Omit<RequestInput & Partial<TypedRequestInput>, never>;

export const requestMembers: MemberShapes<AnyRequestInput> = {
  model: optional(stringShape),
  fallbackModels: optional(stringsShape),
  messages: orElse(isString, messages),
  system: optional(stringShape),
  tools: optional(listOf(requestToolShape)),
  toolChoice: optional(toolChoice),
  parallelToolCalls: optional(booleanShape),
  responseFormat: optional(responseFormat),
  // Compiling the schema checks it.
  schema: optional(anyShape),
  healing: optional(healingShape),
  maxTokens: optional(countShape),
  temperature: optional(numberShape),
  topP: optional(numberShape),
  stop: optional(stringsShape),
  seed: optional(integerShape),
  choices: optional(countShape),
  reasoning: optional(reasoningShape),
  betas: optional(stringsShape),
  user: optional(stringShape),
  stream: optional(booleanShape),
  extra: optional(recordOf(objectShape)),
  signal: optional(signalShape),
  cache: optional(cacheShape),
  onCut: optional(oneOf('fail', 'continue')),
};

export const requestShape = closedObjectOf(requestMembers);
