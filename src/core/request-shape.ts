// What the messages and tools of a request may contain, for callers that no compiler checks.

import { isRecord } from './json.ts';
import type {
  Block,
  CacheMarker,
  DocumentBlock,
  HealingFlag,
  MediaSource,
  Origin,
  ToolResultBlock,
  WireExtra,
} from './message.ts';
import { reasoningEfforts, type OpaqueTool, type Reasoning, type ToolDefinition } from './request.ts';
import {
  anyShape,
  booleanShape,
  closedObjectOf,
  integerShape,
  listOf,
  objectOf,
  objectShape,
  oneOf,
  optional,
  stringShape,
  variantOf,
  type Shape,
} from './shape.ts';

export const stringsShape = listOf(stringShape, 'must be an array of strings');
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

export const blockShape = variantOf<Block, 'type'>('type', {
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

const opaqueTool = objectOf<OpaqueTool>({
  type: stringShape,
  origin,
  data: anyShape,
  isOptional: optional(booleanShape),
});
export const toolDefinitionShape = objectOf<ToolDefinition>({
  name: stringShape,
  description: optional(stringShape),
  inputSchema: objectShape,
  healingSchema: optional(objectShape),
  strict: optional(booleanShape),
  cache: marker,
  extra,
});
/** Of a request. */
export const requestToolShape: Shape = (value, path) =>
  (isRecord(value) && value['type'] === 'opaque' ? opaqueTool : toolDefinitionShape)(value, path);

export const reasoningShape = closedObjectOf<Reasoning>({
  effort: optional(oneOf(...reasoningEfforts)),
  budgetTokens: optional(integerShape),
});
