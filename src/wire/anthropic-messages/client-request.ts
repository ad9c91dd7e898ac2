// Encodes a request for the Anthropic Messages wire.
// What the wire cannot express: system messages after the first turn move to the front; audio and several choices are
// unsupported; `seed` is left out; a temperature above 1 becomes 1, and with thinking none is sent.

import { encodeAnthropicSource } from '../../core/anthropic-source.ts';
import { fromBase64, isStandardBase64, toStandardBase64 } from '../../core/base64.ts';
import { omitUndefined, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { mayReturnTo, type Block, type DocumentBlock, type Message, type TextBlock } from '../../core/message.ts';
import {
  isForcedChoice,
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type ToolDefinition,
} from '../../core/request.ts';
import {
  claudeEffort,
  claudeSampling,
  claudeThinking,
  type SamplingContext,
  type Thinking,
} from '../claude-reasoning.ts';
import { Losses } from '../loss.ts';
import { withoutMadeImages } from '../made-media.ts';
import { findUnsupported as find, type Unsupported } from '../unsupported.ts';
import type { EncodedRequest, EncodeOptions } from '../wire.ts';
import { betaHeader, citationsOf, encodeCache, encodeInput, wireName } from './types.ts';

/** The wire requires a limit. This one is enough for ordinary responses; a thinking budget is added to it. */
const defaultMaxTokens = 8192;

export function findUnsupported(request: ChatRequest, { provider }: EncodeOptions = {}): Unsupported | undefined {
  if ((request.choices ?? 1) > 1) {
    return { field: 'n', problem: 'returns one choice per call; send several requests instead' };
  }
  return find(request, { wire: wireName, provider, findInBlock });
}

function findInBlock(block: Block): string | undefined {
  // Audio that the model created has an id and comes with a transcript.
  return block.type === 'audio' && block.id === undefined ? 'does not accept audio (input_audio)' : undefined;
}

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const losses = new Losses();
  const tools = request.tools?.flatMap((tool) => encodeTool(tool, options, losses)) ?? [];
  const { thinking: ownThinking, output_config: config, ...own } = request.extra?.[wireName] ?? {};
  const messages = encodeMessages(request.messages, options, losses);
  // The thinking settings of a client of this wire take precedence.
  const isOwn = ownThinking !== undefined || config !== undefined;
  const kept = toThinking(isOwn ? (ownThinking as Thinking | undefined) : claudeThinking(request, options, losses), {
    // A client of this wire that returns no thinking gets the error of the API.
    isLost: lacksThinking(messages) && (!isOwn || hasReasoning(request)),
    losses,
  });
  const thinking = isOwn ? undefined : kept;
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  const body = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens + budget,
    system: encodeSystem(request.messages, losses),
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...encodeTools(request, tools, losses),
    output_config: joined(isOwn ? config : { effort: claudeEffort(request, options) }, encodeFormat(request, losses)),
    thinking: kept,
    ...encodeSampling(request, { thinking, options, losses }),
    stop_sequences: request.stop,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    stream: request.stream ?? true,
    ...own,
  };
  if (request.seed !== undefined) losses.drop('seed', 'the seed was left out');
  losses.addExtras(request, wireName);
  const { betas = [] } = request;
  const headers = betas.length === 0 ? undefined : { [betaHeader]: betas.join(',') };
  return { body: omitUndefined(body), losses: losses.list, dropped: losses.dropped, ...omitUndefined({ headers }) };
}

function encodeSystem(messages: readonly Message[], losses: Losses): JsonValue | undefined {
  const firstTurn = messages.findIndex((message) => message.role !== 'system');
  if (firstTurn !== -1 && messages.slice(firstTurn).some((message) => message.role === 'system')) {
    losses.add('a system message in the middle of the conversation was moved to the front');
  }
  const blocks = messages.filter((message) => message.role === 'system').flatMap((message) => message.content);
  const texts = blocks.filter((block) => block.type === 'text').filter((block) => block.text !== '');
  if (blocks.some((block) => block.type !== 'text')) losses.omit('non-text content in a system message');
  const [only] = texts;
  if (only === undefined) return undefined;
  if (texts.length === 1 && only.cache === undefined && only.extra === undefined) return only.text;
  return texts.flatMap((block) => encodeBlock(block, {}, losses));
}

interface Turn {
  readonly role: string;
  readonly content: JsonValue[];
}

/** Consecutive messages of one role become one, because roles have to alternate in this wire. */
function encodeMessages(messages: readonly Message[], options: EncodeOptions, losses: Losses): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    losses.takeExtra(message.extra, wireName);
    if (message.role === 'system') continue;
    const blocks = withoutMadeImages(message, losses);
    const content = blocks.flatMap((block) => encodeBlock(block, options, losses));
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else turns.push({ role: message.role, content });
  }
  return turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }));
}

/** Tool results must come before any other content of a user message. */
function resultsFirst(content: JsonValue[]): JsonValue[] {
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

function isResult(block: JsonValue): boolean {
  return isRecord(block) && block['type'] === 'tool_result';
}

function encodeBlock(block: Block, options: EncodeOptions, losses: Losses): JsonValue[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [encodeText(block, losses)];
    case 'image':
      return [marked({ type: 'image', source: encodeAnthropicSource(block.source) }, block, losses)];
    case 'document':
      return [
        marked(
          { type: 'document', source: encodeAnthropicSource(withText(block.source)), title: block.title },
          block,
          losses,
        ),
      ];
    case 'tool-call':
      return [
        marked(
          { type: 'tool_use', id: encodeId(block.id), name: block.name, input: encodeInput(block) },
          block,
          losses,
        ),
      ];
    case 'tool-result': {
      const content = block.content.flatMap((part) => encodeBlock(part, options, losses));
      const result = { type: 'tool_result', tool_use_id: encodeId(block.callId), content, is_error: block.isError };
      return [marked(result, block, losses)];
    }
    case 'reasoning':
      if (!mayReturnTo(block.origin, wireName, options.provider)) return losses.omit('reasoning of another provider');
      if (block.redacted !== undefined) return [{ type: 'redacted_thinking', data: block.redacted }];
      if (block.signature === undefined) return losses.omit('unsigned reasoning');
      return [{ type: 'thinking', thinking: block.text, signature: block.signature }];
    case 'opaque':
      if (!mayReturnTo(block.origin, wireName, options.provider)) return losses.omit('a block of another provider');
      return [block.data];
    case 'audio':
      return losses.omit('audio');
  }
}

/** Data in base64 must be a PDF. A text is sent as such. */
function withText(source: DocumentBlock['source']): DocumentBlock['source'] {
  if (source.kind !== 'base64' || !source.mediaType.startsWith('text/')) return source;
  const data = toStandardBase64(source.data);
  return isStandardBase64(data) ? { kind: 'text', text: fromBase64(data) } : source;
}

function encodeText(block: TextBlock, losses: Losses): JsonValue {
  const citations = citationsOf(block);
  const cited = citations.length === 0 ? undefined : citations;
  return marked({ type: 'text', text: block.text, citations: cited }, block, losses);
}

/** Adds a cache marker and the members that only this wire has. */
function marked(encoded: object, { cache, extra }: Markable, losses: Losses): JsonValue {
  return omitUndefined({ ...encoded, cache_control: encodeCache(cache), ...losses.takeExtra(extra, wireName) });
}

type Markable = Pick<TextBlock, 'cache' | 'extra'>;

/** Other vendors' ids may contain characters that the API rejects. Call and result are mapped in the same way. */
function encodeId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}

function encodeTool(tool: ToolDefinition | OpaqueTool, options: EncodeOptions, losses: Losses): JsonValue[] {
  if (!isOpaqueTool(tool)) {
    const { name, description, inputSchema, strict } = tool;
    return [marked({ name, description, input_schema: inputSchema, strict }, tool, losses)];
  }
  return mayReturnTo(tool.origin, wireName, options.provider) ? [tool.data] : losses.omitTool(tool);
}

/** Without tools the API rejects every field about them. */
function encodeTools(request: ChatRequest, tools: JsonValue[], losses: Losses): object {
  if (tools.length > 0) return { tools, tool_choice: encodeToolChoice(request) };
  if (isForcedChoice(request.toolChoice))
    losses.drop('toolChoice', 'the tool choice was left out: the request has no tools');
  return {};
}

function encodeToolChoice({ toolChoice, parallelToolCalls }: ChatRequest): JsonValue | undefined {
  const single = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  if (toolChoice === undefined) return parallelToolCalls === undefined ? undefined : { type: 'auto', ...single };
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...single };
  if (toolChoice === 'none') return { type: 'none' };
  return { type: toolChoice === 'required' ? 'any' : 'auto', ...single };
}

function joined(...parts: unknown[]): JsonValue | undefined {
  const members: JsonObject = omitUndefined(Object.assign({}, ...parts) as JsonObject);
  return Object.keys(members).length === 0 ? undefined : members;
}

function encodeFormat({ responseFormat }: ChatRequest, losses: Losses): object {
  if (responseFormat?.type === 'json') losses.drop('responseFormat', 'the plain JSON response format was left out');
  if (responseFormat?.type !== 'json-schema') return {};
  return { format: { type: 'json_schema', schema: responseFormat.schema } };
}

/** With a budget, the API requires that the turn whose tool results follow starts with its thinking. */
function lacksThinking(turns: readonly Turn[]): boolean {
  if (turns.at(-1)?.content.some(isResult) !== true) return false;
  const [first] = turns.findLast(({ role }) => role === 'assistant')?.content ?? [];
  return isRecord(first) && first['type'] !== 'thinking' && first['type'] !== 'redacted_thinking';
}

function hasReasoning({ messages }: ChatRequest): boolean {
  return messages.some(({ content }) => content.some(({ type }) => type === 'reasoning'));
}

function toThinking(
  thinking: Thinking | undefined,
  { isLost, losses }: { readonly isLost: boolean; readonly losses: Losses },
): Thinking | undefined {
  if (thinking?.type !== 'enabled' || !isLost) return thinking;
  losses.drop('reasoning', 'thinking was left out: the thinking before the last tool calls did not come back');
  return undefined;
}

function encodeSampling(request: ChatRequest, context: SamplingContext): object {
  const own = request.extra?.[wireName] ?? {};
  // The values of a client of this wire are sent unchanged.
  if ('temperature' in own || 'top_p' in own) return {};
  const { temperature, topP } = claudeSampling(request, context);
  return { temperature, top_p: topP };
}
