// Decodes a request of the Anthropic Messages wire, sent by one of our own clients, into a `ChatRequest`.
// Strict: an invalid field throws `bad-request` naming it. Fields and values that are newer than this file are kept in
// `extra`, for providers that speak the same wire.

import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined, isRecord, type JsonValue } from '../../core/json.ts';
import type {
  Block,
  CacheMarker,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  Message,
  OpaqueBlock,
  ReasoningBlock,
  Role,
  TextBlock,
  ToolResultBlock,
  WireExtra,
} from '../../core/message.ts';
import type {
  ChatRequest,
  OpaqueTool,
  Reasoning,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
} from '../../core/request.ts';
import { openReasoning } from '../foreign-reasoning.ts';
import { extraOf as unknownOf, JsonField, unknownMembers } from '../json-field.ts';
import type { RequestHeaders } from '../wire.ts';
import { betaHeader, wireName } from './types.ts';

const knownFields = new Set([
  'model',
  'max_tokens',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'output_config',
  'output_format',
  'thinking',
  'temperature',
  'top_p',
  'stop_sequences',
  'metadata',
  'stream',
]);

const origin = { wire: wireName };

export function decodeRequest(body: unknown, headers: RequestHeaders = {}): ChatRequest {
  const root = new JsonField(body);
  const members = root.object();
  root.optionalMember('thread', rejectThread);
  const extra = { ...unknownMembers(members, knownFields), ...carriedMembers(root) };
  const choice = root.get('tool_choice');
  return omitUndefined({
    model: root.optionalMember('model', (field) => field.string()) ?? '',
    maxTokens: root.get('max_tokens').positive(),
    messages: [...decodeSystem(root.get('system')), ...root.get('messages').items().map(decodeMessage)],
    tools: root.optionalMember('tools', (tools) => tools.items().map(decodeTool)),
    toolChoice: isKnownChoice(choice) ? choice.optional(decodeToolChoice) : undefined,
    parallelToolCalls: choice.optional((field) =>
      field.optionalMember('disable_parallel_tool_use', (flag) => !flag.boolean()),
    ),
    responseFormat: root.optionalMember('output_config', decodeFormat) ?? decodeOldFormat(root),
    reasoning: decodeReasoning(root),
    temperature: root.optionalMember('temperature', (field) => field.number()),
    topP: root.optionalMember('top_p', (field) => field.number()),
    stop: root.optionalMember('stop_sequences', (field) => field.items().map((item) => item.string())),
    user: root.optionalMember('metadata', (field) => field.optionalMember('user_id', (id) => id.string())),
    stream: root.optionalMember('stream', (field) => field.boolean()) ?? false,
    betas: decodeBetas(headers[betaHeader]),
    extra: Object.keys(extra).length === 0 ? undefined : { [wireName]: extra },
  });
}

export const noThreads = 'thread_unsupported_request';

/**
 * A thread is a conversation that the server stores, so that a request brings only the newest messages. Targets of other
 * wires do not have it. With this error code, the official SDK sends the whole conversation instead.
 */
function rejectThread({ path }: JsonField): never {
  const message = `${path}: the gateway does not store conversations; send all messages with every request`;
  throw new SimpleAgentsError('bad-request', message, { field: path, code: noThreads });
}

/** A comma-separated list, possibly in several headers. */
function decodeBetas(header: RequestHeaders[string]): string[] | undefined {
  const betas = [header ?? []].flat().flatMap((value) => value.split(','));
  const named = betas.map((beta) => beta.trim()).filter((beta) => beta !== '');
  if (named.some((beta) => !/^[\w.-]{1,100}$/.test(beta))) {
    throw new SimpleAgentsError(
      'bad-request',
      `${betaHeader}: each name must consist of letters, digits, ".", "_" and "-"`,
      {
        field: betaHeader,
      },
    );
  }
  return named.length === 0 ? undefined : named;
}

function decodeSystem(field: JsonField): Message[] {
  if (field.isAbsent) return [];
  const content =
    typeof field.value === 'string' ? [{ type: 'text' as const, text: field.value }] : field.items().map(decodeText);
  return [{ role: 'system', content }];
}

function decodeMessage(field: JsonField): Message {
  const role: Role = field.get('role').oneOf(['user', 'assistant', 'system']);
  const content = field.get('content');
  if (typeof content.value === 'string') return { role, content: [{ type: 'text', text: content.value }] };
  return { role, content: content.items().map(decodeBlock) };
}

function decodeBlock(field: JsonField): Block {
  switch (field.get('type').string()) {
    case 'text':
      return decodeText(field);
    case 'image':
    case 'document':
      return decodeMedia(field);
    case 'tool_use': {
      const [id, name] = [field.get('id').string(), field.get('name').string()];
      return omitUndefined({
        type: 'tool-call',
        id,
        name,
        input: field.get('input').object(),
        cache: decodeCache(field),
        extra: extraOf(field, wireName, toolUseFields),
      });
    }
    case 'tool_result':
      return omitUndefined({
        type: 'tool-result',
        callId: field.get('tool_use_id').string(),
        content: field.optionalMember('content', decodeResultContent) ?? [],
        isError: field.optionalMember('is_error', (flag) => flag.boolean()),
        cache: decodeCache(field),
        extra: extraOf(field, wireName, toolResultFields),
      });
    case 'thinking': {
      const [text, signature] = [field.get('thinking').string(), field.get('signature').string()];
      return openReasoning(signature) ?? { type: 'reasoning', text, signature, origin };
    }
    case 'redacted_thinking':
      return decodeRedacted(field.get('data').string());
    default:
      return { type: 'opaque', origin, data: field.value as JsonValue };
  }
}

function decodeRedacted(redacted: string): ReasoningBlock {
  return openReasoning(redacted) ?? { type: 'reasoning', text: '', redacted, origin };
}

function decodeText(field: JsonField): TextBlock {
  field.get('type').oneOf(['text']);
  const citations = field.optionalMember('citations', (list) => list.items().map((item) => item.value as JsonValue));
  const extra = extraOf(field, wireName, textFields);
  return omitUndefined({ type: 'text', text: field.get('text').string(), citations, cache: decodeCache(field), extra });
}

const textFields = new Set(['type', 'text', 'citations', 'cache_control']);
const imageFields = new Set(['type', 'source', 'cache_control']);
const documentFields = new Set(['type', 'source', 'title', 'cache_control']);
const toolUseFields = new Set(['type', 'id', 'name', 'input', 'cache_control']);
const toolResultFields = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);
const toolFields = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control']);

const sourceKinds = ['base64', 'url', 'file', 'text'];

/** A block with a source of an unknown type becomes opaque. */
function decodeMedia(field: JsonField): ImageBlock | DocumentBlock | OpaqueBlock {
  const kind = field.get('source').get('type').string();
  if (!sourceKinds.includes(kind)) return { type: 'opaque', origin, data: field.value as JsonValue };
  return field.get('type').string() === 'image' ? decodeImage(field) : decodeDocument(field);
}

function decodeImage(field: JsonField): ImageBlock {
  const extra = extraOf(field, wireName, imageFields);
  return omitUndefined({ type: 'image', source: decodeSource(field.get('source')), cache: decodeCache(field), extra });
}

function decodeDocument(field: JsonField): DocumentBlock {
  const source = field.get('source');
  const decoded =
    source.get('type').string() === 'text'
      ? ({ kind: 'text', text: source.get('data').string() } as const)
      : decodeSource(source);
  const title = field.optionalMember('title', (text) => text.string());
  const extra = extraOf(field, wireName, documentFields);
  return omitUndefined({ type: 'document', source: decoded, title, cache: decodeCache(field), extra });
}

function decodeSource(field: JsonField): MediaSource {
  const kind = field.get('type').oneOf(['base64', 'url', 'file']);
  if (kind === 'url') return { kind, url: field.get('url').string() };
  if (kind === 'file') return { kind, id: field.get('file_id').string() };
  return { kind, mediaType: field.get('media_type').string(), data: field.get('data').string() };
}

function decodeResultContent(field: JsonField): ToolResultBlock['content'] {
  if (typeof field.value === 'string') return field.value === '' ? [] : [{ type: 'text', text: field.value }];
  return field.items().map((item) => {
    const type = item.get('type').string();
    if (type === 'text') return decodeText(item);
    if (type === 'image' || type === 'document') return decodeMedia(item);
    return { type: 'opaque', origin, data: item.value as JsonValue };
  });
}

/** Members that only this wire has, and a cache marker that `CacheMarker` covers only partly. */
function extraOf(field: JsonField, wire: string, known: ReadonlySet<string>): WireExtra | undefined {
  const extra = unknownOf(field, wire, known);
  const marker = field.object()['cache_control'];
  const isPlain = !isRecord(marker) || Object.keys(marker).every((name) => name === 'type' || name === 'ttl');
  return isPlain ? extra : { wire, members: { ...extra?.members, cache_control: marker } };
}

function decodeCache(field: JsonField): CacheMarker | undefined {
  return field.optionalMember('cache_control', (marker) => {
    const ttl = marker.optionalMember('ttl', (value) => value.string());
    return ttl === undefined ? {} : { ttl };
  });
}

/** Tools with another `type` run at the provider and become opaque. */
function decodeTool(field: JsonField): ToolDefinition | OpaqueTool {
  const type = field.optionalMember('type', (value) => value.string()) ?? 'custom';
  if (type !== 'custom') return { type: 'opaque', origin, data: field.value as JsonValue };
  return omitUndefined({
    name: field.get('name').string(),
    description: field.optionalMember('description', (value) => value.string()),
    inputSchema: field.get('input_schema').json(),
    strict: field.optionalMember('strict', (value) => value.boolean()),
    cache: decodeCache(field),
    extra: extraOf(field, wireName, toolFields),
  });
}

const choiceKinds = ['auto', 'any', 'tool', 'none'] as const;

/** An unknown type of choice is kept for this wire only. */
function isKnownChoice(field: JsonField): boolean {
  const { value } = field;
  return !isRecord(value) || typeof value['type'] !== 'string' || choiceKinds.some((kind) => kind === value['type']);
}

function decodeToolChoice(field: JsonField): ToolChoice {
  const type = field.get('type').oneOf(choiceKinds);
  if (type === 'tool') return { name: field.get('name').string() };
  return type === 'any' ? 'required' : type;
}

function decodeFormat(field: JsonField): ResponseFormat | undefined {
  return field.optionalMember('format', (format) => {
    format.get('type').oneOf(['json_schema']);
    return { type: 'json-schema', schema: format.get('schema').json() };
  });
}

/** The older form of `output_config.format`. It is sent upstream in the new form. */
function decodeOldFormat(root: JsonField): ResponseFormat | undefined {
  return root.optionalMember('output_format', (format) => {
    format.get('type').oneOf(['json_schema']);
    return { type: 'json-schema', schema: format.get('schema').json() };
  });
}

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

function decodeReasoning(root: JsonField): Reasoning | undefined {
  const requested = root.optionalMember('output_config', (config) =>
    config.optionalMember('effort', (value) => value.string()),
  );
  const effort = efforts.find((known) => known === requested);
  const thinking = root.get('thinking');
  const type = thinking.optional((field) => field.get('type').string());
  if (type === 'disabled') return { effort: 'none' };
  const budgetTokens = type === 'enabled' ? thinking.get('budget_tokens').positive() : undefined;
  const reasoning = omitUndefined({ effort, budgetTokens });
  return Object.keys(reasoning).length === 0 ? undefined : reasoning;
}

/** Members that `ChatRequest` covers only partly. They are kept unchanged for providers of the same wire. */
function carriedMembers(root: JsonField): Record<string, unknown> {
  const { thinking, output_config: config, temperature, top_p: topP } = root.object();
  const { format: _format, ...rest } = isRecord(config) ? config : {};
  return omitUndefined({
    thinking: thinking ?? undefined,
    temperature: temperature ?? undefined,
    top_p: topP ?? undefined,
    output_config: Object.keys(rest).length === 0 ? undefined : rest,
    tool_choice: isKnownChoice(root.get('tool_choice')) ? undefined : root.object()['tool_choice'],
  });
}

/** A `count_tokens` request has no `max_tokens`. */
export function decodeCountRequest(body: unknown): ChatRequest {
  return decodeRequest({ ...new JsonField(body).object(), max_tokens: 1 });
}
