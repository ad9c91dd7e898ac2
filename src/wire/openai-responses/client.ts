// The client side of the OpenAI Responses wire: decodes a provider's responses. `client-request.ts` encodes the requests.
// No I/O.

import { classifyFailure, SimpleAgentsError, unsupportedField, type FailureReport } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import { isRecord, omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import { decoderOf, cutError, EventSink, readBody, type StreamMachine } from '../decoder.ts';
import { failureReason } from '../failure-reason.ts';
import { countingRoute } from '../provider-lists.ts';
import { responseExtra, unknownIn } from '../response-extra.ts';
import { SseScanner, type FrameScan } from '../scanner.ts';
import type { DecodeOptions, WireClient } from '../wire.ts';
import { encodeRequest, findUnsupported } from './client-request.ts';
import { echoedNames } from './response-object.ts';
import { decodeImageItem } from './image-item.ts';
import {
  decodeStopReason,
  decodeUsage,
  joinParts,
  logprobsValue,
  partSeparator,
  wireName,
  type ResponsesBody,
  type ResponsesError,
  type ResponsesEvent,
  type ResponsesItem,
} from './types.ts';

export const openaiResponses: WireClient = {
  name: wireName,
  path: '/responses',
  counting: countingRoute('/v1/responses/input_tokens', encodeRequest, [
    'model',
    'input',
    'instructions',
    'tools',
    'tool_choice',
    'text',
    'reasoning',
    'parallel_tool_calls',
  ]),
  findUnsupported,
  encodeRequest,
  decodeStream: (options) => decoderOf(new ResponsesMachine(options)),
  decodeBody,
  decodeError,
  scanStream: () => new SseScanner(frameScan),
};

/** An item in progress. */
interface StreamingItem {
  readonly kind: 'message' | 'reasoning' | 'function' | 'custom' | 'whole' | 'skipped';
  /** As sent at its start. */
  readonly item: ResponsesItem;
  /** The block of each content part. Items other than messages have one block, at 0. */
  readonly blocks: Map<number, number>;
  readonly citations: Map<number, JsonValue[]>;
  /** Whether text or arguments have been streamed. */
  hasDeltas: boolean;
  /** The part of the reasoning that was streamed last. */
  part: string | undefined;
}

class ResponsesMachine implements StreamMachine {
  readonly sink = new EventSink();
  readonly #provider: string | undefined;
  readonly #items = new Map<number, StreamingItem>();
  #started = false;
  #hasItems = false;
  #nextIndex = 0;
  #refused = false;
  /** Until the first text has shown that the provider sends log probabilities. */
  #wantsLogprobs: boolean;

  constructor(options: DecodeOptions = {}) {
    this.#provider = options.provider;
    this.#wantsLogprobs = options.logprobs === true;
  }

  onData(data: string): void {
    // Not part of this wire, but some servers end with it.
    if (data === '[DONE]') return this.onEnd();
    const event = JSON.parse(data) as ResponsesEvent;
    if (!isRecord(event)) throw new SyntaxError();
    switch (event.type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        if (!this.#started) this.start(event.response ?? {});
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.finish(event.response ?? {}, event.type);
        break;
      case 'error':
        this.sink.failure = classifyFailure(reportOf(isRecord(event.error) ? event.error : event));
        break;
      default:
        this.#onItemEvent(event);
    }
  }

  /** The last event carries the stop reason, so a stream without it was cut. */
  onEnd(): void {
    this.sink.failure = cutError();
  }

  start(body: ResponsesBody): void {
    this.#started = true;
    const { id = '', model = '' } = body;
    const extra = responseExtra(wireName, unknownIn(body, bodyFields));
    this.sink.emit(omitUndefined({ type: 'message-start', id, model, extra }));
  }

  /** Takes the complete response: at the end of a stream, or as a plain body. */
  finish(body: ResponsesBody, type = ''): void {
    const failure = failureOf(body, type);
    if (body.usage) this.sink.usage = decodeUsage(body.usage);
    if (failure !== undefined) {
      this.sink.failure = failure;
      return;
    }
    if (!this.#started) this.start(body);
    this.#closeAll(body.output ?? []);
    const stopReason = decodeStopReason(body, this.#refused, this.sink.toolCallCount > 0);
    const usage = unknownIn(body.usage, usageFields);
    const hasUsage = usage !== undefined;
    this.sink.emit(
      omitUndefined({
        type: 'message-end',
        stopReason,
        providerStopReason: body.incomplete_details?.reason ?? body.status,
        usage: this.sink.usage,
        extra: responseExtra(wireName, unknownIn(body, bodyFields), hasUsage ? { usage } : undefined),
      }),
    );
    this.sink.done = true;
  }

  #onItemEvent(event: ResponsesEvent): void {
    const { type = '', output_index: index } = event;
    if (!itemEvents.has(type)) return;
    if (typeof index !== 'number') {
      this.sink.warn(`the provider sent the event ${type} without an output index; it was ignored`);
      return;
    }
    if (!this.#started) this.start({});
    switch (type) {
      case 'response.output_item.added':
        this.#open(index, event.item ?? {});
        break;
      case 'response.output_item.done':
        if (!this.#items.has(index)) this.#open(index, event.item ?? {});
        this.#close(index, event.item);
        break;
      case 'response.output_text.annotation.added':
        this.#addCitation(index, event);
        break;
      default:
        if (event.delta) this.#addDelta(type, index, event);
    }
  }

  #open(index: number, item: ResponsesItem): StreamingItem {
    this.#hasItems = true;
    const kind = this.#kindOf(item);
    const open = { kind, item, blocks: new Map(), citations: new Map(), hasDeltas: false, part: undefined };
    this.#items.set(index, open);
    // The place of the block is fixed when the item begins. Messages get one for each part.
    if (kind !== 'message' && kind !== 'skipped') this.#blockOf(open, 0);
    return open;
  }

  #kindOf(item: ResponsesItem): StreamingItem['kind'] {
    if (item.type === 'message' || item.type === 'reasoning') return item.type;
    if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return 'whole';
    const id = item.call_id ?? item.id ?? `call_${this.#nextIndex}`;
    if (!this.sink.startToolCall(this.#nextIndex, id, item.name ?? '')) return 'skipped';
    return item.type === 'function_call' ? 'function' : 'custom';
  }

  #blockOf(open: StreamingItem, part: number): number {
    const known = open.blocks.get(part);
    if (known !== undefined) return known;
    const index = this.#nextIndex++;
    open.blocks.set(part, index);
    return index;
  }

  #addDelta(type: string, index: number, event: ResponsesEvent): void {
    const open = this.#items.get(index) ?? this.#open(index, { type: implicitTypes[type] ?? 'message' });
    const { delta = '', content_index: part = 0, summary_index: paragraph } = event;
    if (open.kind === 'message') {
      if (type === 'response.refusal.delta') this.#refused = true;
      else this.#checkLogprobs(event.logprobs);
      this.sink.emit({ type: 'text-delta', index: this.#blockOf(open, part), text: delta });
    } else if (open.kind === 'reasoning') {
      this.#addReasoning(open, paragraph === undefined ? `content ${part}` : `summary ${paragraph}`, delta);
    } else if (open.kind === 'function' || open.kind === 'custom') {
      const json = open.kind === 'function' ? delta : customPrefix(open) + JSON.stringify(delta).slice(1, -1);
      this.sink.emit({ type: 'tool-call-delta', index: this.#blockOf(open, 0), json });
    }
    open.hasDeltas = true;
  }

  #checkLogprobs(logprobs: readonly unknown[] | undefined): void {
    if (this.#wantsLogprobs && !logprobs?.length) throw withoutLogprobs();
    this.#wantsLogprobs = false;
  }

  #addReasoning(open: StreamingItem, part: string, delta: string): void {
    const separator = open.part === undefined || open.part === part ? '' : partSeparator;
    open.part = part;
    this.sink.emit({ type: 'reasoning-delta', index: this.#blockOf(open, 0), text: separator + delta });
  }

  #addCitation(index: number, { content_index: part = 0, annotation }: ResponsesEvent): void {
    const { citations } = this.#items.get(index) ?? {};
    if (annotation !== undefined) citations?.set(part, [...(citations.get(part) ?? []), annotation]);
  }

  /** Without `done`, the item was cut off, or the provider did not send its end. */
  #close(index: number, done: ResponsesItem | undefined): void {
    const open = this.#items.get(index);
    if (open === undefined) return;
    this.#items.delete(index);
    const item = done ?? open.item;
    if (open.kind === 'message') this.#closeMessage(open, item);
    else if (open.kind === 'reasoning') this.#closeReasoning(open, item);
    else if (open.kind === 'whole') this.#closeWhole(open, item);
    else if (open.kind !== 'skipped') this.#closeCall(open, item, done !== undefined);
  }

  /** A part without deltas is taken from the finished item. */
  #closeMessage(open: StreamingItem, { content }: ResponsesItem): void {
    for (const [part, { text, refusal, logprobs }] of (content ?? []).entries()) {
      const words = text ?? refusal;
      if (refusal) this.#refused = true;
      else if (text) this.#checkLogprobs(logprobs);
      if (!open.blocks.has(part) && words)
        this.sink.emit({ type: 'text-delta', index: this.#blockOf(open, part), text: words });
    }
    for (const [part, index] of open.blocks) {
      const annotations = content?.[part]?.annotations;
      const citations = annotations?.length ? annotations : open.citations.get(part);
      this.sink.finishBlock(index, omitUndefined({ citations }));
    }
  }

  #closeReasoning(open: StreamingItem, item: ResponsesItem): void {
    const text = [joinParts(item.summary), joinParts(item.content)].filter((part) => part !== '').join(partSeparator);
    if (!open.hasDeltas && text !== '') this.#addReasoning(open, '', text);
    const details = { signature: item.encrypted_content ?? undefined, extra: reasoningExtra(item) };
    this.sink.finishBlock(this.#blockOf(open, 0), omitUndefined({ ...details, origin: this.#origin }));
  }

  /** An item that no deltas describe. */
  #closeWhole(open: StreamingItem, item: ResponsesItem): void {
    const opaque = { type: 'opaque', origin: this.#origin, data: item as JsonObject } as const;
    const block = decodeImageItem(item) ?? opaque;
    this.sink.emit({ type: 'block-end', index: this.#blockOf(open, 0), block });
  }

  #closeCall(open: StreamingItem, item: ResponsesItem, isDone: boolean): void {
    const index = this.#blockOf(open, 0);
    const json = open.hasDeltas ? closingText(open, isDone) : wholeArguments(open, item);
    if (json !== '') this.sink.emit({ type: 'tool-call-delta', index, json });
    this.sink.finishBlock(index);
  }

  /** Items that the stream did not send, or did not finish, are taken from the complete response. */
  #closeAll(output: readonly ResponsesItem[]): void {
    const hasStreamed = this.#hasItems;
    for (const [index, open] of this.#items) this.#close(index, matching(output[index], open));
    if (hasStreamed) return;
    for (const [index, item] of output.entries()) {
      this.#open(index, item);
      this.#close(index, item);
    }
  }

  get #origin() {
    return omitUndefined({ wire: wireName, provider: this.#provider });
  }
}

const itemEvents: ReadonlySet<string> = new Set([
  'response.output_item.added',
  'response.output_item.done',
  'response.output_text.delta',
  'response.output_text.annotation.added',
  'response.refusal.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
]);

/** The item of a delta that arrived without a start, so that its text is not lost. */
const implicitTypes: Readonly<Record<string, string>> = {
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.reasoning_text.delta': 'reasoning',
  'response.function_call_arguments.delta': 'function_call',
  'response.custom_tool_call_input.delta': 'custom_tool_call',
};

/** The input of a custom tool is text; its call gets the arguments `{"input": TEXT}`. */
function customPrefix({ hasDeltas }: StreamingItem): string {
  return hasDeltas ? '' : '{"input":"';
}

function closingText({ kind }: StreamingItem, isDone: boolean): string {
  return kind === 'custom' && isDone ? '"}' : '';
}

function wholeArguments({ kind }: StreamingItem, { arguments: json = '', input = '' }: ResponsesItem): string {
  return kind === 'custom' ? JSON.stringify({ input }) : json;
}

function matching(item: ResponsesItem | undefined, open: StreamingItem): ResponsesItem | undefined {
  return item?.type === open.item.type && item?.id === open.item.id ? item : undefined;
}

/** The id, and the parts if they cannot be restored from the text. */
function reasoningExtra(item: ResponsesItem): { wire: string; members: Record<string, unknown> } | undefined {
  const { id, summary, content } = item;
  const isPlain = (summary?.length ?? 0) <= 1 && !content?.length;
  return responseExtra(wireName, { id }, isPlain ? undefined : { summary, content });
}

/** The fields that an encoded response gets from the events or from the client's own request. */
const bodyFields = new Set([
  'id',
  'object',
  'created_at',
  'completed_at',
  'model',
  'status',
  'output',
  'output_text',
  'usage',
  'error',
  'incomplete_details',
  'conversation',
  ...echoedNames,
]);
const usageFields = new Set([
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'input_tokens_details',
  'output_tokens_details',
]);

/** Some servers accept the value and ignore it. */
function withoutLogprobs(): SimpleAgentsError {
  const message = `include: this model returned no log probabilities; leave out ${logprobsValue}`;
  return new SimpleAgentsError('bad-request', message, { field: 'include', code: unsupportedField });
}

function failureOf(body: ResponsesBody, type: string): SimpleAgentsError | undefined {
  if (body.error || type === 'response.failed' || body.status === 'failed')
    return classifyFailure(reportOf(body.error));
  if (type !== 'response.cancelled' && body.status !== 'cancelled') return undefined;
  return classifyFailure({ type: 'server_error', message: 'the provider cancelled the response' });
}

function decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[] {
  const response = (isRecord(body) ? body : {}) as ResponsesBody;
  return readBody(body, () => {
    if (!response.error && !Array.isArray(response.output)) {
      throw new SimpleAgentsError('bad-response', 'the body is not a response: it has no output');
    }
    const machine = new ResponsesMachine(options);
    machine.finish(response);
    if (machine.sink.failure !== undefined) throw machine.sink.failure;
    return machine.sink.take();
  });
}

/** Some servers leave out the enclosing `error`. */
function decodeError(body: unknown): FailureReport {
  if (!isRecord(body)) return reportOf(undefined);
  return reportOf(body['error'] ?? (body['message'] === undefined ? body['detail'] : body));
}

/** A failed response has only a code. These codes, and those of images, mean a fault of the request. */
const requestFaults =
  /^(?:invalid_|image_|unsupported_|empty_|failed_to_download_|bio_policy|.*_violation$|.*_mismatch$)/;

function reportOf(error: unknown): FailureReport {
  const { type, code, param } = (isRecord(error) ? error : {}) as ResponsesError;
  // In an `error` event, `type` may be the type of the event.
  const named = type === 'error' ? undefined : type;
  const isFault = typeof code === 'string' && requestFaults.test(code);
  return omitUndefined({
    message: failureReason(error),
    type: named ?? (isFault ? 'invalid_request_error' : undefined),
    code: code ?? undefined,
    field: param ?? undefined,
  });
}

const callTypes = ['function_call', 'custom_tool_call'];

const frameScan: FrameScan<ResponsesEvent> = {
  parse: (data) => JSON.parse(data) as ResponsesEvent,
  terminator: '[DONE]',
  scan(state, event) {
    const { type = '', item, response = {} } = event;
    if (isContentFrame(event)) state.committed = true;
    if (callTypes.includes(item?.type ?? '')) state.hasToolCalls = true;
    if (type === 'response.refusal.delta') state.refused = true;
    if (type === 'error') state.failure = classifyFailure(reportOf(isRecord(event.error) ? event.error : event));
    if (!finalEvents.has(type)) return;
    if (response.usage) state.usage = decodeUsage(response.usage);
    state.failure = failureOf(response, type);
    if (state.failure !== undefined) return;
    const hasCalls = state.hasToolCalls || response.output?.some((entry) => callTypes.includes(entry.type ?? ''));
    state.stopReason = decodeStopReason(response, state.refused || hasRefusal(response), hasCalls === true);
    state.done = true;
  },
};

const finalEvents: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);

function hasRefusal({ output = [] }: ResponsesBody): boolean {
  return output.some(({ content }) => Array.isArray(content) && content.some(({ refusal }) => Boolean(refusal)));
}

function isContentFrame({ type = '', item, delta }: ResponsesEvent): boolean {
  if (type === 'response.output_item.added') return callTypes.includes(item?.type ?? '');
  return type === 'response.output_item.done' || (itemEvents.has(type) && Boolean(delta));
}
