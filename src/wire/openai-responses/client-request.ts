// Encodes a request for the OpenAI Responses wire.
// What the wire cannot express: stop sequences, several choices and audio are unsupported; a seed and the error flag of a
// tool result are left out; a token budget for reasoning becomes the nearest effort.
// A request of another wire asks the provider not to store the response and to encrypt the reasoning, so that the
// conversation can be continued without state at the provider.

import { isRecord, omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import {
  argumentsOf,
  mayReturnTo,
  textOf,
  type Block,
  type CacheMarker,
  type DocumentBlock,
  type ImageBlock,
  type Message,
  type ReasoningBlock,
  type TextBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  type WireExtra,
} from '../../core/message.ts';
import {
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type ResponseFormat,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { itemMember, Losses } from '../loss.ts';
import { encodeBreakpoint, encodeDataUrl } from '../openai-content.ts';
import { encodeEffort } from '../reasoning-effort.ts';
import { membersFor } from '../response-extra.ts';
import { findUnsupported as find, type Unsupported } from '../unsupported.ts';
import type { EncodedRequest, EncodeOptions, Quirks } from '../wire.ts';
import { encodeImageItem } from './image-item.ts';
import { isOwnItemId } from './output-item.ts';
import { asksForLogprobs, customInput, customNames, isCustomTool, isResultType, wireName } from './types.ts';

/** The context of encoding one request. */
interface Encoding {
  readonly options: EncodeOptions;
  readonly quirks: Quirks;
  readonly losses: Losses;
  readonly custom: ReadonlySet<string>;
  /** The ids of calls to custom tools, whose results have their own type. */
  readonly customCalls: Set<string>;
  /** Whether the provider stores responses, so that it knows reasoning by its id. */
  readonly isStored: boolean;
  /** Whether a client of this wire made the request. */
  readonly isOwn: boolean;
}

export function findUnsupported(request: ChatRequest, { provider }: EncodeOptions = {}): Unsupported | undefined {
  const { stop = [], choices = 1 } = request;
  if (stop.length > 0) return { field: 'stop', problem: 'does not support stop sequences' };
  if (choices > 1) return { field: 'n', problem: 'does not support several choices' };
  return find(request, { wire: wireName, provider, findInBlock });
}

function findInBlock(block: Block): string | undefined {
  return block.type === 'audio' ? 'does not accept audio' : undefined;
}

/** The smallest limit that the API accepts. */
const leastTokens = 16;

/** Models that reason. The API rejects a request for encrypted reasoning at other models. */
const reasoningModel = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!\S*chat)|codex)/;

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const { quirks = {} } = options;
  const losses = new Losses();
  const own = request.extra?.[wireName];
  const isStored = own !== undefined && own['store'] !== false;
  const encoding = {
    options,
    quirks,
    losses,
    custom: customNames(request),
    customCalls: new Set<string>(),
    isStored,
    isOwn: own !== undefined,
  };
  const [instructions, messages] = splitInstructions(request.messages);
  const tools = request.tools?.flatMap((tool) => encodeTool(tool, encoding)) ?? [];
  const { verbosity, text, reasoning, ...rest } = own ?? {};
  const body = {
    model: request.model,
    instructions,
    input: encodeMessages(messages, encoding),
    // A client of this wire gets what its provider says about a limit that is too small.
    max_output_tokens: own === undefined ? encodeLimit(request.maxTokens, losses) : request.maxTokens,
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: encodeToolChoice(request.toolChoice, tools, encoding),
    parallel_tool_calls: tools.length === 0 ? undefined : request.parallelToolCalls,
    text: encodeText(request.responseFormat, { text, verbosity }, encoding),
    reasoning: encodeReasoningOptions(request, reasoning, losses),
    temperature: request.temperature,
    top_p: request.topP,
    user: quirks.noUser ? undefined : request.user,
    stream: request.stream ?? true,
    ...(own === undefined ? stateless(request) : {}),
  };
  if (request.seed !== undefined) losses.drop('seed', 'the seed was left out');
  losses.addExtras(request, wireName);
  const encoded = { body: omitUndefined({ ...body, ...rest }), losses: losses.list, dropped: losses.dropped };
  return asksForLogprobs(own?.['include']) ? { ...encoded, expected: { logprobs: true } } : encoded;
}

function stateless({ model, reasoning }: ChatRequest): object {
  const isReasoning = reasoning === undefined ? reasoningModel.test(model) : reasoning.effort !== 'none';
  return { store: false, ...(isReasoning ? { include: ['reasoning.encrypted_content'] } : {}) };
}

/** A first system message that did not arrive as an item is sent as the instructions. */
function splitInstructions(messages: readonly Message[]): [string | undefined, readonly Message[]] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system' || itemOf(first) !== undefined) return [undefined, messages];
  const isText = first.content.every((block) => block.type === 'text' && block.cache === undefined && !block.extra);
  return isText && first.extra === undefined
    ? [first.content.map((block) => textOf([block])).join('\n\n'), rest]
    : [undefined, messages];
}

function encodeLimit(limit: number | undefined, losses: Losses): number | undefined {
  if (limit === undefined || limit >= leastTokens) return limit;
  losses.drop('maxTokens', `the token limit was raised to ${leastTokens}, the smallest that the API accepts`);
  return leastTokens;
}

/** Reasoning is shown only on request. A client of this wire decides itself. */
function encodeReasoningOptions({ reasoning }: ChatRequest, own: unknown, losses: Losses): JsonObject | undefined {
  if (isRecord(own)) return own as JsonObject;
  const effort = encodeEffort(reasoning, losses);
  if (effort === undefined) return undefined;
  return effort === 'none' ? { effort } : { effort, summary: 'auto' };
}

function encodeText(
  format: ResponseFormat | undefined,
  { text, verbosity }: { readonly text: unknown; readonly verbosity: unknown },
  encoding: Encoding,
): JsonObject | undefined {
  const members = {
    ...(isRecord(text) ? text : {}),
    format: encodeFormat(format, encoding),
    verbosity: verbosity as JsonValue | undefined,
  };
  const known = omitUndefined(members) as JsonObject;
  return Object.keys(known).length === 0 ? undefined : known;
}

function encodeFormat(format: ResponseFormat | undefined, { quirks, losses }: Encoding): JsonValue | undefined {
  if (format === undefined) return undefined;
  if (format.type === 'text') return { type: 'text' };
  if (quirks.responseFormat === 'none') {
    losses.drop('responseFormat', 'the response format was left out');
    return undefined;
  }
  if (format.type === 'json') return { type: 'json_object' };
  const { name = 'response', description, schema, strict } = format;
  return omitUndefined({ type: 'json_schema', name, description, schema, strict });
}

function encodeTool(tool: ToolDefinition | OpaqueTool, encoding: Encoding): JsonValue[] {
  const { options, losses, isOwn } = encoding;
  if (isOpaqueTool(tool)) {
    return mayReturnTo(tool.origin, wireName, options.provider) ? [tool.data] : losses.omitTool(tool);
  }
  if (tool.cache !== undefined) losses.omit('a cache marker on a tool');
  const { name, description, inputSchema, strict } = tool;
  const own = ownOf(tool, encoding);
  if (isCustomTool(tool)) return [omitUndefined({ name, ...own })];
  // The API's default for `strict` is true, and it rejects schemas that are not strict. A client of this wire knows that.
  const called = {
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    strict: isOwn ? strict : (strict ?? false),
  };
  return [omitUndefined({ ...called, ...own })];
}

function encodeToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly JsonValue[],
  { custom, losses }: Encoding,
): JsonValue | undefined {
  const isNamed = typeof choice === 'object';
  if (tools.length > 0) {
    return isNamed ? { type: custom.has(choice.name) ? 'custom' : 'function', name: choice.name } : choice;
  }
  if (isNamed || choice === 'required')
    losses.drop('toolChoice', 'the tool choice was left out: the request has no tools');
  return undefined;
}

function encodeMessages(messages: readonly Message[], encoding: Encoding): JsonValue[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? encodeAssistant(message, encoding) : encodeSpoken(message, encoding),
  );
}

/** The results of a user message become items before the message itself. */
function encodeSpoken(message: Message, encoding: Encoding): JsonValue[] {
  const results = message.content.filter((block) => block.type === 'tool-result');
  const opaque = message.content.filter((block) => block.type === 'opaque' && isItem(block.data));
  const rest = message.content.filter((block) => block.type !== 'tool-result' && !opaque.includes(block));
  const items = [
    ...results.map((result) => encodeResult(result, encoding)),
    ...opaque.flatMap((block) => encodeOpaque(block, encoding)),
  ];
  const content = rest.flatMap((block) => encodePart(block, encoding));
  if (content.length === 0) return items;
  const own = ownOf(message, encoding);
  return [...items, omitUndefined({ type: 'message', role: message.role, content, ...own })];
}

/** Results of tools of the provider are items of their own; other opaque blocks are parts of the message. */
function isItem(data: JsonValue): boolean {
  return isRecord(data) && typeof data['type'] === 'string' && isResultType(data['type']);
}

function encodeResult(result: ToolResultBlock, encoding: Encoding): JsonValue {
  const { callId, content, isError } = result;
  if (isError) encoding.losses.drop('isError', 'the error flag of a tool result was left out');
  const isText = content.every((block) => block.type === 'text' && !block.extra);
  return omitUndefined({
    type: encoding.customCalls.has(callId) ? 'custom_tool_call_output' : 'function_call_output',
    call_id: callId,
    output: isText ? textOf(content) : content.flatMap((block) => encodePart(block, encoding)),
    ...ownOf(result, encoding),
  });
}

/** Adjacent texts become the parts of one message, unless they arrived as messages of their own. */
function encodeAssistant(message: Message, encoding: Encoding): JsonValue[] {
  const items: JsonValue[] = [];
  let parts: JsonValue[] | undefined;
  for (const block of message.content) {
    if (block.type !== 'text') {
      const encoded = encodeItem(block, encoding);
      if (encoded.length > 0) parts = undefined;
      items.push(...encoded);
    } else if (block.text !== '') {
      if (parts === undefined || itemOf(block) !== undefined) {
        parts = [];
        items.push({ type: 'message', role: 'assistant', content: parts, ...itemOf(block) });
      }
      parts.push(encodeOutputText(block, encoding));
    }
  }
  return items;
}

function encodeOutputText(block: TextBlock, encoding: Encoding): JsonValue {
  const { item: _item, ...own } = encoding.losses.takeExtra(block.extra, wireName) ?? {};
  return omitUndefined({ type: 'output_text', text: block.text, ...own });
}

function encodeItem(block: Block, encoding: Encoding): JsonValue[] {
  switch (block.type) {
    case 'tool-call':
      return [encodeCall(block, encoding)];
    case 'reasoning':
      return encodeReasoning(block, encoding);
    case 'opaque':
      return encodeOpaque(block, encoding);
    case 'image':
      return encodeMadeImage(block, encoding);
    default:
      return encoding.losses.omit(`${block.type} in a message of the assistant`);
  }
}

/** The API accepts only images that it made itself, which it knows by their ids. */
function encodeMadeImage(block: ImageBlock, { losses }: Encoding): JsonValue[] {
  const { id = '' } = membersFor(block.extra, wireName) as { readonly id?: string };
  const item = id === '' || isOwnItemId(id) ? undefined : encodeImageItem(id, block);
  return item === undefined ? losses.omit('an image in a message of the assistant') : [item];
}

function encodeCall(block: ToolCallBlock, encoding: Encoding): JsonValue {
  const { custom, customCalls } = encoding;
  const { type, ...own } = ownOf(block, encoding) ?? {};
  const isCustom = type === 'custom_tool_call' || custom.has(block.name);
  if (isCustom) customCalls.add(block.id);
  const called = isCustom
    ? { type: 'custom_tool_call', call_id: block.id, name: block.name, input: customInput(block) }
    : { type: 'function_call', call_id: block.id, name: block.name, arguments: argumentsOf(block) };
  return omitUndefined({ ...called, ...own });
}

/** Reasoning is sent back only to its provider. Without encrypted content, only a provider that stored it knows it. */
function encodeReasoning(block: ReasoningBlock, { options, losses, isStored }: Encoding): JsonValue[] {
  const { text, signature, origin, extra } = block;
  const { id: known, ...own } = membersFor(extra, wireName) as { readonly id?: string };
  const id = known === undefined || isOwnItemId(known) ? undefined : known;
  const isOfProvider = origin !== undefined && mayReturnTo(origin, wireName, options.provider);
  if (!isOfProvider || (signature === undefined && !(isStored && id !== undefined))) return losses.omit('reasoning');
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [omitUndefined({ type: 'reasoning', id, summary, encrypted_content: signature, ...own })];
}

function encodeOpaque(block: Block, { losses }: Encoding): JsonValue[] {
  if (block.type === 'opaque' && block.origin.wire === wireName) return [block.data];
  return losses.omit('a block of another provider');
}

function encodePart(block: Block, encoding: Encoding): JsonValue[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [part(block, { type: 'input_text', text: block.text }, encoding)];
    case 'image':
      return [part(block, encodeImage(block), encoding)];
    case 'document':
      return [part(block, encodeDocument(block), encoding)];
    case 'audio':
      return encoding.losses.omit('audio');
    default:
      return encodeOpaque(block, encoding);
  }
}

function part(block: TextBlock | ImageBlock | DocumentBlock, encoded: JsonObject, encoding: Encoding): JsonValue {
  return omitUndefined({ ...encoded, ...encodeCache(block.cache, encoding), ...ownOf(block, encoding) }) as JsonObject;
}

function encodeImage({ source, detail = 'auto' }: ImageBlock): JsonObject {
  if (source.kind === 'file') return { type: 'input_image', file_id: source.id, detail };
  const url = source.kind === 'url' ? source.url : encodeDataUrl(source);
  return { type: 'input_image', image_url: url, detail };
}

function encodeDocument({ source, title }: DocumentBlock): JsonObject {
  switch (source.kind) {
    case 'text':
      return { type: 'input_text', text: source.text };
    case 'file':
      return { type: 'input_file', file_id: source.id };
    case 'url':
      return { type: 'input_file', file_url: source.url };
    case 'base64': {
      const data = encodeDataUrl(source);
      return { type: 'input_file', filename: title ?? 'document', file_data: data };
    }
  }
}

function encodeCache(cache: CacheMarker | undefined, { quirks, losses }: Encoding): JsonObject | undefined {
  if (cache === undefined) return undefined;
  if (quirks.cacheMarkers !== undefined && quirks.cacheMarkers !== 'breakpoint') {
    losses.omit('a cache marker');
    return undefined;
  }
  return encodeBreakpoint(cache);
}

interface Extended {
  readonly extra?: WireExtra | undefined;
}

/** The id, state and role of the item that a block or message arrived as. */
function itemOf({ extra }: Extended): object | undefined {
  const item = extra?.wire === wireName ? extra.members[itemMember] : undefined;
  return isRecord(item) ? item : undefined;
}

/** Members that only this wire has. */
function ownOf(extended: Extended, { losses }: Encoding): Record<string, unknown> | undefined {
  if (extended.extra === undefined) return undefined;
  const { [itemMember]: _item, ...own } = losses.takeExtra(extended.extra, wireName) ?? {};
  return { ...own, ...itemOf(extended) };
}
