// Speaks the Anthropic Messages wire to a provider. Knows JSON, not sockets.
// What the wire cannot say, and what becomes of it: system messages after the first turn move to the front;
// audio, `seed` and plain JSON mode are left out; a temperature above 1 becomes 1.

import { classifyFailure, SimpleAgentsError, type FailureReport } from '../../core/error.ts';
import type { StopReason, StreamEvent } from '../../core/event.ts';
import { compact, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { mayReturnTo, type Block, type CacheMarker, type MediaSource, type Message } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest, type OpaqueTool, type ToolDefinition } from '../../core/request.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { cutError, decoderOf, EventSink, type StreamMachine } from '../decoder.ts';
import { Losses } from '../loss.ts';
import { parseFrame, SseScanner, type ScanState } from '../scanner.ts';
import type { DecodeOptions, EncodedRequest, EncodeOptions, WireClient } from '../wire.ts';
import { parseEvent } from './frame.ts';
import {
  decodeStopReason,
  encodeCache,
  encodeInput,
  mergeUsage,
  wireName,
  type WireBlock,
  type WireDelta,
  type WireError,
  type WireEvent,
  type WireMessage,
} from './types.ts';

export const anthropicMessages: WireClient = {
  name: wireName,
  path: '/v1/messages',
  encodeRequest,
  decodeStream: (options) => decoderOf(new MessagesMachine(options)),
  decodeBody,
  decodeError,
  scanStream: () => new SseScanner(scanFrame),
};

/** The wire demands a limit; this one lets an ordinary answer end by itself. */
const defaultMaxTokens = 8192;

function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): EncodedRequest {
  const losses = new Losses();
  const body = {
    model: request.model,
    max_tokens: request.maxTokens ?? defaultMaxTokens,
    system: encodeSystem(request.messages, losses),
    messages: encodeMessages(request.messages, options, losses),
    tools: request.tools?.flatMap((tool) => encodeTool(tool, options, losses)),
    tool_choice: encodeToolChoice(request),
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

function encodeSystem(messages: readonly Message[], losses: Losses): JsonValue | undefined {
  const firstTurn = messages.findIndex((message) => message.role !== 'system');
  if (firstTurn !== -1 && messages.slice(firstTurn).some((message) => message.role === 'system')) {
    losses.add('a system message in the middle of the conversation was moved to the front');
  }
  const texts = messages
    .filter((message) => message.role === 'system')
    .flatMap((message) => message.content)
    .filter((block) => block.type === 'text' && block.text !== '');
  const [only] = texts;
  if (only === undefined) return undefined;
  if (texts.length === 1 && only.type === 'text' && only.cache === undefined) return only.text;
  return texts.flatMap((block) => encodeBlock(block, {}, losses));
}

/** Consecutive messages of one role become one, as the wire wants turns to alternate. */
function encodeMessages(messages: readonly Message[], options: EncodeOptions, losses: Losses): JsonValue {
  const turns: { role: string; content: JsonValue[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const content = message.content.flatMap((block) => encodeBlock(block, options, losses));
    const last = turns.at(-1);
    if (last?.role === message.role) last.content.push(...content);
    else turns.push({ role: message.role, content });
  }
  return turns
    .filter((turn) => turn.content.length > 0)
    .map(({ role, content }) => ({ role, content: resultsFirst(content) }));
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
      return block.text === '' ? [] : [marked({ type: 'text', text: block.text }, block.cache)];
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

function encodeToolChoice({ toolChoice, parallelToolCalls, tools }: ChatRequest): JsonValue | undefined {
  const single = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls };
  if (toolChoice === undefined) {
    return parallelToolCalls === undefined || tools === undefined ? undefined : { type: 'auto', ...single };
  }
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

/** A block while it streams. `opaque` is the block as it began, for kinds we do not know. */
interface OpenBlock {
  readonly kind: 'text' | 'reasoning' | 'tool-call' | 'opaque' | 'skipped';
  /** Arguments that came whole with the start; deltas, when they come, replace them. */
  input: string;
  signature?: string;
  redacted?: string;
  readonly citations: JsonValue[];
  opaque: JsonObject;
}

class MessagesMachine implements StreamMachine {
  readonly sink = new EventSink();
  readonly #provider: string | undefined;
  readonly #blocks = new Map<number, OpenBlock>();
  #stopReason: StopReason | undefined;
  #providerStopReason: string | undefined;
  #stopSequence: string | undefined;
  #usage: Usage = noUsage;

  constructor(options: DecodeOptions = {}) {
    this.#provider = options.provider;
  }

  onData(data: string): void {
    const event = parseEvent(data);
    // Ordered by how often each comes.
    switch (event.type) {
      case 'content_block_delta':
        this.#onBlockDelta(event);
        break;
      case 'content_block_start':
        this.#onBlockStart(event);
        break;
      case 'content_block_stop':
        this.#onBlockStop(event);
        break;
      case 'message_start':
        this.start(event.message ?? {});
        break;
      case 'message_delta':
        this.stop(event.delta ?? {});
        this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'message_stop':
        this.close();
        break;
      case 'error':
        this.sink.failure = classifyFailure(reportOf(event.error));
        break;
    }
  }

  onEnd(): void {
    if (this.#stopReason === undefined) this.sink.failure = cutError();
    else this.close();
  }

  start(message: WireMessage): void {
    this.#usage = mergeUsage(this.#usage, message.usage);
    this.sink.emit({ type: 'message-start', id: message.id ?? '', model: message.model ?? '' });
  }

  stop(delta: Pick<WireDelta, 'stop_reason' | 'stop_sequence'>): void {
    if (typeof delta.stop_reason === 'string') {
      this.#providerStopReason = delta.stop_reason;
      this.#stopReason = decodeStopReason(delta.stop_reason);
    }
    if (typeof delta.stop_sequence === 'string') this.#stopSequence = delta.stop_sequence;
  }

  close(): void {
    for (const index of this.#blocks.keys()) this.endBlock(index);
    this.sink.emit(
      compact({
        type: 'message-end',
        stopReason: this.#stopReason ?? 'end',
        providerStopReason: this.#providerStopReason,
        stopSequence: this.#stopSequence,
        usage: this.#usage,
      }),
    );
    this.sink.done = true;
  }

  startBlock(index: number, block: WireBlock): void {
    const open: OpenBlock = {
      kind: this.#kindOf(index, block),
      input: '',
      citations: [],
      opaque: { ...block } as JsonObject,
    };
    this.#blocks.set(index, open);
    if (open.kind === 'text' && block.text) this.sink.emit({ type: 'text-delta', index, text: block.text });
    if (open.kind === 'reasoning' && block.thinking) {
      this.sink.emit({ type: 'reasoning-delta', index, text: block.thinking });
    }
    if (block.citations) open.citations.push(...block.citations);
    if (block.signature) open.signature = block.signature;
    if (block.type === 'redacted_thinking') open.redacted = block.data ?? '';
    if (isRecord(block.input) && Object.keys(block.input).length > 0) open.input = JSON.stringify(block.input);
  }

  endBlock(index: number): void {
    const open = this.#blocks.get(index);
    if (open === undefined) return;
    this.#blocks.delete(index);
    if (open.kind === 'tool-call' && open.input !== '') {
      this.sink.emit({ type: 'tool-call-delta', index, json: open.input });
    }
    const origin = compact({ wire: wireName, provider: this.#provider });
    if (open.kind === 'opaque') {
      this.sink.emit({ type: 'block-end', index, block: { type: 'opaque', origin, data: finishOpaque(open) } });
    } else if (open.kind !== 'skipped') {
      this.sink.finishBlock(index, { ...open, origin });
    }
  }

  #kindOf(index: number, block: WireBlock): OpenBlock['kind'] {
    if (block.type === 'text') return 'text';
    if (block.type === 'thinking' || block.type === 'redacted_thinking') return 'reasoning';
    if (block.type !== 'tool_use') return 'opaque';
    return this.sink.startToolCall(index, block.id ?? `toolu_${index}`, block.name ?? '') ? 'tool-call' : 'skipped';
  }

  #onBlockStart({ index, content_block: block = {} }: WireEvent): void {
    if (typeof index === 'number') this.startBlock(index, block);
    else this.sink.warn(`a block of type ${block.type ?? 'unknown'} came without an index and was skipped`);
  }

  #onBlockStop({ index }: WireEvent): void {
    if (typeof index === 'number') this.endBlock(index);
    else this.sink.warn('the end of a block came without an index and was skipped');
  }

  #onBlockDelta({ index, delta = {} }: WireEvent): void {
    if (typeof index !== 'number') {
      this.sink.warn(`a delta of type ${delta.type ?? 'unknown'} came without an index and was skipped`);
      return;
    }
    const open = this.#blocks.get(index) ?? this.#openImplicitly(index, delta);
    if (open.kind === 'skipped') return;
    if (open.kind === 'opaque') open.opaque = applyUnknownDelta(open, delta);
    else this.#applyDelta(open, index, delta);
  }

  #applyDelta(open: OpenBlock, index: number, delta: WireDelta): void {
    switch (delta.type) {
      case 'text_delta':
        if (delta.text) this.sink.emit({ type: 'text-delta', index, text: delta.text });
        break;
      case 'input_json_delta':
        open.input = '';
        if (delta.partial_json) this.sink.emit({ type: 'tool-call-delta', index, json: delta.partial_json });
        break;
      case 'thinking_delta':
        if (delta.thinking) this.sink.emit({ type: 'reasoning-delta', index, text: delta.thinking });
        break;
      case 'signature_delta':
        open.signature = (open.signature ?? '') + (delta.signature ?? '');
        break;
      case 'citations_delta':
        if (delta.citation !== undefined) open.citations.push(delta.citation);
        break;
    }
  }

  /** A delta whose start never came: the text is worth more than the order. */
  #openImplicitly(index: number, delta: WireDelta): OpenBlock {
    const type = delta.type === 'thinking_delta' ? 'thinking' : 'text';
    this.startBlock(index, { type });
    return this.#blocks.get(index) as OpenBlock;
  }
}

/** Unknown deltas are applied by shape: text is appended, lists are joined, anything else replaces. */
function applyUnknownDelta(open: OpenBlock, { type: _type, partial_json: json, ...members }: WireDelta): JsonObject {
  if (json !== undefined) open.input += json;
  const data: Record<string, JsonValue | undefined> = { ...open.opaque };
  for (const [key, value] of Object.entries(members)) {
    const before = data[key];
    if (typeof before === 'string' && typeof value === 'string') data[key] = before + value;
    else if (Array.isArray(before) && Array.isArray(value)) data[key] = [...before, ...value];
    else data[key] = value;
  }
  return data;
}

function finishOpaque({ opaque, input }: OpenBlock): JsonObject {
  if (input === '') return opaque;
  return { ...opaque, input: (parseFrame(input) as JsonValue | undefined) ?? input };
}

function decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[] {
  const message = (isRecord(body) ? body : {}) as WireMessage;
  if (message.error !== undefined) throw classifyFailure(decodeError(body));
  if (!Array.isArray(message.content))
    throw new SimpleAgentsError('bad-response', 'the body is not a message: it has no content');
  const machine = new MessagesMachine(options);
  machine.start(message);
  for (const [index, block] of message.content.entries()) {
    machine.startBlock(index, block);
    machine.endBlock(index);
  }
  machine.stop(message);
  machine.close();
  return machine.sink.take();
}

function decodeError(body: unknown): FailureReport {
  return reportOf(isRecord(body) ? (body['error'] as WireError | undefined) : undefined);
}

function reportOf(error: WireError | undefined): FailureReport {
  const message = error?.message ?? 'the provider gave no reason';
  // The wire has no code of its own for this; the sentence is documented.
  const overflow = error?.type === 'invalid_request_error' && message.startsWith('prompt is too long');
  return compact({
    type: error?.type,
    message,
    code: overflow ? 'context_length_exceeded' : undefined,
  });
}

/** Content frames are recognised by name; only the start, the end and an error are parsed. */
function scanFrame(state: ScanState, data: string, eventName: string | undefined): void {
  if (eventName?.startsWith('content_block')) {
    state.committed = true;
    return;
  }
  if (eventName === 'ping') return;
  const event = parseFrame(data) as WireEvent | undefined;
  if (event?.type?.startsWith('content_block')) state.committed = true;
  if (event?.type === 'message_start') state.usage = mergeUsage(state.usage, event.message?.usage);
  if (event?.type === 'message_delta') {
    state.usage = mergeUsage(state.usage, event.usage);
    if (typeof event.delta?.stop_reason === 'string') state.stopReason = decodeStopReason(event.delta.stop_reason);
  }
  if (event?.type === 'message_stop') {
    state.committed = state.done = true;
    state.stopReason ??= 'end';
  }
  if (event?.type === 'error') state.failure = classifyFailure(reportOf(event.error));
}
