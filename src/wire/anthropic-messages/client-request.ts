// A request in the words of the Anthropic Messages wire.
// What the wire cannot say, and what becomes of it: system messages after the first turn move to the front; audio and
// several answers are unsupported; `seed` is left out; a temperature above 1 becomes 1, and none is sent beside thinking.

import { omitUndefined, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { mayReturnTo, type Block, type MediaSource, type Message, type TextBlock } from '../../core/message.ts';
import {
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type ReasoningEffort,
  type ToolDefinition,
} from '../../core/request.ts';
import { Losses } from '../loss.ts';
import { findUnsupported as find, type Unsupported } from '../unsupported.ts';
import type { EncodedRequest, EncodeOptions } from '../wire.ts';
import { betaHeader, citationsOf, encodeCache, encodeInput, wireName } from './types.ts';

/** The wire demands a limit; this one lets an ordinary answer end by itself, after whatever thinking goes before. */
const defaultMaxTokens = 8192;

export function findUnsupported(request: ChatRequest, { provider }: EncodeOptions = {}): Unsupported | undefined {
  if ((request.choices ?? 1) > 1) {
    return { field: 'n', problem: 'gives one answer to a call; ask several times instead' };
  }
  return find(request, { wire: wireName, provider, findInBlock });
}

function findInBlock(block: Block): string | undefined {
  // A sound the model made itself has an id, and its words stand beside it.
  return block.type === 'audio' && block.id === undefined ? 'cannot hear audio (input_audio)' : undefined;
}

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const losses = new Losses();
  const tools = request.tools?.flatMap((tool) => encodeTool(tool, options, losses)) ?? [];
  const { thinking: said, output_config: config, ...own } = request.extra?.[wireName] ?? {};
  // A client of this wire has said itself how to think.
  const isSaid = said !== undefined || config !== undefined;
  const thinking = isSaid ? undefined : encodeThinking(request, losses);
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  const body = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens + budget,
    system: encodeSystem(request.messages, losses),
    messages: encodeMessages(request.messages, options, losses),
    ...encodeTools(request, tools, losses),
    output_config: joined(isSaid ? config : encodeEffort(request), encodeFormat(request, losses)),
    thinking: (said as JsonValue | undefined) ?? thinking,
    ...encodeSampling(request, thinking, losses),
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
  if (blocks.some((block) => block.type !== 'text')) losses.omit('what is no text in a system message');
  const [only] = texts;
  if (only === undefined) return undefined;
  if (texts.length === 1 && only.cache === undefined && only.extra === undefined) return only.text;
  return texts.flatMap((block) => encodeBlock(block, {}, losses));
}

/** Consecutive messages of one role become one, as the wire wants turns to alternate. */
function encodeMessages(messages: readonly Message[], options: EncodeOptions, losses: Losses): JsonValue {
  const turns: { role: string; content: JsonValue[] }[] = [];
  for (const message of messages) {
    losses.takeExtra(message.extra, wireName);
    if (message.role === 'system') continue;
    const content = message.content.flatMap((block) => encodeBlock(block, options, losses));
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else turns.push({ role: message.role, content });
  }
  return turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }));
}

/** Tool results must stand before anything else the user says. */
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
      return [marked({ type: 'image', source: encodeSource(block.source) }, block, losses)];
    case 'document':
      return [marked({ type: 'document', source: encodeSource(block.source), title: block.title }, block, losses)];
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

function encodeText(block: TextBlock, losses: Losses): JsonValue {
  const citations = citationsOf(block);
  const cited = citations.length === 0 ? undefined : citations;
  return marked({ type: 'text', text: block.text, citations: cited }, block, losses);
}

/** With what a block or tool has beside its own members: a marker for the cache, and members that only this wire knows. */
function marked(encoded: object, { cache, extra }: Markable, losses: Losses): JsonValue {
  return omitUndefined({ ...encoded, cache_control: encodeCache(cache), ...losses.takeExtra(extra, wireName) });
}

type Markable = Pick<TextBlock, 'cache' | 'extra'>;

function encodeSource(source: MediaSource | { readonly kind: 'text'; readonly text: string }): JsonValue {
  switch (source.kind) {
    case 'base64':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      return { type: 'file', file_id: source.id };
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
  }
}

/** Other vendors' ids may hold characters this wire refuses; call and result are mapped alike. */
function encodeId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}

function encodeTool(tool: ToolDefinition | OpaqueTool, options: EncodeOptions, losses: Losses): JsonValue[] {
  if (!isOpaqueTool(tool)) {
    const { name, description, inputSchema, strict } = tool;
    return [marked({ name, description, input_schema: inputSchema, strict }, tool, losses)];
  }
  return mayReturnTo(tool.origin, wireName, options.provider) ? [tool.data] : losses.omit('a tool of another provider');
}

/** Without tools the wire refuses every word about them. */
function encodeTools(request: ChatRequest, tools: JsonValue[], losses: Losses): object {
  if (tools.length > 0) return { tools, tool_choice: encodeToolChoice(request) };
  const { toolChoice } = request;
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required';
  if (isForced) losses.drop('toolChoice', 'the tool choice, for want of tools, was left out');
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
  const members = Object.assign({}, ...parts) as JsonObject;
  return Object.keys(members).length === 0 ? undefined : members;
}

function encodeFormat({ responseFormat }: ChatRequest, losses: Losses): object {
  if (responseFormat?.type === 'json') losses.drop('responseFormat', 'the plain JSON response format was left out');
  if (responseFormat?.type !== 'json-schema') return {};
  return { format: { type: 'json_schema', schema: responseFormat.schema } };
}

function encodeEffort({ model, reasoning }: ChatRequest): object {
  const hasEffort = reasoning?.budgetTokens !== undefined || takesEffort(model);
  return omitUndefined({ effort: hasEffort ? effortWords[reasoning?.effort ?? 'none'] : undefined });
}

const effortWords: Readonly<Record<ReasoningEffort, string | undefined>> = {
  none: undefined,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/** The tokens an effort is worth at models that take a budget instead. */
const effortBudgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

/** The least the wire accepts. */
const leastBudget = 1024;

/** `claude-3-7-sonnet`, `claude-sonnet-4-20250514`, `claude-opus-4.6`: the number of the version, and the one after it. */
const claudeVersion = /claude-(?:[a-z]+-)?(\d+)(?:[.-](\d)(?!\d))?/i;

/** Whether the model is Claude of this version, or a later one. Without a number it is taken for the newest. */
function isClaudeSince(model: string, version: number): boolean {
  if (!/claude/i.test(model)) return false;
  const [, major = '9', minor = '0'] = claudeVersion.exec(model) ?? [];
  return Number(`${major}.${minor}`) >= version;
}

/** Claude has `effort` and adaptive thinking since 4.6; before, and at other makers' models, there is only a budget. */
function takesEffort(model: string): boolean {
  return isClaudeSince(model, 4.6);
}

/** Since 4.7, Claude refuses every request that sets the temperature or `top_p`. */
function refusesSampling(model: string): boolean {
  return isClaudeSince(model, 4.7);
}

type Thinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'disabled' | 'adaptive' };

function encodeThinking(
  { model, reasoning, maxTokens, toolChoice }: ChatRequest,
  losses: Losses,
): Thinking | undefined {
  const { budgetTokens, effort } = reasoning ?? {};
  if (budgetTokens !== undefined) return { type: 'enabled', budget_tokens: budgetTokens };
  if (effort === undefined) return undefined;
  if (effort === 'none') return { type: 'disabled' };
  // Thinking is refused beside a forced tool. The effort alone may be said.
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required';
  if (takesEffort(model)) return isForced ? undefined : { type: 'adaptive' };
  if (isForced) {
    losses.drop('reasoning', 'the reasoning effort was left out: a tool is forced, which leaves no room for thinking');
    return undefined;
  }
  // Thinking counts toward the limit, so at least half of it is left for the answer.
  const room = maxTokens === undefined ? Infinity : Math.floor(maxTokens / 2);
  if (room >= leastBudget) return { type: 'enabled', budget_tokens: Math.min(effortBudgets[effort], room) };
  losses.drop(
    'reasoning',
    `the reasoning effort was left out: a limit of ${maxTokens} tokens has no room for thinking`,
  );
  return undefined;
}

/** Beside thinking the wire refuses every temperature but 1, and a `top_p` below 0.95; newer models refuse them always. */
function encodeSampling(request: ChatRequest, thinking: Thinking | undefined, losses: Losses): object {
  const { model, temperature, topP, extra } = request;
  const said = extra?.[wireName] ?? {};
  // A client of this wire has said them itself, and they go out as they came.
  if ('temperature' in said || 'top_p' in said) return {};
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  const isRefused = refusesSampling(model);
  if (!isThinking && !isRefused) return { temperature: encodeTemperature(temperature, losses), top_p: topP };
  const reason = isRefused ? 'the model has none' : 'the model is asked to think';
  if ((temperature ?? 1) !== 1) losses.drop('temperature', `the temperature was left out: ${reason}`);
  if (!isRefused && (topP ?? 1) >= 0.95) return { top_p: topP };
  if ((topP ?? 1) !== 1) losses.drop('topP', `top_p was left out: ${reason}`);
  return {};
}

function encodeTemperature(temperature: number | undefined, losses: Losses): number | undefined {
  if (temperature === undefined || temperature <= 1) return temperature;
  losses.drop('temperature', `a temperature of ${temperature} was lowered to 1`);
  return 1;
}
