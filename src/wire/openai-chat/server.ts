// The server side of the OpenAI chat-completions wire: encodes responses for our own clients. `server-request.ts` decodes
// their requests.
// Normalization, so that decode(encode(events)) = events: adjacent text blocks become one; `stop-sequence` and `pause`
// read back as `end`; blocks and citations of another wire are left out; tool calls end with the message. Reasoning is sent
// as `reasoning_content`, its signature and encrypted parts as `reasoning_details`, images as OpenRouter's `images`.

import type { AssembledMessage } from '../../core/assembler.ts';
import { isForbidden, type ErrorKind, type SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, MessageEnd, MessageStart, StreamEvent } from '../../core/event.ts';
import { omitUndefined, isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { argumentsOf, textOf, toolCallsOf, type Block, type ReasoningBlock } from '../../core/message.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import type { Usage } from '../../core/usage.ts';
import { costMember, membersFor } from '../response-extra.ts';
import { encodeImageUrl } from '../openai-content.ts';
import { ownResponse, statusOf, type EncodedError } from '../error-response.ts';
import { sealReasoning } from '../foreign-reasoning.ts';
import { encodeSse } from '../sse.ts';
import { CompleteFrames, type UnwantedFrame } from '../complete-frames.ts';
import type { EncodeResponseOptions, StreamEncoder, WireServer } from '../wire.ts';
import { toReasoningDetail } from './client-request.ts';
import { decodeRequest } from './server-request.ts';
import { encodeStopReason, encodeUsage, wireName } from './types.ts';

export const openaiChatServer: WireServer = {
  name: wireName,
  requestIdHeader: 'x-request-id',
  fieldNames: {
    choices: 'n',
    isError: 'is_error',
    maxTokens: 'max_tokens',
    parallelToolCalls: 'parallel_tool_calls',
    reasoning: 'reasoning_effort',
    responseFormat: 'response_format',
    toolChoice: 'tool_choice',
    topP: 'top_p',
  },
  hasTextArguments: true,
  decodeRequest,
  encodeStream: (options) => new ChatEncoder(options),
  encodeOptionsOf: (body) => ({ includeUsage: wantsUsage(body) }),
  passStream: ({ includeUsage = true } = {}) => new CompleteFrames(includeUsage ? undefined : usageFrame),
  encodeBody,
  encodeError,
  encodeModel,
  encodeModels: (models, hasMore = false) => ({
    object: 'list',
    data: models.map(encodeModel),
    ...(hasMore ? { has_more: true } : {}),
  }),
};

function wantsUsage(body: unknown): boolean {
  return isRecord(body) && isRecord(body['stream_options']) && body['stream_options']['include_usage'] === true;
}

/** The frame with the usage, whose `choices` are empty. We always request it; a client that did not may fail on it. */
const usageFrame: UnwantedFrame = {
  mayBeIn: hasEmptyList,
  isUnwanted(data) {
    const body: unknown = JSON.parse(data);
    return isRecord(body) && isRecord(body['usage']) && Array.isArray(body['choices']) && body['choices'].length === 0;
  },
};

/** Searches the bytes, so that most frames do not have to be parsed. */
function hasEmptyList(frames: Uint8Array): boolean {
  const [open, close, space] = [0x5b, 0x5d, 0x20];
  for (let at = frames.indexOf(open); at !== -1; at = frames.indexOf(open, at + 1)) {
    let next = at + 1;
    while (frames[next] === space) next++;
    if (frames[next] === close) return true;
  }
  return false;
}

class ChatEncoder implements StreamEncoder {
  readonly #created: number;
  readonly #includeUsage: boolean;
  readonly #written = new Set<number>();
  readonly #calls = new Map<number, number>();
  #head = '';
  #id = '';
  #model = '';

  constructor({ created = 0, includeUsage = false }: EncodeResponseOptions = {}) {
    this.#created = created;
    this.#includeUsage = includeUsage;
  }

  get includesUsage(): boolean {
    return this.#includeUsage;
  }

  push(event: StreamEvent, cost?: number): string {
    switch (event.type) {
      case 'text-delta':
        this.#written.add(event.index);
        return this.#delta(`{"content":${JSON.stringify(event.text)}}`);
      case 'reasoning-delta':
        this.#written.add(event.index);
        return this.#delta(`{"reasoning_content":${JSON.stringify(event.text)}}`);
      case 'tool-call-start':
        return this.#startCall(event.index, event.id, event.name);
      case 'tool-call-delta':
        return this.#delta(
          `{"tool_calls":[{"index":${this.#calls.get(event.index)},"function":{"arguments":${JSON.stringify(event.json)}}}]}`,
        );
      case 'block-end':
        return this.#endBlock(event);
      case 'message-start':
        return this.#start(event);
      case 'message-end':
        return this.#end(event, cost);
      case 'notice':
        return '';
    }
  }

  fail(error: SimpleAgentsError): string {
    return encodeSse(JSON.stringify(encodeError(error).body));
  }

  #start({ id, model, extra }: MessageStart): string {
    this.#id = id;
    this.#model = model;
    const own = membersFor(extra, wireName);
    const fixed = JSON.stringify({ id, object: 'chat.completion.chunk', created: this.#created, model, ...own });
    this.#head = `data: ${fixed.slice(0, -1)},"choices":[{"index":0,"delta":`;
    return this.#delta('{"role":"assistant","content":""}');
  }

  #delta(delta: string): string {
    return `${this.#head}${delta},"finish_reason":null}]}\n\n`;
  }

  #startCall(index: number, id: string, name: string): string {
    const number = this.#calls.size;
    this.#calls.set(index, number);
    this.#written.add(index);
    const call = { index: number, id, type: 'function', function: { name, arguments: '' } };
    return this.#delta(JSON.stringify({ tool_calls: [call] }));
  }

  #endBlock({ index, block }: BlockEnd): string {
    const complete = this.#written.has(index) ? '' : this.#encodeWithoutDeltas(index, block);
    const annotations = annotationsOf(block);
    if (annotations.length > 0) return complete + this.#delta(JSON.stringify({ annotations }));
    const closing = block.type === 'reasoning' && (block.signature !== undefined || block.redacted !== undefined);
    if (!closing) return complete;
    const { text: _text, ...detail } = toReasoningDetail(sealReasoning(block, wireName), 0);
    return complete + this.#delta(JSON.stringify({ reasoning_details: [detail] }));
  }

  /** Encodes a block that arrived without deltas. */
  #encodeWithoutDeltas(index: number, block: Block): string {
    if (block.type === 'text' && block.text !== '') return this.push({ type: 'text-delta', index, text: block.text });
    if (block.type === 'reasoning' && block.text !== '') {
      return this.push({ type: 'reasoning-delta', index, text: block.text });
    }
    if (block.type === 'image') return this.#delta(JSON.stringify({ images: encodeImages([block]) }));
    if (block.type !== 'tool-call') return '';
    return (
      this.#startCall(index, block.id, block.name) +
      this.push({ type: 'tool-call-delta', index, json: argumentsOf(block) })
    );
  }

  #end({ stopReason, usage, extra }: MessageEnd, cost: number | undefined): string {
    const { usage: more } = membersFor(extra, wireName);
    const finish = `${this.#head}{},"finish_reason":"${encodeStopReason(stopReason)}"}]}\n\n`;
    if (!this.#includeUsage || usage.missing) return `${finish}data: [DONE]\n\n`;
    const last = {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: this.#created,
      model: this.#model,
      choices: [],
      usage: omitUndefined({ ...joinUsage(usage, more), ...costMember(cost) }),
    };
    return `${finish}${encodeSse(JSON.stringify(last))}data: [DONE]\n\n`;
  }
}

/** `more`: counts that only this wire has, also inside the details. */
function joinUsage(usage: Usage, more: unknown): JsonObject {
  const joined: Record<string, JsonValue | undefined> = { ...encodeUsage(usage) };
  for (const [name, value] of Object.entries((more ?? {}) as JsonObject)) {
    const before = joined[name];
    joined[name] = isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
  }
  return joined;
}

/** Each wire has its own form of citations. Those of the Responses wire are nested; those of other wires are left out. */
function annotationsOf(block: Block): JsonValue[] {
  if (block.type !== 'text' || block.citations === undefined) return [];
  const own = block.citations.filter((citation) => isRecord(citation) && citation['type'] === 'url_citation');
  return own.map((citation) => {
    const { type, ...flat } = citation as JsonObject;
    return typeof flat['url'] === 'string' ? { type, url_citation: flat } : citation;
  });
}

function encodeBody(message: AssembledMessage, { created = 0 }: EncodeResponseOptions = {}): JsonObject {
  const { usage, ...own } = membersFor(message.answerExtra, wireName);
  return {
    id: message.id,
    object: 'chat.completion',
    created,
    model: message.model,
    choices: [
      {
        index: 0,
        message: encodeMessage(message.content),
        logprobs: null,
        finish_reason: encodeStopReason(message.stopReason ?? 'end'),
      },
    ],
    usage: joinUsage(message.usage, usage),
    ...(own as JsonObject),
  };
}

function encodeMessage(content: readonly Block[]): JsonObject {
  const text = textOf(content);
  const calls = toolCallsOf(content).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const reasoning = content.filter((block) => block.type === 'reasoning');
  const signed = reasoning.some((block) => block.signature !== undefined || block.redacted !== undefined);
  const thought = reasoning.map((block) => block.text).join('');
  const annotations = content.flatMap(annotationsOf);
  const audio = content.find((block) => block.type === 'audio');
  const images = encodeImages(content);
  return omitUndefined({
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    reasoning_content: thought === '' ? undefined : thought,
    reasoning_details: signed ? reasoning.map(toSealedDetail) : undefined,
    tool_calls: calls.length === 0 ? undefined : calls,
    annotations: annotations.length === 0 ? undefined : annotations,
    images: images.length === 0 ? undefined : images,
    audio:
      audio === undefined ? undefined : omitUndefined({ id: audio.id, data: audio.data, transcript: audio.transcript }),
  });
}

/** Clients know the form of OpenRouter; OpenAI's own API has no images in messages of the assistant. */
function encodeImages(content: readonly Block[]): JsonValue[] {
  const urls = content.flatMap((block) => (block.type === 'image' ? (encodeImageUrl(block.source) ?? []) : []));
  return urls.map((url) => ({ type: 'image_url', image_url: { url } }));
}

function toSealedDetail(block: ReasoningBlock, index: number): JsonObject {
  return toReasoningDetail(sealReasoning(block, wireName), index);
}

const errorTypes: Readonly<Record<ErrorKind, readonly [type: string, code: string | null]>> = {
  'bad-request': ['invalid_request_error', null],
  'context-overflow': ['invalid_request_error', 'context_length_exceeded'],
  auth: ['invalid_request_error', 'invalid_api_key'],
  quota: ['insufficient_quota', 'insufficient_quota'],
  'not-found': ['invalid_request_error', 'model_not_found'],
  'rate-limit': ['rate_limit_error', 'rate_limit_exceeded'],
  overloaded: ['overloaded_error', null],
  upstream: ['server_error', null],
  network: ['server_error', null],
  timeout: ['timeout_error', null],
  'bad-response': ['server_error', null],
  healing: ['server_error', 'healing_failed'],
  configuration: ['server_error', null],
  internal: ['server_error', null],
};

const forbidden = ['permission_error', 'permission_denied'] as const;

/** Codes of errors whose kind is not specific enough for clients. */
const ownCodes: readonly string[] = ['not_found', 'previous_response_not_found', 'websocket_connection_limit_reached'];

function encodeError(error: SimpleAgentsError): EncodedError {
  return ownResponse(error, wireName) ?? encodeOpenaiError(error);
}

/** For all wires of OpenAI, whose errors have one shape. */
export function encodeOpenaiError(error: SimpleAgentsError): EncodedError {
  const { kind, message, field } = error;
  const [type, usual] = isForbidden(error) ? forbidden : errorTypes[kind];
  // Not found means an unknown model, unless the error's code says otherwise.
  const code = ownCodes.includes(error.code ?? '') ? (error.code ?? null) : usual;
  return { status: statusOf(error), body: { error: { message, type, param: field ?? null, code } } };
}

/** `context_window` and `price` are ours. Clients of this wire ignore unknown members. */
function encodeModel({ id, provider, contextWindow, price }: ModelListing): JsonObject {
  return omitUndefined({ id, object: 'model', created: 0, owned_by: provider, context_window: contextWindow, price });
}
