// Encodes a request for Amazon Bedrock's Converse wire. The model and whether the response is a stream are in the path.
// What the wire cannot express: images and documents at a URL are unsupported unless it is one of S3, and so are several
// choices; system messages after the first turn move to the front; the tool choice `none`, a ban of parallel calls and
// `seed` are left out; a temperature above 1 becomes 1. The reasoning effort depends on the family of the model.

import { toBase64, toStandardBase64 } from '../../core/base64.ts';
import { isRecord, omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import {
  mayReturnTo,
  type AudioBlock,
  type Block,
  type CacheMarker,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type ReasoningBlock,
  type TextBlock,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../../core/message.ts';
import { toPathSegment } from '../../core/path-segment.ts';
import type { ChatRequest } from '../../core/request.ts';
import { Losses } from '../loss.ts';
import { withoutMadeImages } from '../made-media.ts';
import { findUnsupported as find, type Unsupported } from '../unsupported.ts';
import type { EncodedRequest, EncodeOptions } from '../wire.ts';
import { DocumentNames } from './document-name.ts';
import { cachePoint, encodeId, type Encoding } from './encoding.ts';
import { encodeReasoning } from './model-family.ts';
import { encodeToolConfig } from './tool-config.ts';
import { audioFormats, documentFormats, formatOf, imageFormats, wireName } from './types.ts';

export function findUnsupported(request: ChatRequest, { provider }: EncodeOptions = {}): Unsupported | undefined {
  if ((request.choices ?? 1) > 1) {
    return { field: 'n', problem: 'returns one choice per call; send several requests instead' };
  }
  return find(request, { wire: wireName, provider, findInBlock });
}

function findInBlock(block: Block): string | undefined {
  if (block.type === 'image') return findInSource(block.source, imageFormats, 'images');
  if (block.type === 'document') return findInSource(block.source, documentFormats, 'documents');
  if (block.type !== 'audio' || block.id !== undefined || audioFormats.includes(block.format)) return undefined;
  return `does not accept audio of the format "${block.format}"; it accepts ${audioFormats.join(', ')}`;
}

function findInSource(
  source: DocumentBlock['source'],
  formats: Readonly<Record<string, string>>,
  what: string,
): string | undefined {
  if (source.kind === 'file') return `does not accept ${what} by file id; send the bytes`;
  if (source.kind === 'url' && !source.url.startsWith(s3Scheme)) {
    return `does not accept ${what} by URL; send the bytes, or a URL like ${s3Scheme}bucket/key`;
  }
  const format = source.kind === 'url' ? extensionFormat(source.url, formats) : undefined;
  if (source.kind === 'url')
    return format === undefined ? `cannot tell the format of ${what} from this URL` : undefined;
  if (source.kind === 'text' || formatOf(formats, source.mediaType) !== undefined) return undefined;
  return `does not accept ${what} of the type "${source.mediaType}"; it accepts ${Object.keys(formats).join(', ')}`;
}

const s3Scheme = 's3://';

/** An object in S3 has no media type here, so that its name tells the format. */
function extensionFormat(url: string, formats: Readonly<Record<string, string>>): string | undefined {
  const [, extension = ''] = /\.(\w+)$/.exec(url.toLowerCase()) ?? [];
  const format = extension === 'jpg' ? 'jpeg' : extension;
  return Object.values(formats).find((each) => each === format);
}

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const { model, messages, stream = true } = request;
  const losses = new Losses();
  const takesCachePoints = /claude|nova|^arn:/i.test(model);
  const encoding = { options, losses, names: new DocumentNames(losses), takesCachePoints };
  const own = request.extra?.[wireName] ?? {};
  const { fields, effort, sampling } = encodeReasoning(request, own, encoding);
  const format = encodeFormat(request, losses);
  const inference = { maxTokens: request.maxTokens, ...sampling, stopSequences: request.stop };
  const body = {
    ...own,
    messages: encodeMessages(messages, encoding),
    system: encodeSystem(messages, encoding),
    inferenceConfig: joined(inference, own['inferenceConfig']),
    toolConfig: encodeToolConfig(request, encoding) ?? (own['toolConfig'] as JsonValue | undefined),
    outputConfig: joined({ textFormat: format, effort }, own['outputConfig']),
    additionalModelRequestFields: joined(fields, own['additionalModelRequestFields']),
  };
  if (request.seed !== undefined) losses.drop('seed', 'the seed was left out');
  if (request.user !== undefined) losses.omit('the user');
  losses.addExtras(request, wireName);
  return {
    body: omitUndefined(body),
    path: pathOf(model, stream ? 'converse-stream' : 'converse'),
    losses: losses.list,
    dropped: losses.dropped,
    expected: { model },
  };
}

/** A model's id or the ARN of an inference profile, which contain colons and slashes. */
export function pathOf(model: string, operation: string): string {
  return `/model/${toPathSegment(model, 'model')}/${operation}`;
}

/** Members of the caller's own object take precedence. */
function joined(ours: object, own: unknown): JsonObject | undefined {
  const members = omitUndefined({ ...ours, ...(isRecord(own) ? own : {}) }) as JsonObject;
  return Object.keys(members).length === 0 ? undefined : members;
}

function encodeFormat({ responseFormat }: ChatRequest, losses: Losses): JsonValue | undefined {
  if (responseFormat?.type === 'json') losses.drop('responseFormat', 'the plain JSON response format was left out');
  if (responseFormat?.type !== 'json-schema') return undefined;
  const { name = 'response', description, schema } = responseFormat;
  // The schema is sent as text.
  const jsonSchema = omitUndefined({ name, description, schema: JSON.stringify(schema) });
  return { type: 'json_schema', structure: { jsonSchema } };
}

function encodeSystem(messages: readonly Message[], encoding: Encoding): JsonValue | undefined {
  const { losses } = encoding;
  const firstTurn = messages.findIndex((message) => message.role !== 'system');
  if (firstTurn !== -1 && messages.slice(firstTurn).some((message) => message.role === 'system')) {
    losses.add('a system message in the middle of the conversation was moved to the front');
  }
  const blocks = messages.filter((message) => message.role === 'system').flatMap((message) => message.content);
  if (blocks.some((block) => block.type !== 'text')) losses.omit('non-text content in a system message');
  const texts = blocks.filter((block) => block.type === 'text').flatMap((block) => encodeBlock(block, encoding));
  return texts.length === 0 ? undefined : texts;
}

/** Consecutive messages of one role become one, because roles have to alternate in this wire. */
function encodeMessages(messages: readonly Message[], encoding: Encoding): JsonValue {
  const turns: { role: string; content: JsonValue[] }[] = [];
  for (const message of messages) {
    encoding.losses.takeExtra(message.extra, wireName);
    if (message.role === 'system') continue;
    const blocks = withoutMadeImages(message, encoding.losses);
    const content = blocks.flatMap((block) => encodeBlock(block, encoding));
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else turns.push({ role: message.role, content });
  }
  return turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }));
}

/** Tool results must come before any other content of a user message, each with the cache point that follows it. */
function resultsFirst(content: readonly JsonValue[]): JsonValue[] {
  const isEarly = content.map((block, at) => has(block, 'toolResult') || isPointOf(content, at));
  return [...content.filter((_, at) => isEarly[at]), ...content.filter((_, at) => !isEarly[at])];
}

function isPointOf(content: readonly JsonValue[], at: number): boolean {
  return has(content[at], 'cachePoint') && has(content[at - 1], 'toolResult');
}

function has(block: JsonValue | undefined, member: string): boolean {
  return isRecord(block) && member in block;
}

function encodeBlock(block: Block, encoding: Encoding): JsonValue[] {
  const { losses, options } = encoding;
  switch (block.type) {
    case 'text':
      return encodeText(block, encoding);
    case 'image':
      return withPoint(encodeImage(block), block, encoding);
    case 'document':
      return withPoint(encodeDocument(block, encoding), block, encoding);
    case 'audio':
      return encodeAudio(block, encoding);
    case 'tool-call':
      return withPoint({ toolUse: encodeCall(block) }, block, encoding);
    case 'tool-result':
      return encodeResult(block, encoding);
    case 'reasoning':
      return encodeThought(block, encoding);
    case 'opaque':
      if (!mayReturnTo(block.origin, wireName, options.provider)) return losses.omit('a block of another provider');
      return [block.data];
  }
}

interface Markable {
  readonly cache?: CacheMarker;
  readonly extra?: TextBlock['extra'];
}

/** A cache point follows the marked block. */
function withPoint(encoded: JsonValue | undefined, { cache, extra }: Markable, encoding: Encoding): JsonValue[] {
  encoding.losses.takeExtra(extra, wireName);
  if (encoded === undefined) return [];
  return cache !== undefined && encoding.takesCachePoints ? [encoded, cachePoint(cache)] : [encoded];
}

/** The API rejects blank text. */
function encodeText(block: TextBlock, encoding: Encoding): JsonValue[] {
  const { text, citations = [] } = block;
  if (text === '') return [];
  if (text.trim() === '') return encoding.losses.omit('blank text');
  const own = citations.filter((citation) => isRecord(citation) && citation['type'] === undefined);
  if (own.length === 0) return withPoint({ text }, block, encoding);
  return withPoint({ citationsContent: { content: [{ text }], citations: own } }, block, encoding);
}

/** What `findUnsupported` rejects is left out. */
function encodeImage({ source }: ImageBlock): JsonValue | undefined {
  const encoded = encodeSource(source, imageFormats);
  return encoded === undefined ? undefined : { image: encoded };
}

function encodeDocument({ source, title }: DocumentBlock, { names }: Encoding): JsonValue | undefined {
  const encoded =
    source.kind === 'text'
      ? { format: 'txt', source: { bytes: toBase64(source.text) } }
      : encodeSource(source, documentFormats);
  return encoded === undefined ? undefined : { document: { ...encoded, name: names.take(title) } };
}

function encodeSource(
  source: ImageBlock['source'],
  formats: Readonly<Record<string, string>>,
): { readonly format: string; readonly source: JsonObject } | undefined {
  if (source.kind === 'file') return undefined;
  const isUrl = source.kind === 'url';
  const format = isUrl ? extensionFormat(source.url, formats) : formatOf(formats, source.mediaType);
  if (format === undefined) return undefined;
  return { format, source: isUrl ? { s3Location: { uri: source.url } } : { bytes: toStandardBase64(source.data) } };
}

/** Audio that the model created has an id and comes with a transcript. */
function encodeAudio(block: AudioBlock, encoding: Encoding): JsonValue[] {
  const { id, format, data } = block;
  if (id !== undefined || !audioFormats.includes(format)) return encoding.losses.omit('audio');
  return withPoint({ audio: { format, source: { bytes: toStandardBase64(data) } } }, block, encoding);
}

/** The wire requires an object. Arguments that are not JSON are sent back as text, so that the model sees its mistake. */
function encodeCall({ id, name, input, raw }: ToolCallBlock): JsonValue {
  const value = isRecord(input) ? (input as JsonObject) : { invalid_json: raw ?? JSON.stringify(input) };
  return { toolUseId: encodeId(id), name, input: value };
}

function encodeResult(block: ToolResultBlock, encoding: Encoding): JsonValue[] {
  // A cache point cannot be inside a result, so that a marked part marks the result.
  const [inside] = block.content.flatMap((part) => (part.type === 'opaque' ? [] : (part.cache ?? [])));
  const cache = block.cache ?? inside;
  const inner = { ...encoding, takesCachePoints: false };
  const content = block.content.flatMap((part) => encodeBlock(part, inner));
  // The API rejects a result without content.
  if (content.length === 0) content.push({ text: '(no output)' });
  const status = block.isError ? 'error' : undefined;
  const toolResult = omitUndefined({ toolUseId: encodeId(block.callId), content, status });
  return withPoint({ toolResult }, omitUndefined({ cache, extra: block.extra }), encoding);
}

function encodeThought(block: ReasoningBlock, { losses, options }: Encoding): JsonValue[] {
  const { text, signature, redacted, origin } = block;
  if (!mayReturnTo(origin, wireName, options.provider)) return losses.omit('reasoning of another provider');
  if (redacted !== undefined) return [{ reasoningContent: { redactedContent: redacted } }];
  if (signature === undefined) return losses.omit('unsigned reasoning');
  return [{ reasoningContent: { reasoningText: { text, signature } } }];
}
