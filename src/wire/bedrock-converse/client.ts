// The client side of Amazon Bedrock's Converse wire: decodes a provider's responses. `client-request.ts` encodes the
// requests. A stream is translated from Amazon's binary framing first. No I/O.

import { classifyFailure, SimpleAgentsError } from '../../core/error.ts';
import type { StopReason, StreamEvent } from '../../core/event.ts';
import { isRecord, omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import { decodeAwsError, toFailureReport } from '../aws-error.ts';
import { awsFraming, exceptionEvent } from '../aws-event-frames.ts';
import { cutError, decoderOf, EventSink, readBody, type StreamMachine } from '../decoder.ts';
import { responseExtra, unknownIn } from '../response-extra.ts';
import { SseScanner, type FrameScan } from '../scanner.ts';
import type { DecodeOptions, WireClient } from '../wire.ts';
import { encodeRequest, findUnsupported } from './client-request.ts';
import { bedrockCounting } from './count-tokens.ts';
import {
  decodeStopReason,
  decodeUsage,
  isMalformed,
  wireName,
  type ConverseBlock,
  type ConverseBody,
  type ConverseDelta,
  type ConverseEvent,
  type ConverseImage,
  type ConverseToolUse,
} from './types.ts';

export const bedrockConverse: WireClient = {
  name: wireName,
  // Every request has its own.
  path: '/model',
  framing: awsFraming(),
  counting: bedrockCounting((request, options) => {
    const { messages, system, toolConfig, additionalModelRequestFields } = encodeRequest(request, options).body;
    return { converse: omitUndefined({ messages, system, toolConfig, additionalModelRequestFields }) };
  }),
  findUnsupported,
  encodeRequest,
  decodeStream: (options) => decoderOf(new ConverseMachine(options)),
  decodeBody,
  decodeError: decodeAwsError,
  scanStream: () => new SseScanner(frameScan),
};

/** A block in progress. `opaque` is the block as sent at its start, for unknown types. */
interface StreamingBlock {
  readonly kind: 'text' | 'reasoning' | 'tool-call' | 'image' | 'opaque' | 'skipped';
  readonly citations: JsonValue[];
  signature?: string;
  redacted?: string;
  image?: ConverseImage;
  opaque: JsonObject;
  /** Arguments of an opaque block. */
  input: string;
}

class ConverseMachine implements StreamMachine {
  readonly sink = new EventSink();
  readonly #options: DecodeOptions;
  readonly #blocks = new Map<number, StreamingBlock>();
  #started = false;
  #stopReason: StopReason | undefined;
  #providerStopReason: string | undefined;
  #extra: Record<string, unknown> = {};

  constructor(options: DecodeOptions = {}) {
    this.#options = options;
  }

  onData(data: string, name = ''): void {
    const value: unknown = JSON.parse(data);
    if (!isRecord(value)) throw new SyntaxError();
    const event = value as ConverseEvent;
    switch (name) {
      case 'contentBlockDelta':
        this.#onDelta(event);
        break;
      case 'contentBlockStart':
        this.#onBlockStart(event);
        break;
      case 'contentBlockStop':
        this.#onBlockStop(event);
        break;
      case 'messageStart':
        this.start();
        break;
      case 'messageStop':
        this.stop(event.stopReason, unknownIn(event, stopFields));
        break;
      case 'metadata':
        this.sink.usage = decodeUsage(event.usage);
        this.#extra = { ...this.#extra, ...unknownIn(event, metadataFields) };
        this.onEnd();
        break;
      case exceptionEvent:
        this.sink.failure = classifyFailure(toFailureReport(event.type ?? '', event.message));
        break;
    }
  }

  /** A stream that ends without a stop reason was cut. The token counts come after the stop reason. */
  onEnd(): void {
    if (this.#stopReason === undefined) this.sink.failure ??= cutError();
    else this.close();
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    const { requestId: id = '', model = '' } = this.#options;
    this.sink.emit({ type: 'message-start', id, model });
  }

  stop(reason: string | undefined, extra?: Record<string, unknown>): void {
    if (typeof reason !== 'string') return;
    if (isMalformed(reason)) this.sink.failure = malformedOutput(reason);
    this.#providerStopReason = reason;
    this.#stopReason = decodeStopReason(reason);
    this.#extra = { ...this.#extra, ...extra };
  }

  close(): void {
    this.start();
    for (const index of this.#blocks.keys()) this.endBlock(index);
    this.sink.emit(
      omitUndefined({
        type: 'message-end',
        stopReason: this.#stopReason ?? 'end',
        providerStopReason: this.#providerStopReason,
        usage: this.sink.usage,
        extra: responseExtra(wireName, this.#extra),
      }),
    );
    this.sink.done = true;
  }

  addBlock(index: number, block: ConverseBlock): void {
    const { text, toolUse, reasoningContent: reasoning, citationsContent: cited, image } = block;
    if (text !== undefined) this.#apply(index, { text });
    else if (cited !== undefined) this.#addCited(index, cited);
    else if (reasoning !== undefined) this.#addReasoning(index, reasoning);
    else if (toolUse !== undefined) this.#addCall(index, toolUse);
    else if (image !== undefined) this.#open(index, 'image').image = image;
    else this.#open(index, 'opaque', block as JsonObject);
    this.endBlock(index);
  }

  endBlock(index: number): void {
    const open = this.#blocks.get(index);
    if (open === undefined) return;
    this.#blocks.delete(index);
    const origin = omitUndefined({ wire: wireName, provider: this.#options.provider });
    if (open.kind === 'opaque') {
      const data = open.input === '' ? open.opaque : withInput(open);
      this.sink.emit({ type: 'block-end', index, block: { type: 'opaque', origin, data } });
    } else if (open.kind === 'image') this.#endImage(index, open.image);
    else if (open.kind !== 'skipped') this.sink.finishBlock(index, { ...open, origin });
  }

  #addCited(index: number, { content = [], citations = [] }: NonNullable<ConverseBlock['citationsContent']>): void {
    for (const { text } of content) this.#apply(index, omitUndefined({ text }));
    for (const citation of citations) this.#apply(index, { citation });
  }

  #addReasoning(index: number, { reasoningText, redactedContent }: NonNullable<ConverseBlock['reasoningContent']>) {
    this.#apply(index, { reasoningContent: omitUndefined({ ...reasoningText, redactedContent }) });
  }

  #addCall(index: number, toolUse: ConverseToolUse): void {
    const open = this.#startCall(index, toolUse);
    if (open.kind === 'tool-call' && toolUse.input !== undefined) {
      this.sink.emit({ type: 'tool-call-delta', index, json: JSON.stringify(toolUse.input) });
    }
  }

  #onBlockStart({ contentBlockIndex: index, start = {} }: ConverseEvent): void {
    if (typeof index !== 'number') {
      const [type = 'unknown'] = Object.keys(start);
      this.sink.warn(`the provider sent a block of type ${type} without an index; it was ignored`);
    } else if (start.toolUse !== undefined) this.#startCall(index, start.toolUse);
    else if (start.image !== undefined) this.#open(index, 'image').image = start.image;
    // Text and reasoning begin with their first delta.
    else if (Object.keys(start).length > 0) this.#open(index, 'opaque', start as JsonObject);
  }

  #onBlockStop({ contentBlockIndex: index }: ConverseEvent): void {
    if (typeof index === 'number') this.endBlock(index);
    else this.sink.warn('the provider sent the end of a block without an index; it was ignored');
  }

  #onDelta({ contentBlockIndex: index, delta = {} }: ConverseEvent): void {
    if (typeof index === 'number') return this.#apply(index, delta);
    const [type = 'unknown'] = Object.keys(delta);
    this.sink.warn(`the provider sent a delta of type ${type} without an index; it was ignored`);
  }

  #apply(index: number, delta: ConverseDelta): void {
    const open = this.#blocks.get(index) ?? this.#openImplicitly(index, delta);
    if (open.kind === 'opaque') open.input += delta.toolUse?.input ?? '';
    if (open.kind === 'image') open.image = { ...open.image, ...delta.image };
    if (open.kind === 'text' && delta.text) this.sink.emit({ type: 'text-delta', index, text: delta.text });
    if (open.kind === 'text' && delta.citation !== undefined) open.citations.push(delta.citation);
    if (open.kind === 'tool-call' && delta.toolUse?.input)
      this.sink.emit({ type: 'tool-call-delta', index, json: delta.toolUse.input });
    if (open.kind === 'reasoning') this.#applyReasoning(open, index, delta.reasoningContent ?? {});
  }

  /** Opens the block of a delta that arrived without a start: text and reasoning have none. */
  #openImplicitly(index: number, delta: ConverseDelta): StreamingBlock {
    const kind = kindOf(delta);
    if (kind === 'skipped')
      this.sink.warn('the provider sent arguments of a tool call that it did not start; they were ignored');
    return this.#open(index, kind);
  }

  #applyReasoning(open: StreamingBlock, index: number, delta: NonNullable<ConverseDelta['reasoningContent']>): void {
    const { text, signature, redactedContent } = delta;
    if (text) this.sink.emit({ type: 'reasoning-delta', index, text });
    if (signature !== undefined) open.signature = (open.signature ?? '') + signature;
    if (redactedContent !== undefined) open.redacted = (open.redacted ?? '') + redactedContent;
  }

  #startCall(index: number, toolUse: ConverseToolUse): StreamingBlock {
    const { toolUseId: id = `tooluse_${index}`, name = '', type } = toolUse;
    // A tool that the provider runs itself is not the caller's to answer.
    if (type !== undefined) return this.#open(index, 'opaque', { toolUse: toolUse as JsonObject });
    this.start();
    return this.#open(index, this.sink.startToolCall(index, id, name) ? 'tool-call' : 'skipped');
  }

  #open(index: number, kind: StreamingBlock['kind'], opaque: JsonObject = {}): StreamingBlock {
    this.start();
    const open = { kind, citations: [], opaque, input: '' };
    this.#blocks.set(index, open);
    return open;
  }

  #endImage(index: number, { format = 'png', source }: ConverseImage = {}): void {
    if (source?.bytes === undefined) return;
    const media = { kind: 'base64', mediaType: `image/${format}`, data: source.bytes } as const;
    this.sink.emit({ type: 'block-end', index, block: { type: 'image', source: media } });
  }
}

function kindOf({ reasoningContent, toolUse, image }: ConverseDelta): StreamingBlock['kind'] {
  if (reasoningContent !== undefined) return 'reasoning';
  if (toolUse !== undefined) return 'skipped';
  return image === undefined ? 'text' : 'image';
}

/** The arguments of a tool that the provider runs, parsed if they are JSON. */
function withInput({ opaque, input }: StreamingBlock): JsonObject {
  const { toolUse } = opaque;
  return { ...opaque, toolUse: { ...(isRecord(toolUse) ? toolUse : {}), input: parsed(input) } };
}

function parsed(json: string): JsonValue {
  try {
    return JSON.parse(json) as JsonValue;
  } catch {
    return json;
  }
}

const stopFields = new Set(['stopReason', 'p']);
const metadataFields = new Set(['usage', 'metrics', 'p']);
const bodyFields = new Set(['output', 'stopReason', 'usage', 'metrics']);

function malformedOutput(reason: string): SimpleAgentsError {
  const message = `the model wrote output that the service cannot read (${reason})`;
  return classifyFailure({ type: 'api_error', code: reason, message });
}

function decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[] {
  const { output, stopReason, usage } = (isRecord(body) ? body : {}) as ConverseBody;
  return readBody(body, () => {
    const content = output?.message?.content;
    if (!Array.isArray(content)) {
      throw new SimpleAgentsError('bad-response', 'the body is not a response: it has no output');
    }
    const machine = new ConverseMachine(options);
    machine.start();
    for (const [index, block] of content.entries()) machine.addBlock(index, block as ConverseBlock);
    machine.sink.usage = decodeUsage(usage);
    machine.stop(stopReason, unknownIn(body, bodyFields));
    if (machine.sink.failure === undefined) machine.onEnd();
    if (machine.sink.failure !== undefined) throw machine.sink.failure;
    return machine.sink.take();
  });
}

/** The scanner does not know the names of events, but each has a member of its own. */
const frameScan: FrameScan<ConverseEvent> = {
  parse: (data) => JSON.parse(data) as ConverseEvent,
  scan(state, event) {
    if (event.contentBlockIndex !== undefined) state.committed = true;
    if (event.usage !== undefined) {
      state.usage = decodeUsage(event.usage);
      state.committed = state.done = true;
    }
    if (event.message !== undefined) state.failure = classifyFailure(toFailureReport(event.type ?? '', event.message));
    if (event.stopReason === undefined) return;
    state.stopReason = decodeStopReason(event.stopReason);
    if (isMalformed(event.stopReason)) state.failure = malformedOutput(event.stopReason);
  },
};
