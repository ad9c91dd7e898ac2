// The client side of Google's Gemini wire: decodes a provider's responses. `client-request.ts` encodes the requests. No I/O.
//
// A part may have a signature of the thinking that led to it, which the API wants back. It becomes the signature of the
// reasoning block before it, which has no text if the thinking is hidden. So it passes through every wire as reasoning does.

import { classifyFailure, SimpleAgentsError } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import { isRecord, omitUndefined, type JsonValue } from '../../core/json.ts';
import type { Block } from '../../core/message.ts';
import { cutError, decoderOf, EventSink, readBody, type StreamMachine } from '../decoder.ts';
import { responseExtra, unknownIn } from '../response-extra.ts';
import { SseScanner, type FrameScan } from '../scanner.ts';
import type { CountingRoute, DecodeOptions, ListingRoute, WireClient } from '../wire.ts';
import { toCitations, type GroundingMetadata } from './grounding.ts';
import { encodeRequest, findUnsupported } from './client-request.ts';
import { decodeError, reportOf } from './failure.ts';
import {
  decodeBlob,
  decodeStopReason,
  decodeUsage,
  isFailure,
  modelPath,
  modelResource,
  toCallId,
  wireName,
  type GeminiCall,
  type GeminiCandidate,
  type GeminiPart,
  type GeminiResponse,
} from './types.ts';

const counting: CountingRoute = {
  encode(request, options) {
    const { body } = encodeRequest({ ...request, stream: false }, options);
    const { contents, systemInstruction, tools } = body;
    const prompt = omitUndefined({ contents, systemInstruction, tools });
    const path = modelPath(request.model, 'countTokens');
    if (options?.quirks?.flatCount) return { path, body: prompt };
    return { path, body: { generateContentRequest: { model: modelResource(request.model), ...prompt } } };
  },
  decode: ({ totalTokens }) => totalTokens,
};

const listing: ListingRoute = {
  path: '/models?pageSize=1000',
  decode(body) {
    const models = isRecord(body) && Array.isArray(body['models']) ? body['models'] : [];
    const names = models.map((model: unknown) => (isRecord(model) ? model['name'] : undefined));
    return names.map((name: unknown) => (typeof name === 'string' ? name.replace(/^models\//, '') : undefined));
  },
};

export const gemini: WireClient = {
  name: wireName,
  path: '/models',
  counting,
  listing,
  findUnsupported,
  encodeRequest,
  decodeStream: (options) => decoderOf(new GeminiMachine(options)),
  decodeBody,
  decodeError,
  scanStream: () => new SseScanner(frameScan),
};

class GeminiMachine implements StreamMachine {
  readonly sink = new EventSink();
  readonly #provider: string | undefined;
  #started = false;
  #responseId = '';
  #nextIndex = 0;
  #calls = 0;
  /** The open text or reasoning block. */
  #current: { readonly type: 'text' | 'reasoning'; readonly index: number } | undefined;
  /** The text of the open block, for the positions of its sources. */
  #text = '';
  #grounding: GroundingMetadata | undefined;
  #finishReason: string | undefined;
  #blockReason: string | undefined;
  #hasWarnedOfCandidates = false;
  readonly #candidateExtra: Record<string, unknown> = {};
  readonly #responseExtra: Record<string, unknown> = {};
  #usageExtra: Record<string, unknown> | undefined;

  constructor(options: DecodeOptions = {}) {
    this.#provider = options.provider;
  }

  onData(data: string): void {
    // Not part of this wire, but some servers end with it.
    if (data === terminator) return this.onEnd();
    const body: unknown = JSON.parse(data);
    if (!isRecord(body)) throw new SyntaxError();
    this.chunk(body);
  }

  /** A stream that ends without a reason was cut. */
  onEnd(): void {
    if (this.#finishReason === undefined && this.#blockReason === undefined) this.sink.failure = cutError();
    else this.close();
  }

  /** Takes a chunk of a stream, or a complete body. Both have the same shape. */
  chunk(body: GeminiResponse): void {
    if (body.error) {
      this.sink.failure = classifyFailure(reportOf(body.error));
      return;
    }
    if (!this.#started) this.#start(body);
    if (body.usageMetadata) {
      this.sink.usage = decodeUsage(body.usageMetadata);
      this.#usageExtra = unknownIn(body.usageMetadata, usageFields);
    }
    Object.assign(this.#responseExtra, unknownIn(body, responseFields));
    this.#blockReason ??= body.promptFeedback?.blockReason;
    for (const candidate of body.candidates ?? []) this.#addCandidate(candidate);
  }

  close(): void {
    this.#endCurrent();
    const reason = this.#finishReason ?? this.#blockReason ?? 'STOP';
    const isBlocked = this.#finishReason === undefined && this.#blockReason !== undefined;
    const candidate = Object.keys(this.#candidateExtra).length === 0 ? undefined : this.#candidateExtra;
    const usage = this.#usageExtra;
    this.sink.emit(
      omitUndefined({
        type: 'message-end',
        stopReason: isBlocked ? 'refusal' : decodeStopReason(reason, this.sink.toolCallCount > 0),
        providerStopReason: reason,
        usage: this.sink.usage,
        extra: responseExtra(wireName, this.#responseExtra, { candidate, usage }),
      }),
    );
    this.sink.done = true;
  }

  #start({ responseId = '', modelVersion = '' }: GeminiResponse): void {
    this.#started = true;
    this.#responseId = responseId;
    this.sink.emit({ type: 'message-start', id: responseId, model: modelVersion });
  }

  #addCandidate(candidate: GeminiCandidate): void {
    if ((candidate.index ?? 0) !== 0) return this.#skipCandidate();
    this.#grounding = candidate.groundingMetadata ?? this.#grounding;
    for (const part of candidate.content?.parts ?? []) this.#addPart(part);
    Object.assign(this.#candidateExtra, unknownIn(candidate, candidateFields));
    if (candidate.finishReason === undefined) return undefined;
    this.#finishReason = candidate.finishReason;
    if (isFailure(this.#finishReason)) this.sink.failure = unusable(candidate);
    return undefined;
  }

  #skipCandidate(): void {
    if (!this.#hasWarnedOfCandidates) this.sink.warn('the provider sent several candidates; only the first is used');
    this.#hasWarnedOfCandidates = true;
  }

  #addPart(part: GeminiPart): void {
    if (part.functionCall) return this.#addCall(part.functionCall, part.thoughtSignature);
    if (typeof part.text !== 'string') return this.#addOther(part);
    const { text, thought = false, thoughtSignature: signature } = part;
    // The thinking before a text. In the middle of a text, the signature follows, so that the text stays one block.
    const isBefore = !thought && text !== '' && this.#current?.type !== 'text';
    if (signature && isBefore) this.#sign(signature);
    const type = thought ? 'reasoning' : 'text';
    if (text !== '') this.sink.emit({ type: `${type}-delta`, index: this.#indexOf(type), text });
    if (type === 'text') this.#text += text;
    if (signature && !isBefore) this.#sign(signature);
    return undefined;
  }

  /** Parts of other kinds arrive complete. */
  #addOther(part: GeminiPart): void {
    if (part.thoughtSignature) this.#sign(part.thoughtSignature);
    const { thoughtSignature: _signature, ...data } = part;
    if (Object.keys(data).length === 0) return;
    const block = (part.inlineData && decodeBlob(part.inlineData)) ?? this.#toOpaque(data);
    this.#endCurrent();
    this.sink.emit({ type: 'block-end', index: this.#nextIndex++, block });
  }

  #toOpaque(data: object): Block {
    return { type: 'opaque', origin: this.#origin, data: data as JsonValue };
  }

  #addCall({ id, name = '', args }: GeminiCall, signature: string | undefined): void {
    if (signature) this.#sign(signature);
    this.#endCurrent();
    const number = this.#calls++;
    const known = id || toCallId(this.#responseId, number);
    if (!this.sink.startToolCall(this.#nextIndex, known, name)) return;
    const index = this.#nextIndex++;
    if (args !== undefined && args !== null) {
      this.sink.emit({ type: 'tool-call-delta', index, json: JSON.stringify(args) });
    }
    this.sink.finishBlock(index);
  }

  /** The signature of the open reasoning, or of reasoning that the provider does not show. */
  #sign(signature: string): void {
    const details = { signature, origin: this.#origin };
    if (this.#current?.type === 'reasoning') {
      this.sink.finishBlock(this.#current.index, details);
      this.#current = undefined;
      return;
    }
    this.#endCurrent();
    this.sink.finishBlock(this.#nextIndex++, details);
  }

  #indexOf(type: 'text' | 'reasoning'): number {
    if (this.#current?.type === type) return this.#current.index;
    this.#endCurrent();
    const index = this.#nextIndex++;
    this.#current = { type, index };
    return index;
  }

  #endCurrent(): void {
    const citations = this.#text === '' ? undefined : toCitations(this.#grounding, this.#text);
    if (this.#current !== undefined)
      this.sink.finishBlock(this.#current.index, omitUndefined({ origin: this.#origin, citations }));
    this.#current = undefined;
    this.#text = '';
  }

  get #origin() {
    return omitUndefined({ wire: wireName, provider: this.#provider });
  }
}

const terminator = '[DONE]';
const responseFields = new Set(['candidates', 'responseId', 'modelVersion', 'usageMetadata', 'error']);
const candidateFields = new Set(['index', 'content', 'finishReason']);
const usageFields = new Set([
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
]);

/** The provider discards the text of such a call, so only another attempt helps. */
function unusable({ finishReason = '', finishMessage }: GeminiCandidate): SimpleAgentsError {
  const what = `the model wrote a response that the provider could not use (${finishReason})`;
  return new SimpleAgentsError('upstream', finishMessage ? `${what}: ${finishMessage}` : what, { code: finishReason });
}

function decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[] {
  const response = (isRecord(body) ? body : {}) as GeminiResponse;
  return readBody(body, () => {
    if (!response.error && !Array.isArray(response.candidates) && !response.promptFeedback?.blockReason) {
      throw new SimpleAgentsError('bad-response', 'the body is not a response of this wire: it has no candidates');
    }
    const machine = new GeminiMachine(options);
    machine.chunk(response);
    if (machine.sink.failure !== undefined) throw machine.sink.failure;
    machine.close();
    return machine.sink.take();
  });
}

const frameScan: FrameScan<GeminiResponse> = {
  terminator,
  parse: (data) => JSON.parse(data) as GeminiResponse,
  scan(state, body) {
    if (body.error) state.failure = classifyFailure(reportOf(body.error));
    if (body.usageMetadata) state.usage = decodeUsage(body.usageMetadata);
    const candidate = body.candidates?.find(({ index = 0 }) => index === 0);
    const parts = candidate?.content?.parts ?? [];
    if (parts.length > 0) state.committed = true;
    if (parts.some(({ functionCall }) => functionCall)) state.hasToolCalls = true;
    if (body.promptFeedback?.blockReason) state.stopReason ??= 'refusal';
    if (candidate?.finishReason === undefined) return;
    if (isFailure(candidate.finishReason)) state.failure = unusable(candidate);
    else state.stopReason = decodeStopReason(candidate.finishReason, state.hasToolCalls);
  },
};
