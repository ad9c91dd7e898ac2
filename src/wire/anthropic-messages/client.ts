// The client side of the Anthropic Messages wire: decodes a provider's responses. `client-request.ts` encodes the requests.
// No I/O.

import { classifyFailure, SimpleAgentsError, type FailureReport } from '../../core/error.ts';
import type { StopReason, StreamEvent } from '../../core/event.ts';
import { omitUndefined, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { responseExtra, unknownIn } from '../response-extra.ts';
import { cutError, decoderOf, EventSink, readBody, type StreamMachine } from '../decoder.ts';
import { failureReason } from '../failure-reason.ts';
import { countingRoute } from '../provider-lists.ts';
import { SseScanner, type FrameScan } from '../scanner.ts';
import type { DecodeOptions, WireClient } from '../wire.ts';
import { versionHeader } from './api-version.ts';
import { encodeRequest, findUnsupported } from './client-request.ts';
import {
  decodeStopReason,
  isOverflow,
  mergeUsage,
  wireName,
  type AnthropicBlock,
  type AnthropicDelta,
  type AnthropicEvent,
  type AnthropicMessage,
} from './types.ts';

export const anthropicMessages: WireClient = {
  name: wireName,
  path: '/v1/messages',
  versionHeader,
  counting: countingRoute('/v1/messages/count_tokens', encodeRequest, [
    'model',
    'messages',
    'system',
    'tools',
    'tool_choice',
    'thinking',
  ]),
  findUnsupported,
  encodeRequest,
  decodeStream: (options) => decoderOf(new MessagesMachine(options)),
  decodeBody,
  decodeError,
  scanStream: () => new SseScanner(frameScan),
};

/** A block in progress. `opaque` is the block as sent at its start, for unknown types. */
interface StreamingBlock {
  readonly kind: 'text' | 'reasoning' | 'tool-call' | 'opaque' | 'skipped';
  /** Arguments that arrived with the start of the block. Deltas replace them. */
  input: string;
  signature?: string;
  redacted?: string;
  readonly citations: JsonValue[];
  opaque: JsonObject;
}

class MessagesMachine implements StreamMachine {
  readonly sink = new EventSink();
  readonly #provider: string | undefined;
  readonly #blocks = new Map<number, StreamingBlock>();
  #started = false;
  #stopReason: StopReason | undefined;
  #providerStopReason: string | undefined;
  #stopSequence: string | undefined;
  #usageExtra: Record<string, unknown> = {};
  #endExtra: Record<string, unknown> | undefined;

  constructor(options: DecodeOptions = {}) {
    this.#provider = options.provider;
  }

  onData(data: string): void {
    // Not part of this wire, but some servers end with it.
    if (data === terminator) return this.onEnd();
    const event = JSON.parse(data) as AnthropicEvent;
    if (!isObject(event)) throw new SyntaxError();
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
        this.sink.usage = mergeUsage(this.sink.usage, event.usage);
        this.#endExtra = { ...unknownIn(event, endFields), delta: unknownIn(event.delta, stopFields) };
        this.#usageExtra = { ...this.#usageExtra, ...unknownIn(event.usage, usageFields) };
        break;
      case 'message_stop':
        this.onEnd();
        break;
      case 'error':
        this.sink.failure = classifyFailure({
          ...reportOf(event.error),
          response: { wire: wireName, body: event as JsonObject },
        });
        break;
    }
  }

  /** A stream that ends without a stop reason was cut. */
  onEnd(): void {
    if (this.#stopReason === undefined) this.sink.failure = cutError();
    else this.close();
  }

  start(message: AnthropicMessage): void {
    this.#started = true;
    this.sink.usage = mergeUsage(this.sink.usage, message.usage);
    this.#usageExtra = { ...unknownIn(message.usage, usageFields) };
    const extra = responseExtra(wireName, unknownIn(message, messageFields));
    this.sink.emit(omitUndefined({ type: 'message-start', id: message.id ?? '', model: message.model ?? '', extra }));
  }

  stop(delta: Pick<AnthropicDelta, 'stop_reason' | 'stop_sequence'>): void {
    if (typeof delta.stop_reason === 'string') {
      this.#providerStopReason = delta.stop_reason;
      this.#stopReason = decodeStopReason(delta.stop_reason);
    }
    if (typeof delta.stop_sequence === 'string') this.#stopSequence = delta.stop_sequence;
  }

  close(): void {
    if (!this.#started) this.start({});
    for (const index of this.#blocks.keys()) this.endBlock(index);
    this.sink.emit(
      omitUndefined({
        type: 'message-end',
        stopReason: this.#stopReason ?? 'end',
        providerStopReason: this.#providerStopReason,
        stopSequence: this.#stopSequence,
        usage: this.sink.usage,
        extra: responseExtra(wireName, this.#endExtra, usageOf(this.#usageExtra)),
      }),
    );
    this.sink.done = true;
  }

  startBlock(index: number, block: AnthropicBlock): void {
    if (!this.#started) this.start({});
    const open: StreamingBlock = {
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
    const origin = omitUndefined({ wire: wireName, provider: this.#provider });
    if (open.kind === 'opaque') {
      this.sink.emit({ type: 'block-end', index, block: { type: 'opaque', origin, data: finishOpaque(open) } });
    } else if (open.kind !== 'skipped') {
      this.sink.finishBlock(index, { ...open, origin });
    }
  }

  #kindOf(index: number, block: AnthropicBlock): StreamingBlock['kind'] {
    if (block.type === 'text') return 'text';
    if (block.type === 'thinking' || block.type === 'redacted_thinking') return 'reasoning';
    if (block.type !== 'tool_use') return 'opaque';
    return this.sink.startToolCall(index, block.id ?? `toolu_${index}`, block.name ?? '') ? 'tool-call' : 'skipped';
  }

  #onBlockStart({ index, content_block: block = {} }: AnthropicEvent): void {
    if (typeof index === 'number') this.startBlock(index, block);
    else
      this.sink.warn(`the provider sent a block of type ${block.type ?? 'unknown'} without an index; it was ignored`);
  }

  #onBlockStop({ index }: AnthropicEvent): void {
    if (typeof index === 'number') this.endBlock(index);
    else this.sink.warn('the provider sent the end of a block without an index; it was ignored');
  }

  #onBlockDelta({ index, delta = {} }: AnthropicEvent): void {
    if (typeof index !== 'number') {
      this.sink.warn(`the provider sent a delta of type ${delta.type ?? 'unknown'} without an index; it was ignored`);
      return;
    }
    const open = this.#blocks.get(index) ?? this.#openImplicitly(index, delta);
    if (open.kind === 'skipped') return;
    if (open.kind === 'opaque') open.opaque = applyUnknownDelta(open, delta);
    else this.#applyDelta(open, index, delta);
  }

  #applyDelta(open: StreamingBlock, index: number, delta: AnthropicDelta): void {
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

  /** Opens the block of a delta that arrived without a start, so that its text is not lost. */
  #openImplicitly(index: number, delta: AnthropicDelta): StreamingBlock {
    const type = delta.type === 'thinking_delta' ? 'thinking' : 'text';
    this.startBlock(index, { type });
    return this.#blocks.get(index) as StreamingBlock;
  }
}

const messageFields = new Set([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
  'error',
]);
const endFields = new Set(['type', 'delta', 'usage']);
const stopFields = new Set(['stop_reason', 'stop_sequence']);
const usageFields = new Set([
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens_details',
]);

function usageOf(extra: Record<string, unknown>): { readonly usage: object } | undefined {
  return Object.keys(extra).length === 0 ? undefined : { usage: extra };
}

/** Applies an unknown delta by shape: text is appended, lists are joined, anything else replaces. */
function applyUnknownDelta(
  open: StreamingBlock,
  { type: _type, partial_json: json, ...members }: AnthropicDelta,
): JsonObject {
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

function finishOpaque({ opaque, input }: StreamingBlock): JsonObject {
  if (input === '') return opaque;
  return { ...opaque, input: parsed(input) };
}

/** Returns the text itself if it is not JSON. */
function parsed(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return json;
  }
}

/** Not a type guard, which would lose the type of the event. */
function isObject(value: unknown): boolean {
  return isRecord(value);
}

function decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[] {
  const message = (isRecord(body) ? body : {}) as AnthropicMessage;
  if (message.error) throw classifyFailure(decodeError(body));
  const { content } = message;
  if (!Array.isArray(content)) {
    throw new SimpleAgentsError('bad-response', 'the body is not a message: it has no content');
  }
  return readBody(body, () => {
    const machine = new MessagesMachine(options);
    machine.start(message);
    for (const [index, block] of content.entries()) {
      machine.startBlock(index, block);
      machine.endBlock(index);
    }
    machine.stop(message);
    machine.close();
    return machine.sink.take();
  });
}

function decodeError(body: unknown): FailureReport {
  return reportOf(isRecord(body) ? body['error'] : undefined);
}

function reportOf(error: unknown): FailureReport {
  const message = failureReason(error);
  const type = isRecord(error) && typeof error['type'] === 'string' ? error['type'] : undefined;
  return omitUndefined({ type, message, code: isOverflow(type, message) ? 'context_length_exceeded' : undefined });
}

const terminator = '[DONE]';

const frameScan: FrameScan<AnthropicEvent> = {
  terminator,
  parse: (data) => JSON.parse(data) as AnthropicEvent,
  scan(state, event) {
    if (event.type?.startsWith('content_block')) state.committed = true;
    if (event.type === 'message_start') state.usage = mergeUsage(state.usage, event.message?.usage);
    if (event.type === 'message_delta') {
      state.usage = mergeUsage(state.usage, event.usage);
      if (typeof event.delta?.stop_reason === 'string') state.stopReason = decodeStopReason(event.delta.stop_reason);
    }
    if (event.type === 'message_stop') state.committed = state.done = true;
    if (event.type === 'error') state.failure = classifyFailure(reportOf(event.error));
  },
};
