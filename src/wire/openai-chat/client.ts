// The client side of the OpenAI chat-completions wire: decodes a provider's responses. `client-request.ts` encodes the
// requests. No I/O.

import { classifyFailure, SimpleAgentsError, unsupportedField, type FailureReport } from '../../core/error.ts';
import type { StopReason, StreamEvent } from '../../core/event.ts';
import { omitUndefined, isRecord, type JsonValue } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { responseExtra, unknownIn } from '../response-extra.ts';
import { cutError, decoderOf, EventSink, readBody, type StreamMachine } from '../decoder.ts';
import { failureReason } from '../failure-reason.ts';
import { toImageBlock } from '../openai-content.ts';
import { SseScanner, type FrameScan } from '../scanner.ts';
import type { BodySummary, DecodeOptions, WireClient } from '../wire.ts';
import { encodeRequest, findUnsupported } from './client-request.ts';
import {
  decodeStopReason,
  decodeUsage,
  wireName,
  type OpenaiBody,
  type OpenaiDelta,
  type OpenaiError,
  type OpenaiPart,
  type OpenaiReasoningDetail,
  type OpenaiToolCall,
  type OpenaiUsage,
} from './types.ts';

export const openaiChat: WireClient = {
  name: wireName,
  path: '/chat/completions',
  findUnsupported,
  encodeRequest,
  decodeStream: (options) => decoderOf(new ChatMachine(options)),
  decodeBody,
  summarizeBody,
  decodeError,
  scanStream: () => new SseScanner(frameScan),
};

/** A tool call in progress. It has no block until its name is known. */
interface OpenCall {
  readonly id: string;
  /** The block's index, or -1 for a call that is ignored. */
  block: number | undefined;
  name: string;
  waiting: string;
}

export class ChatMachine implements StreamMachine {
  readonly sink = new EventSink();
  readonly #provider: string | undefined;
  readonly #wantsLogprobs: boolean;
  readonly #calls = new Map<number | string, OpenCall>();
  #started = false;
  #nextIndex = 0;
  /** The open text or reasoning block. Tool calls stay open to the end, because they may interleave. */
  #current: { readonly type: 'text' | 'reasoning'; readonly index: number } | undefined;
  #signature: string | undefined;
  #citations: JsonValue[] = [];
  #audio: { id: string; data: string; transcript: string } | undefined;
  #refused = false;
  #finishReason: string | undefined;
  #usageExtra: Record<string, unknown> | undefined;
  #hasWarnedOfChoices = false;

  constructor(options: DecodeOptions = {}) {
    this.#provider = options.provider;
    this.#wantsLogprobs = options.logprobs === true;
  }

  onData(data: string): void {
    if (data === '[DONE]') return this.onEnd();
    const body: unknown = JSON.parse(data);
    if (!isRecord(body)) throw new SyntaxError();
    this.chunk(body);
  }

  /** A stream that ends without a stop reason was cut. */
  onEnd(): void {
    if (this.#finishReason === undefined) this.sink.failure = cutError();
    else this.close();
  }

  /** Takes a chunk of a stream, or a complete body. Both have the same shape. */
  chunk(body: OpenaiBody): void {
    if (body.error) {
      this.sink.failure = classifyFailure(withResponse(body.error));
      return;
    }
    if (body.usage) {
      this.sink.usage = decodeUsage(body.usage);
      this.#usageExtra = usageExtra(body.usage);
    }
    const choices = body.choices;
    if (choices === undefined || choices.length === 0) return;
    if (!this.#started) this.#start(body);
    for (const choice of choices) {
      if (choice.index !== undefined && choice.index !== 0) {
        this.#skipChoice();
        continue;
      }
      const delta = choice.delta ?? choice.message;
      if (this.#wantsLogprobs && delta?.content && !choice.logprobs) throw withoutLogprobs();
      if (delta) this.#add(delta);
      if (typeof choice.finish_reason === 'string') this.#finishReason = choice.finish_reason;
      if (choice.error) this.sink.failure = classifyFailure(withResponse(choice.error));
    }
  }

  close(): void {
    if (!this.#started) this.#start({});
    this.#endCurrent();
    for (const call of this.#calls.values()) this.#endCall(call);
    this.#endAudio();
    const reason: StopReason = this.#refused
      ? 'refusal'
      : decodeStopReason(this.#finishReason ?? 'stop', this.#finishReason !== undefined && this.sink.toolCallCount > 0);
    this.sink.emit(
      omitUndefined({
        type: 'message-end',
        stopReason: reason,
        providerStopReason: this.#finishReason,
        usage: this.sink.usage,
        extra: this.#usageExtra && { wire: wireName, members: { usage: this.#usageExtra } },
      }),
    );
    this.sink.done = true;
  }

  #start(body: OpenaiBody): void {
    this.#started = true;
    const { id = '', model = '' } = body;
    this.sink.emit(
      omitUndefined({ type: 'message-start', id, model, extra: responseExtra(wireName, unknownIn(body, bodyFields)) }),
    );
  }

  #skipChoice(): void {
    if (!this.#hasWarnedOfChoices) this.sink.warn('the provider sent several choices; only the first is used');
    this.#hasWarnedOfChoices = true;
  }

  #add(delta: OpenaiDelta): void {
    const reasoning = delta.reasoning_content || delta.reasoning;
    if (reasoning) this.#addReasoning(reasoning);
    if (delta.reasoning_details) this.#addDetails(delta.reasoning_details, Boolean(reasoning));
    if (delta.content) this.#addContent(delta.content);
    if (delta.refusal) {
      this.#refused = true;
      this.#addText(delta.refusal);
    }
    if (delta.annotations) this.#citations.push(...delta.annotations);
    if (delta.tool_calls) for (const call of delta.tool_calls) this.#addCall(call);
    if (delta.audio) this.#addAudio(delta.audio);
    if (delta.images) for (const image of delta.images) this.#addImage(image.image_url?.url);
  }

  #addContent(content: string | readonly OpenaiPart[]): void {
    if (typeof content === 'string') return this.#addText(content);
    for (const { type, text, thinking } of content) {
      if (type === 'text' && text) this.#addText(text);
      if (type === 'thinking') for (const part of thinking ?? []) if (part.text) this.#addReasoning(part.text);
    }
  }

  #addText(text: string): void {
    this.sink.emit({ type: 'text-delta', index: this.#indexOf('text'), text });
  }

  #addReasoning(text: string): void {
    this.sink.emit({ type: 'reasoning-delta', index: this.#indexOf('reasoning'), text });
  }

  /** The same text often arrives twice, plain and in the details. The plain form is used. */
  #addDetails(details: readonly OpenaiReasoningDetail[], hasPlainText: boolean): void {
    for (const detail of details) {
      const text = detail.text ?? detail.summary;
      if (text && !hasPlainText) this.#addReasoning(text);
      if (detail.signature) this.#sign(detail.signature);
      if (detail.type === 'reasoning.encrypted' && detail.data !== undefined) this.#addRedacted(detail.data);
    }
  }

  #sign(signature: string): void {
    this.#indexOf('reasoning');
    this.#signature = signature;
  }

  #addRedacted(redacted: string): void {
    this.#endCurrent();
    const block = { type: 'reasoning', text: '', redacted, origin: this.#origin } as const;
    this.sink.emit({ type: 'block-end', index: this.#nextIndex++, block });
  }

  #addAudio(audio: NonNullable<OpenaiDelta['audio']>): void {
    this.#audio ??= { id: '', data: '', transcript: '' };
    this.#audio.id ||= audio.id ?? '';
    this.#audio.data += audio.data ?? '';
    this.#audio.transcript += audio.transcript ?? '';
  }

  #addImage(url: string | undefined): void {
    const block = toImageBlock(url);
    if (block === undefined) return this.sink.warn('the provider sent an image without a URL; it was ignored');
    this.#endCurrent();
    this.sink.emit({ type: 'block-end', index: this.#nextIndex++, block });
  }

  #addCall(part: OpenaiToolCall): void {
    const call = this.#callOf(part);
    if (call === undefined) {
      this.sink.warn('the provider sent a part of a tool call without an index and an id; it was ignored');
      return;
    }
    call.name ||= part.function?.name ?? '';
    call.waiting += part.function?.arguments ?? '';
    if (call.name !== '') this.#flushCall(call);
  }

  /**
   * Calls are distinguished by index. Some vendors leave the index out, or give every call the index 0, and send each call
   * complete with its own id: a new id is a new call. Others create a new id for every part, but only the first part of a
   * call has a name.
   */
  #callOf({ index, id, function: called }: OpenaiToolCall): OpenCall | undefined {
    const key = index ?? id;
    if (key === undefined || key === null) return undefined;
    const known = this.#calls.get(key);
    if (known !== undefined && (!id || id === known.id || !called?.name)) return known;
    const call: OpenCall = { id: id || `call_${this.#calls.size}`, block: undefined, name: '', waiting: '' };
    if (known !== undefined) {
      this.#endCall(known);
      this.#calls.delete(key);
    }
    this.#calls.set(key, call);
    return call;
  }

  #flushCall(call: OpenCall): void {
    if (call.block === undefined) {
      this.#endCurrent();
      call.block = this.sink.startToolCall(this.#nextIndex, call.id, call.name) ? this.#nextIndex++ : -1;
    }
    if (call.block !== -1 && call.waiting !== '') {
      this.sink.emit({ type: 'tool-call-delta', index: call.block, json: call.waiting });
    }
    call.waiting = '';
  }

  #indexOf(type: 'text' | 'reasoning'): number {
    if (this.#current?.type === type) return this.#current.index;
    this.#endCurrent();
    const index = this.#nextIndex++;
    this.#current = { type, index };
    return index;
  }

  #endCurrent(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.sink.finishBlock(
      current.index,
      omitUndefined({ signature: this.#signature, citations: this.#citations, origin: this.#origin }),
    );
    this.#signature = undefined;
    this.#citations = [];
  }

  #endCall(call: OpenCall): void {
    if (call.block === undefined)
      this.sink.warn(`the provider sent the tool call ${call.id} without a name; it was ignored`);
    else if (call.block !== -1) this.sink.finishBlock(call.block);
  }

  #endAudio(): void {
    if (this.#audio === undefined) return;
    const block = { type: 'audio', format: 'unknown', ...this.#audio } as const;
    this.sink.emit({ type: 'block-end', index: this.#nextIndex++, block });
  }

  get #origin() {
    return omitUndefined({ wire: wireName, provider: this.#provider });
  }
}

/** `obfuscation` is padding. */
const bodyFields = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'obfuscation']);
const usageFields = new Set([
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_tokens_details',
  'completion_tokens_details',
]);

const promptFields = new Set(['cached_tokens', 'cache_write_tokens']);
const completionFields = new Set(['reasoning_tokens']);

/** Counts that `Usage` does not have, such as those of audio. */
function usageExtra(usage: OpenaiUsage): Record<string, unknown> | undefined {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  const members: Record<string, unknown> = omitUndefined({
    ...unknownIn(usage, usageFields),
    prompt_tokens_details: unknownIn(prompt, promptFields),
    completion_tokens_details: unknownIn(completion, completionFields),
  });
  return Object.keys(members).length === 0 ? undefined : members;
}

/** Some servers accept the field and ignore it. */
function withoutLogprobs(): SimpleAgentsError {
  const message = 'logprobs: this model returned no log probabilities; leave the field out';
  return new SimpleAgentsError('bad-request', message, { field: 'logprobs', code: unsupportedField });
}

function decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[] {
  const completion = (isRecord(body) ? body : {}) as OpenaiBody;
  return readBody(body, () => {
    const choice = completion.choices?.[0];
    if (!completion.error && !choice?.error && !isRecord(choice?.message)) {
      throw new SimpleAgentsError(
        'bad-response',
        'the body is not a chat completion: it has no message in its choices',
      );
    }
    const machine = new ChatMachine(options);
    machine.chunk(completion);
    if (machine.sink.failure !== undefined) throw machine.sink.failure;
    machine.close();
    return machine.sink.take();
  });
}

/** For a body with text and nothing else. */
function summarizeBody(body: unknown): BodySummary | undefined {
  const { choices, usage, error } = (isRecord(body) ? body : {}) as OpenaiBody;
  const choice = Array.isArray(choices) && choices.length === 1 ? (choices as OpenaiBody['choices'])?.[0] : undefined;
  const { message, finish_reason: reason } = choice ?? {};
  if (error || choice?.error || choice?.index || !isRecord(message) || typeof reason !== 'string') return undefined;
  const isText = typeof message['content'] === 'string' && message['content'] !== '';
  if (!isText || otherContent.some((member) => isPresent(message[member]))) return undefined;
  return { stopReason: decodeStopReason(reason, false), usage: isRecord(usage) ? decodeUsage(usage) : noUsage };
}

function isPresent(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Members of a message with content other than text. */
const otherContent = [
  'refusal',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'tool_calls',
  'annotations',
  'audio',
  'images',
];

/** Some vendors leave out the enclosing `error`, some send `detail` instead, and one wraps everything in a list. */
function decodeError(body: unknown): FailureReport {
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(outer)) return reportOf(undefined);
  return reportOf(outer['error'] ?? (outer['message'] === undefined ? outer['detail'] : outer));
}

/** The code may be a string, an object or an HTTP status. */
function reportOf(error: unknown): FailureReport {
  const { type, code, param } = (isRecord(error) ? error : {}) as OpenaiError;
  return omitUndefined({
    message: failureReason(error),
    type: type ?? undefined,
    code: typeof code === 'string' ? code : undefined,
    field: param ?? undefined,
    status: typeof code === 'number' && code >= 400 && code < 600 ? code : undefined,
  });
}

/** An error inside a successful response. */
function withResponse(error: unknown): FailureReport {
  const body = { error: error as JsonValue };
  return isRecord(error) ? { ...reportOf(error), response: { wire: wireName, body } } : reportOf(error);
}

export const frameScan: FrameScan<OpenaiBody> = {
  terminator: '[DONE]',
  parse: (data) => JSON.parse(data) as OpenaiBody,
  scan(state, body) {
    if (body.error) state.failure = classifyFailure(reportOf(body.error));
    if (body.usage) state.usage = decodeUsage(body.usage);
    const [choice] = body.choices ?? [];
    if (choice === undefined) return;
    if (hasContent(choice.delta)) state.committed = true;
    if (choice.delta?.tool_calls?.length) state.hasToolCalls = true;
    if (choice.delta?.refusal) state.refused = true;
    if (choice.error) state.failure = classifyFailure(reportOf(choice.error));
    if (typeof choice.finish_reason === 'string') {
      state.stopReason = state.refused ? 'refusal' : decodeStopReason(choice.finish_reason, state.hasToolCalls);
    }
  },
};

function hasContent(delta: OpenaiDelta | undefined): boolean {
  if (!delta) return false;
  const { content, refusal, reasoning_content: thought, reasoning, tool_calls: calls } = delta;
  return Boolean(content || refusal || thought || reasoning || calls?.length || delta.reasoning_details?.length);
}
