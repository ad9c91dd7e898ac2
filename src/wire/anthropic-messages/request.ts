// A request in the words of the Anthropic Messages wire.
// What the wire cannot say, and what becomes of it: system messages after the first turn move to the front;
// audio, `seed` and plain JSON mode are left out; a temperature above 1 becomes 1.

import { SimpleAgentsError } from '../../core/error.ts';
import { compact, isRecord, type JsonValue } from '../../core/json.ts';
import {
  mayReturnTo,
  type Block,
  type CacheMarker,
  type MediaSource,
  type Message,
  type TextBlock,
} from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest, type OpaqueTool, type ToolDefinition } from '../../core/request.ts';
import { Losses } from '../loss.ts';
import type { EncodedRequest, EncodeOptions } from '../wire.ts';
import { citationsOf, encodeCache, encodeInput, wireName } from './types.ts';

/** The wire demands a limit; this one lets an ordinary answer end by itself, after whatever thinking goes before. */
const defaultMaxTokens = 8192;

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const losses = new Losses();
  const tools = request.tools?.flatMap((tool) => encodeTool(tool, options, losses)) ?? [];
  // A loss that cannot be told in the answer: the caller would wait for the others.
  if ((request.choices ?? 1) > 1) refuseChoices();
  const body = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens + (request.reasoning?.budgetTokens ?? 0),
    system: encodeSystem(request.messages, losses),
    messages: encodeMessages(request.messages, options, losses),
    ...encodeTools(request, tools, losses),
    output_config: encodeOutputConfig(request, losses),
    thinking: encodeThinking(request),
    temperature: encodeTemperature(request.temperature, losses),
    top_p: request.topP,
    stop_sequences: request.stop,
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    stream: request.stream ?? true,
    ...request.extra?.[wireName],
  };
  if (request.seed !== undefined) losses.leaveOut('the seed');
  losses.addExtras(request, wireName);
  return { body: compact(body), losses: losses.list };
}

function refuseChoices(): never {
  throw new SimpleAgentsError('bad-request', 'n: this model gives one answer to a call; ask several times instead', {
    field: 'n',
  });
}

function encodeSystem(messages: readonly Message[], losses: Losses): JsonValue | undefined {
  const firstTurn = messages.findIndex((message) => message.role !== 'system');
  if (firstTurn !== -1 && messages.slice(firstTurn).some((message) => message.role === 'system')) {
    losses.add('a system message in the middle of the conversation was moved to the front');
  }
  const blocks = messages.filter((message) => message.role === 'system').flatMap((message) => message.content);
  const texts = blocks.filter((block) => block.type === 'text').filter((block) => block.text !== '');
  if (blocks.some((block) => block.type !== 'text')) losses.leaveOut('what is no text in a system message');
  const [only] = texts;
  if (only === undefined) return undefined;
  if (texts.length === 1 && only.cache === undefined) return only.text;
  return texts.flatMap((block) => encodeBlock(block, {}, losses));
}

/** Consecutive messages of one role become one, as the wire wants turns to alternate. */
function encodeMessages(messages: readonly Message[], options: EncodeOptions, losses: Losses): JsonValue {
  const turns: { role: string; content: JsonValue[] }[] = [];
  for (const message of messages) {
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
      return block.text === '' ? [] : [encodeText(block)];
    case 'image':
      return [marked({ type: 'image', source: encodeSource(block.source) }, block.cache)];
    case 'document':
      return [marked({ type: 'document', source: encodeSource(block.source), title: block.title }, block.cache)];
    case 'tool-call':
      return [
        marked({ type: 'tool_use', id: encodeId(block.id), name: block.name, input: encodeInput(block) }, block.cache),
      ];
    case 'tool-result': {
      const content = block.content.flatMap((part) => encodeBlock(part, options, losses));
      const result = { type: 'tool_result', tool_use_id: encodeId(block.callId), content, is_error: block.isError };
      return [marked(result, block.cache)];
    }
    case 'reasoning':
      if (!mayReturnTo(block.origin, wireName, options.provider))
        return losses.leaveOut('reasoning of another provider');
      if (block.redacted !== undefined) return [{ type: 'redacted_thinking', data: block.redacted }];
      if (block.signature === undefined) return losses.leaveOut('unsigned reasoning');
      return [{ type: 'thinking', thinking: block.text, signature: block.signature }];
    case 'opaque':
      if (!mayReturnTo(block.origin, wireName, options.provider)) return losses.leaveOut('a block of another provider');
      return [block.data];
    case 'audio':
      return losses.leaveOut('audio');
  }
}

function encodeText(block: TextBlock): JsonValue {
  const citations = citationsOf(block);
  return marked(
    { type: 'text', text: block.text, citations: citations.length === 0 ? undefined : citations },
    block.cache,
  );
}

function marked(block: object, cache: CacheMarker | undefined): JsonValue {
  return compact({ ...block, cache_control: encodeCache(cache) });
}

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
    const { name, description, inputSchema, strict, cache } = tool;
    return [marked({ name, description, input_schema: inputSchema, strict }, cache)];
  }
  return mayReturnTo(tool.origin, wireName, options.provider)
    ? [tool.data]
    : losses.leaveOut('a tool of another provider');
}

/** Without tools the wire refuses every word about them. */
function encodeTools(request: ChatRequest, tools: JsonValue[], losses: Losses): object {
  if (tools.length > 0) return { tools, tool_choice: encodeToolChoice(request) };
  const { toolChoice } = request;
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required';
  if (isForced) losses.leaveOut('the tool choice, for want of tools,');
  return {};
}

function encodeToolChoice({ toolChoice, parallelToolCalls }: ChatRequest): JsonValue | undefined {
  const single = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  if (toolChoice === undefined) return parallelToolCalls === undefined ? undefined : { type: 'auto', ...single };
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...single };
  if (toolChoice === 'none') return { type: 'none' };
  return { type: toolChoice === 'required' ? 'any' : 'auto', ...single };
}

function encodeOutputConfig({ responseFormat, reasoning }: ChatRequest, losses: Losses): JsonValue | undefined {
  if (responseFormat?.type === 'json') losses.leaveOut('the plain JSON response format');
  const schema = responseFormat?.type === 'json-schema' ? responseFormat.schema : undefined;
  const effort = reasoning?.effort === 'minimal' ? 'low' : reasoning?.effort;
  const config = compact({
    format: schema === undefined ? undefined : { type: 'json_schema', schema },
    effort: effort === 'none' ? undefined : effort,
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

function encodeThinking({ reasoning }: ChatRequest): JsonValue | undefined {
  if (reasoning?.budgetTokens !== undefined) return { type: 'enabled', budget_tokens: reasoning.budgetTokens };
  if (reasoning?.effort === undefined) return undefined;
  return { type: reasoning.effort === 'none' ? 'disabled' : 'adaptive' };
}

function encodeTemperature(temperature: number | undefined, losses: Losses): number | undefined {
  if (temperature === undefined || temperature <= 1) return temperature;
  losses.add(`a temperature of ${temperature} was lowered to 1`);
  return 1;
}
