// Encodes a request for Google's Gemini wire. The model and whether the response is streamed are in the path.
// What the wire cannot express: a system message in the middle of the conversation moves to the front; files that another
// provider stores are unsupported; cache markers, the user and `parallelToolCalls: false` are left out.

import { isRecord, omitUndefined, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts';
import {
  mayReturnTo,
  textOf,
  type Block,
  type MediaSource,
  type Message,
  type ReasoningBlock,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../../core/message.ts';
import {
  isForcedChoice,
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type Reasoning,
  type ReasoningEffort,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { Losses } from '../loss.ts';
import { findUnsupported as find, type Unsupported } from '../unsupported.ts';
import type { EncodedRequest, EncodeOptions } from '../wire.ts';
import { PartList } from './part-list.ts';
import { placeholder } from './signature.ts';
import { encodeArguments, encodeBlob, encodeCallId, modelPath, wireName, wordType } from './types.ts';

/** The context of encoding one request. */
interface Encoding {
  readonly model: string;
  readonly options: EncodeOptions;
  readonly losses: Losses;
  /** The name of each call, because a result must repeat it. */
  readonly callNames: Map<string, string>;
}

export function findUnsupported(request: ChatRequest, { provider }: EncodeOptions = {}): Unsupported | undefined {
  return find(request, { wire: wireName, provider, findInBlock });
}

function findInBlock(block: Block): string | undefined {
  if (block.type !== 'image' && block.type !== 'document') return undefined;
  const what = block.type === 'image' ? 'an image' : 'a document';
  return block.source.kind === 'file' ? `does not accept ${what} by file id; send its data or its URL` : undefined;
}

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const losses = new Losses();
  const encoding = { model: request.model, options, losses, callNames: new Map<string, string>() };
  const own = request.extra?.[wireName] ?? {};
  const tools = encodeTools(request.tools ?? [], encoding);
  const body = {
    systemInstruction: encodeSystem(request.messages, encoding),
    contents: encodeMessages(request.messages, encoding),
    tools: tools.length === 0 ? undefined : tools,
    toolConfig: encodeToolConfig(request, tools, losses),
    generationConfig: encodeGeneration(request, tools, losses),
    ...topLevel(own),
  };
  if (request.parallelToolCalls === false)
    losses.drop('parallelToolCalls', 'the limit to one tool call at a time was left out');
  if (request.user !== undefined) losses.omit('the user');
  losses.addExtras(request, wireName);
  const path = modelPath(request.model, request.stream === false ? 'generateContent' : 'streamGenerateContent');
  return { body: omitUndefined(body), path, losses: losses.list, dropped: losses.dropped };
}

const generationPrefix = 'generationConfig.';

/** Fields of this wire only. Those inside another field have its name before theirs. */
function topLevel(own: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !name.includes('.') && name !== 'toolConfig'));
}

function ownGeneration({ extra }: ChatRequest): Record<string, unknown> {
  const members = Object.entries(extra?.[wireName] ?? {}).filter(([name]) => name.startsWith(generationPrefix));
  return Object.fromEntries(members.map(([name, value]) => [name.slice(generationPrefix.length), value]));
}

function encodeSystem(messages: readonly Message[], encoding: Encoding): JsonValue | undefined {
  const { losses } = encoding;
  const firstTurn = messages.findIndex((message) => message.role !== 'system');
  if (firstTurn !== -1 && messages.slice(firstTurn).some((message) => message.role === 'system')) {
    losses.add('a system message in the middle of the conversation was moved to the front');
  }
  const blocks = messages.filter((message) => message.role === 'system').flatMap((message) => message.content);
  if (blocks.some((block) => block.type !== 'text')) losses.omit('non-text content in a system message');
  const parts = encodeBlocks(
    blocks.filter((block) => block.type === 'text'),
    encoding,
  );
  return parts.length === 0 ? undefined : { parts };
}

/** Consecutive messages of one role become one content, because turns alternate. */
function encodeMessages(messages: readonly Message[], encoding: Encoding): JsonValue {
  const turns: { role: string; parts: JsonValue[] }[] = [];
  for (const message of messages) {
    encoding.losses.takeExtra(message.extra, wireName);
    if (message.role === 'system') continue;
    const parts = signFirstCall(encodeBlocks(message.content, encoding), encoding);
    if (parts.length === 0) continue;
    const role = message.role === 'assistant' ? 'model' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts });
  }
  return turns.map(({ role, parts }) => ({ role, parts: resultsFirst(parts) }));
}

/** The API counts the results in the turn that follows the calls. */
function resultsFirst(parts: JsonValue[]): JsonValue[] {
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}

function isResult(part: JsonValue): boolean {
  return isRecord(part) && isRecord(part['functionResponse']);
}

function encodeBlocks(blocks: readonly Block[], encoding: Encoding): JsonObject[] {
  const parts = new PartList();
  for (const block of blocks) {
    if (block.type !== 'reasoning') parts.add(encodeBlock(block, encoding));
    else if (isOwn(block, encoding)) parts.addReasoning(block.text, block.signature);
  }
  return parts.end();
}

/**
 * Since version 3 the API rejects the first call of a turn without a signature, also one that another model made. This is
 * the value that its documentation defines for those.
 */

function signFirstCall(parts: JsonObject[], { model }: Encoding): JsonObject[] {
  const first = parts.findIndex((part) => isRecord(part['functionCall']));
  if (!isGemini3(model) || first === -1 || parts[first]?.['thoughtSignature'] !== undefined) return parts;
  return parts.with(first, { ...parts[first], thoughtSignature: placeholder });
}

function isOwn({ origin }: ReasoningBlock, { options, losses }: Encoding): boolean {
  const isReturned = mayReturnTo(origin, wireName, options.provider);
  if (!isReturned) losses.omit('reasoning of another provider');
  return isReturned;
}

function encodeBlock(block: Exclude<Block, ReasoningBlock>, encoding: Encoding): JsonObject[] {
  const { losses, options } = encoding;
  if ('cache' in block && block.cache !== undefined) losses.omit('a cache marker');
  const own = 'extra' in block ? losses.takeExtra(block.extra, wireName) : undefined;
  const extended = (part: JsonObject): JsonObject[] => [{ ...part, ...(own as JsonObject | undefined) }];
  switch (block.type) {
    case 'text':
      return block.text === '' && own === undefined ? [] : extended({ text: block.text });
    case 'image':
      return extended(encodeMedia(block.source));
    case 'document':
      return extended(block.source.kind === 'text' ? { text: block.source.text } : encodeMedia(block.source));
    case 'audio':
      return [encodeBlob(`audio/${block.format}`, block.data)];
    case 'tool-call':
      encoding.callNames.set(block.id, block.name);
      return extended({ functionCall: encodeCall(block) });
    case 'tool-result':
      return encodeResult(block, own, encoding);
    case 'opaque':
      return mayReturnTo(block.origin, wireName, options.provider)
        ? [block.data as JsonObject]
        : losses.omit('a block of another provider');
  }
}

/** Media types by the end of a URL, because the API may not find the type itself. */
const typesByEnding: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  html: 'text/html',
  csv: 'text/csv',
};

function encodeMedia(source: MediaSource): JsonObject {
  if (source.kind === 'base64') return encodeBlob(source.mediaType, source.data);
  const fileUri = source.kind === 'url' ? source.url : source.id;
  const ending = /\.(\w+)(?:[?#]|$)/.exec(fileUri)?.[1]?.toLowerCase() ?? '';
  const mimeType = (source.kind === 'url' ? source.mediaType : undefined) ?? typesByEnding[ending];
  return { fileData: omitUndefined({ fileUri, mimeType }) };
}

function encodeCall(call: ToolCallBlock): JsonObject {
  return omitUndefined({ id: encodeCallId(call.id), name: call.name, args: encodeArguments(call) });
}

/** Only models since Gemini 3 accept media inside a result. For others it follows the result. */
function encodeResult(block: ToolResultBlock, own: object | undefined, encoding: Encoding): JsonObject[] {
  const { callId, content, isError } = block;
  const media = content.filter(({ type }) => type !== 'text').flatMap((part) => encodeBlock(part, encoding));
  const isNested = isGemini3(encoding.model);
  const functionResponse = omitUndefined({
    id: encodeCallId(callId),
    name: encoding.callNames.get(callId) ?? callId,
    response: encodeOutput(textOf(content), isError === true),
    parts: isNested && media.length > 0 ? media : undefined,
    ...own,
  });
  return [{ functionResponse }, ...(isNested ? [] : media)];
}

/** A result that is a JSON object is sent as it is, any other as the member that the API defines for it. */
function encodeOutput(text: string, isError: boolean): JsonObject {
  if (isError) return { error: text };
  const value = parseObject(text);
  return value === undefined || isPlainOutput(value) ? { output: text } : value;
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // Only an object that is written again in the same way.
    return isRecord(value) && JSON.stringify(value) === text ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a response consists of one text: of the output, or of an error. */
export function isPlainOutput(response: Readonly<Record<string, unknown>>): boolean {
  const [name = '', ...others] = Object.keys(response);
  return others.length === 0 && ['output', 'error'].includes(name) && typeof response[name] === 'string';
}

/** All functions are declared in one tool. */
function encodeTools(tools: readonly (ToolDefinition | OpaqueTool)[], { options, losses }: Encoding): JsonValue[] {
  const functions: JsonValue[] = [];
  const others: JsonValue[] = [];
  for (const tool of tools) {
    if (!isOpaqueTool(tool)) functions.push(encodeFunction(tool, losses));
    else if (mayReturnTo(tool.origin, wireName, options.provider)) others.push(tool.data);
    else losses.omitTool(tool);
  }
  return functions.length === 0 ? others : [{ functionDeclarations: functions }, ...others];
}

function encodeFunction(tool: ToolDefinition, losses: Losses): JsonValue {
  const { name, description, inputSchema, cache, extra } = tool;
  if (cache !== undefined) losses.omit('a cache marker on a tool');
  const own = losses.takeExtra(extra, wireName);
  return omitUndefined({ name, description, parametersJsonSchema: inputSchema, ...own });
}

function encodeToolConfig(request: ChatRequest, tools: readonly JsonValue[], losses: Losses): JsonValue | undefined {
  const { model, toolChoice, extra } = request;
  const own = extra?.[wireName]?.['toolConfig'] as JsonObject | undefined;
  if (own !== undefined) return own;
  const isStrict = request.tools?.some((tool) => !isOpaqueTool(tool) && tool.strict === true) === true;
  if (tools.length > 0) {
    const validates = isStrict && !isOlderGemini(model);
    const config = encodeToolChoice(toolChoice, validates ? 'VALIDATED' : 'AUTO');
    const isEnforced = validates || config?.['mode'] === 'ANY';
    if (isStrict && !isEnforced) losses.omit('the strict flag of a tool');
    return config && { functionCallingConfig: config };
  }
  if (isForcedChoice(toolChoice)) losses.drop('toolChoice', 'the tool choice was left out: the request has no tools');
  return undefined;
}

/**
 * Schemas are enforced for all tools or for none: in the mode `VALIDATED`, in which the model may also write text, and in
 * the mode `ANY`. `AUTO` is the default.
 */
function encodeToolChoice(choice: ToolChoice | undefined, free: 'AUTO' | 'VALIDATED'): JsonObject | undefined {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  if (choice === 'required') return { mode: 'ANY' };
  if (choice === 'none') return { mode: 'NONE' };
  return choice === undefined && free === 'AUTO' ? undefined : { mode: free };
}

function encodeGeneration(request: ChatRequest, tools: readonly JsonValue[], losses: Losses): JsonValue | undefined {
  const own = ownGeneration(request);
  const config = omitUndefined({
    maxOutputTokens: request.maxTokens,
    temperature: request.temperature,
    topP: request.topP,
    stopSequences: request.stop,
    seed: request.seed,
    candidateCount: request.choices,
    ...encodeFormat(request, tools, losses),
    // The thinking settings of a client of this wire take precedence.
    thinkingConfig: 'thinkingConfig' in own ? undefined : encodeThinking(request, losses),
    ...own,
  }) as JsonObject;
  return Object.keys(config).length === 0 ? undefined : config;
}

const jsonType = { responseMimeType: 'application/json' };

/** This mode has the API's own form of a schema. */
function toGoogleEnum(schema: JsonSchema): JsonObject {
  return { ...schema, type: 'STRING' };
}

/** Models before Gemini 3 reject a response format beside tools. The response is still healed by its schema. */
function encodeFormat(request: ChatRequest, tools: readonly JsonValue[], losses: Losses): object {
  const { responseFormat: format, model, extra } = request;
  if (format === undefined) return {};
  if (format.type === 'text') return { responseMimeType: 'text/plain' };
  if (tools.length > 0 && extra?.[wireName] === undefined && isOlderGemini(model)) {
    losses.drop('responseFormat', 'the response format was left out: the model does not support it with tools');
    return {};
  }
  if (format.type === 'json') return jsonType;
  if (format.isBare === true) return { responseMimeType: wordType, responseSchema: toGoogleEnum(format.schema) };
  return { ...jsonType, responseJsonSchema: format.schema };
}

/** The major and minor version in `gemini-2.5-pro`. A name without a number counts as the newest. */
function versionOf(model: string): number {
  const [, version = '9'] = /gemini-(\d+(?:\.\d+)?)/.exec(model) ?? [];
  return Number(version);
}

function isGemini3(model: string): boolean {
  return /gemini/.test(model) && versionOf(model) >= 3;
}

function isOlderGemini(model: string): boolean {
  return /gemini/.test(model) && versionOf(model) < 3;
}

/** The token budget of each effort, for models that accept a budget only. They are those of Google's own translation. */
const effortBudgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

const effortLevels: Readonly<Record<Exclude<ReasoningEffort, 'none'>, string>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};

/** The smallest budget of models whose thinking cannot be turned off. */
const leastProBudget = 128;

/** Thoughts are shown only on request. */
function encodeThinking({ model, reasoning }: ChatRequest, losses: Losses): JsonObject | undefined {
  const { effort, budgetTokens }: Reasoning = reasoning ?? {};
  if (budgetTokens !== undefined) return { thinkingBudget: budgetTokens, includeThoughts: true };
  if (effort === undefined) return undefined;
  if (versionOf(model) < 2.5 || /gemma/.test(model)) {
    if (effort !== 'none') losses.drop('reasoning', 'the reasoning effort was left out: the model does not think');
    return undefined;
  }
  if (effort !== 'none') {
    const amount =
      versionOf(model) < 3 ? { thinkingBudget: effortBudgets[effort] } : { thinkingLevel: effortLevels[effort] };
    return { ...amount, includeThoughts: true };
  }
  if (versionOf(model) < 3 && !/-pro/.test(model)) return { thinkingBudget: 0 };
  losses.drop('reasoning', 'the reasoning was reduced: the model always thinks');
  return versionOf(model) < 3 ? { thinkingBudget: leastProBudget } : { thinkingLevel: effortLevels.minimal };
}
