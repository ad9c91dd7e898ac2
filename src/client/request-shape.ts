// What a request of a library user may contain. TypeScript checks it at compile time; this check is for programs in
// JavaScript, and for requests that other languages send as JSON.

import { isRecord } from '../core/json.ts';
import type {
  Block,
  CacheMarker,
  DocumentBlock,
  HealingFlag,
  MediaSource,
  Origin,
  ToolResultBlock,
  WireExtra,
} from '../core/message.ts';
import {
  reasoningEfforts,
  type OpaqueTool,
  type Reasoning,
  type ResponseFormat,
  type ToolDefinition,
} from '../core/request.ts';
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
  objectOf,
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

const strings = listOf(stringShape, 'must be an array of strings');
const extra = optional(objectOf<WireExtra>({ wire: stringShape, members: objectShape }));
const marker = optional(objectOf<CacheMarker>({ ttl: optional(stringShape) }));
const origin = objectOf<Origin>({ wire: stringShape, provider: optional(stringShape) });

const sources = {
  base64: { mediaType: stringShape, data: stringShape },
  url: { url: stringShape, mediaType: optional(stringShape) },
  file: { id: stringShape },
};
const mediaSource = variantOf<MediaSource, 'kind'>('kind', sources);
const documentSource = variantOf<DocumentBlock['source'], 'kind'>('kind', { ...sources, text: { text: stringShape } });

const text = { text: stringShape, citations: optional(listOf(anyShape)), cache: marker, extra };
const image = { source: mediaSource, detail: optional(stringShape), cache: marker, extra };
const document = { source: documentSource, title: optional(stringShape), cache: marker, extra };
const opaque = { origin, data: anyShape };
const resultBlock = variantOf<ToolResultBlock['content'][number], 'type'>('type', { text, image, document, opaque });

const block = variantOf<Block, 'type'>('type', {
  text,
  image,
  audio: {
    format: stringShape,
    data: stringShape,
    id: optional(stringShape),
    transcript: optional(stringShape),
    cache: marker,
  },
  document,
  reasoning: {
    text: stringShape,
    signature: optional(stringShape),
    redacted: optional(stringShape),
    origin: optional(origin),
    extra,
  },
  'tool-call': {
    id: stringShape,
    name: stringShape,
    input: anyShape,
    raw: optional(stringShape),
    error: optional(stringShape),
    flags: optional(listOf(objectOf<HealingFlag>({ kind: stringShape, path: listOf(anyShape) }))),
    cache: marker,
    extra,
  },
  'tool-result': {
    callId: stringShape,
    content: listOf(resultBlock, 'must be an array of blocks'),
    isError: optional(booleanShape),
    cache: marker,
    extra,
  },
  opaque,
});

const message = { content: orElse(isString, listOf(block, 'must be a string or an array of blocks')) };
const messageInput = variantOf<MessageInput, 'role'>('role', { system: message, user: message, assistant: message });
const messageList = listOf(messageInput, 'must be a string or an array');

const messages: Shape = (value, path) =>
  Array.isArray(value) && value.length === 0 ? { path, problem: 'must not be empty' } : messageList(value, path);

const opaqueTool = objectOf<OpaqueTool>({
  type: stringShape,
  origin,
  data: anyShape,
  isOptional: optional(booleanShape),
});
const functionTool = objectOf<ToolDefinition>({
  name: stringShape,
  description: optional(stringShape),
  inputSchema: objectShape,
  healingSchema: optional(objectShape),
  strict: optional(booleanShape),
  cache: marker,
  extra,
});
const tool: Shape = (value, path) =>
  (isRecord(value) && value['type'] === 'opaque' ? opaqueTool : functionTool)(value, path);

const toolChoice: Shape = orElse(
  (value) => isRecord(value) && isString(value['name']),
  shapeOf('must be "auto", "none", "required" or { name }', (value) =>
    ['auto', 'none', 'required'].includes(value as string),
  ),
);

const responseFormat = variantOf<ResponseFormat, 'type'>('type', {
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
  fallbackModels: optional(strings),
  messages: orElse(isString, messages),
  system: optional(stringShape),
  tools: optional(listOf(tool)),
  toolChoice: optional(toolChoice),
  parallelToolCalls: optional(booleanShape),
  responseFormat: optional(responseFormat),
  // Compiling the schema checks it.
  schema: optional(anyShape),
  healing: optional(healingShape),
  maxTokens: optional(countShape),
  temperature: optional(numberShape),
  topP: optional(numberShape),
  stop: optional(strings),
  seed: optional(integerShape),
  choices: optional(countShape),
  reasoning: optional(
    closedObjectOf<Reasoning>({ effort: optional(oneOf(...reasoningEfforts)), budgetTokens: optional(integerShape) }),
  ),
  betas: optional(strings),
  user: optional(stringShape),
  stream: optional(booleanShape),
  extra: optional(recordOf(objectShape)),
  signal: optional(signalShape),
  cache: optional(cacheShape),
  onCut: optional(oneOf('fail', 'continue')),
};

export const requestShape = closedObjectOf(requestMembers);
