// The server side of Google's Gemini wire: encodes responses for our own clients. `server-request.ts` decodes their
// requests.
// Normalization, so that decode(encode(events)) = events: blocks are numbered in the order they begin, and adjacent texts
// become one; `stop-sequence` and `pause` read back as `end`, and `end` with tool calls as `tool-calls`; tokens that were
// written to the cache count as input; a call is sent when it is complete, with its arguments as an object; blocks of
// other wires and citations are left out; notices are not sent.

import type { AssembledMessage } from '../../core/assembler.ts';
import { isForbidden, type ErrorKind, type SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, MessageEnd, StreamEvent } from '../../core/event.ts';
import { isRecord, omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Block, ReasoningBlock } from '../../core/message.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import { ownResponse, statusOf, type EncodedError } from '../error-response.ts';
import { costMember, membersFor } from '../response-extra.ts';
import { encodeSse } from '../sse.ts';
import type { EncodeResponseOptions, StreamEncoder, WireServer } from '../wire.ts';
import { camelCased } from './camel-case.ts';
import { addReport, GeminiFrames } from './frames.ts';
import { PartList } from './part-list.ts';
import { decodeRequest } from './server-request.ts';
import { encodeSignature } from './signature.ts';
import {
  encodeArguments,
  encodeBlob,
  encodeStopReason,
  modelMethods,
  modelResource,
  usageMember,
  wireName,
} from './types.ts';

export const geminiServer: WireServer = {
  name: wireName,
  requestIdHeader: 'x-request-id',
  versionHeader: 'x-goog-api-client',
  keyParameter: 'key',
  fieldNames: {
    choices: 'generationConfig.candidateCount',
    n: 'generationConfig.candidateCount',
    maxTokens: 'generationConfig.maxOutputTokens',
    messages: 'contents',
    reasoning: 'generationConfig.thinkingConfig',
    responseFormat: 'generationConfig.responseMimeType',
    seed: 'generationConfig.seed',
    stop: 'generationConfig.stopSequences',
    temperature: 'generationConfig.temperature',
    toolChoice: 'toolConfig',
    topP: 'generationConfig.topP',
  },
  decodeRequest,
  encodeStream: (options) => new GeminiEncoder(options),
  encodeOptionsOf: (body) => ({ hidesReasoning: !includesThoughts(body) }),
  passStream: () => new GeminiFrames(),
  keepAlive: '\n\n',
  addReport,
  encodeBody,
  encodeError,
  encodeModel,
  encodeModels: (models, hasMore = false) =>
    omitUndefined({ models: models.map(encodeModel), nextPageToken: hasMore ? models.at(-1)?.id : undefined }),
};

/** Thoughts are shown only on request, and their signatures always. */
function includesThoughts(body: unknown): boolean {
  const { generationConfig, generation_config: snake } = isRecord(body) ? body : {};
  const config = camelCased(generationConfig ?? snake);
  const thinking = isRecord(config) ? config['thinkingConfig'] : undefined;
  return isRecord(thinking) && thinking['includeThoughts'] === true;
}

/** A block in progress. Text and reasoning are sent as they arrive, a call when it and all calls before it are complete. */
interface OpenBlock {
  readonly isCall: boolean;
  /** The parts of a complete call. */
  parts: readonly JsonObject[] | undefined;
}

class GeminiEncoder implements StreamEncoder {
  readonly includesUsage = true;
  readonly #open = new Map<number, OpenBlock>();
  /** A signature that the next part gets. */
  #signature: { readonly thoughtSignature: string; readonly thought?: true } | undefined;
  #tail = '}';
  readonly #hidesReasoning: boolean;

  constructor({ hidesReasoning = false }: EncodeResponseOptions = {}) {
    this.#hidesReasoning = hidesReasoning;
  }

  push(event: StreamEvent, cost?: number): string {
    switch (event.type) {
      case 'text-delta':
        this.#begin(event.index);
        return this.#send([{ text: event.text }]);
      case 'reasoning-delta':
        return this.#hidesReasoning ? '' : this.#think(event.index, event.text);
      case 'tool-call-start':
        this.#open.set(event.index, { isCall: true, parts: undefined });
        return '';
      case 'tool-call-delta':
        return '';
      case 'block-end':
        return this.#endBlock(event);
      case 'message-start':
        this.#tail = `,${JSON.stringify({ modelVersion: event.model, responseId: event.id }).slice(1)}`;
        return '';
      case 'message-end':
        return this.#end(event, cost);
      case 'notice':
        return '';
    }
  }

  fail(error: SimpleAgentsError): string {
    return encodeSse(JSON.stringify(encodeError(error).body));
  }

  #begin(index: number): void {
    if (!this.#open.has(index)) this.#open.set(index, { isCall: false, parts: undefined });
  }

  #think(index: number, text: string): string {
    const signed = this.#open.has(index) ? '' : this.#flushSignature();
    this.#begin(index);
    return signed + this.#frame([{ text, thought: true }]);
  }

  #endBlock({ index, block }: BlockEnd): string {
    const open = this.#open.get(index);
    if (block.type === 'reasoning') return this.#endReasoning(index, block);
    if (open?.isCall !== true) {
      this.#open.delete(index);
      return open === undefined ? this.#send(encodeBlock(block)) : '';
    }
    open.parts = encodeBlock(block);
    return this.#sendCalls();
  }

  #endReasoning(index: number, block: ReasoningBlock): string {
    const isUnsent = !this.#open.has(index);
    const isShown = block.text !== '' && !this.#hidesReasoning;
    const text = isUnsent && isShown ? this.#think(index, block.text) : isUnsent ? this.#flushSignature() : '';
    this.#open.delete(index);
    const thoughtSignature = encodeSignature(block);
    if (thoughtSignature !== undefined) this.#signature = { thoughtSignature, ...(isShown ? { thought: true } : {}) };
    return text;
  }

  /** Calls are sent in the order in which they began. */
  #sendCalls(): string {
    let text = '';
    for (const [index, { isCall, parts }] of this.#open) {
      if (!isCall) continue;
      if (parts === undefined) break;
      this.#open.delete(index);
      text += this.#send(parts);
    }
    return text;
  }

  #send(parts: readonly JsonObject[]): string {
    const [first, ...others] = parts;
    if (first === undefined) return '';
    const { thoughtSignature } = this.#signature ?? {};
    this.#signature = undefined;
    return this.#frame(thoughtSignature === undefined ? parts : [{ ...first, thoughtSignature }, ...others]);
  }

  /** Sends a signature that no part follows. */
  #flushSignature(): string {
    const signature = this.#signature;
    this.#signature = undefined;
    return signature === undefined ? '' : this.#frame([{ text: '', ...signature }]);
  }

  #frame(parts: readonly JsonObject[]): string {
    const content = `{"parts":${JSON.stringify(parts)},"role":"model"}`;
    return `data: {"candidates":[{"content":${content},"index":0}]${this.#tail}\n\n`;
  }

  #end({ stopReason, providerStopReason, usage, extra }: MessageEnd, cost: number | undefined): string {
    const { candidate, usage: more, ...own } = membersFor(extra, wireName);
    const last = {
      content: { parts: [{ text: '' }], role: 'model' },
      finishReason: encodeStopReason(stopReason, providerStopReason),
      index: 0,
      ...(candidate as object),
    };
    const counted = usageMember(usage, { ...(more as object), ...costMember(cost) });
    const body = JSON.stringify({ candidates: [last], ...counted, ...own }).slice(0, -1);
    return `${this.#flushSignature()}data: ${body}${this.#tail}\n\n`;
  }
}

function encodeBlock(block: Block): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ text: block.text }];
    case 'tool-call':
      return [{ functionCall: { id: block.id, name: block.name, args: encodeArguments(block) } }];
    case 'image':
      return block.source.kind === 'base64' ? [encodeBlob(block.source.mediaType, block.source.data)] : [];
    case 'audio':
      return [encodeBlob(`audio/${block.format}`, block.data)];
    case 'opaque':
      return block.origin.wire === wireName ? [block.data as JsonObject] : [];
    default:
      return [];
  }
}

function encodeBody(message: AssembledMessage, { hidesReasoning }: EncodeResponseOptions = {}): JsonObject {
  const { candidate, usage, ...own } = membersFor(message.answerExtra, wireName);
  const parts = new PartList();
  for (const block of message.content) {
    if (block.type === 'reasoning') parts.addReasoning(hidesReasoning ? '' : block.text, encodeSignature(block));
    else parts.add(encodeBlock(block));
  }
  const first = {
    content: { parts: parts.end(), role: 'model' },
    finishReason: encodeStopReason(message.stopReason ?? 'end', message.providerStopReason),
    index: 0,
    ...(candidate as object),
  };
  return {
    candidates: [first],
    ...usageMember(message.usage, usage as object),
    modelVersion: message.model,
    responseId: message.id,
    ...(own as JsonObject),
  };
}

const statuses: Readonly<Record<ErrorKind, string>> = {
  'bad-request': 'INVALID_ARGUMENT',
  'context-overflow': 'INVALID_ARGUMENT',
  auth: 'UNAUTHENTICATED',
  quota: 'RESOURCE_EXHAUSTED',
  'not-found': 'NOT_FOUND',
  'rate-limit': 'RESOURCE_EXHAUSTED',
  overloaded: 'UNAVAILABLE',
  upstream: 'INTERNAL',
  network: 'INTERNAL',
  timeout: 'DEADLINE_EXCEEDED',
  'bad-response': 'INTERNAL',
  healing: 'FAILED_PRECONDITION',
  configuration: 'INTERNAL',
  internal: 'INTERNAL',
};

function encodeError(error: SimpleAgentsError): EncodedError {
  const own = ownResponse(error, wireName);
  if (own !== undefined) return own;
  const { kind } = error;
  const status = statusOf(error);
  const details = detailsOf(error);
  const message = kind === 'context-overflow' ? overflowMessage(error.message) : error.message;
  const body = {
    code: status,
    message,
    status: isForbidden(error) ? 'PERMISSION_DENIED' : statuses[kind],
    details: details.length === 0 ? undefined : details,
  };
  return { status, body: { error: omitUndefined(body) } };
}

/** The wire has no code for a prompt that is too long. Clients recognize it by the message. */
const overflow = 'The input token count exceeds the maximum number of tokens allowed';

function overflowMessage(message: string): string {
  return message.includes('input token count') ? message : `${overflow}: ${message}`;
}

const typePrefix = 'type.googleapis.com/google.rpc.';

function detailsOf({ kind, message, field, retryAfterMs }: SimpleAgentsError): JsonValue[] {
  const details: JsonValue[] = [];
  if (field !== undefined)
    details.push({ '@type': `${typePrefix}BadRequest`, fieldViolations: [{ field, description: message }] });
  if (kind === 'quota') {
    const violations = [{ subject: 'the account', quotaId: 'PerDay', description: message }];
    details.push({ '@type': `${typePrefix}QuotaFailure`, violations });
  }
  if (retryAfterMs !== undefined)
    details.push({ '@type': `${typePrefix}RetryInfo`, retryDelay: `${retryAfterMs / 1000}s` });
  return details;
}

/** `price` is ours. Clients of this wire ignore unknown members. */
function encodeModel({ id, provider, contextWindow, price }: ModelListing): JsonObject {
  return omitUndefined({
    name: modelResource(id),
    version: '1',
    displayName: id,
    description: provider,
    inputTokenLimit: contextWindow,
    // Which of the models have embeddings is not known.
    supportedGenerationMethods: [...modelMethods],
    price,
  });
}

export function encodeCount(tokens: number): JsonObject {
  return { totalTokens: tokens };
}
