// The server side of the Anthropic Messages wire: encodes responses for our own clients. `server-request.ts` decodes their
// requests.
// Normalization, so that decode(encode(events)) = events: blocks are numbered in the order they begin; images and audio
// become notes; blocks and citations of other wires are left out; missing usage and unknown cache counts read
// back as zero; notices are not sent.

import type { AssembledMessage } from '../../core/assembler.ts';
import { isForbidden, type ErrorKind, type SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, MessageEnd, MessageStart, StreamEvent } from '../../core/event.ts';
import { omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import { argumentsOf, type Block, type ReasoningBlock } from '../../core/message.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import { noUsage } from '../../core/usage.ts';
import { toMediaNote } from '../made-media.ts';
import { costMember, membersFor } from '../response-extra.ts';
import { ownResponse, statusOf, type EncodedError } from '../error-response.ts';
import { sealReasoning } from '../foreign-reasoning.ts';
import { encodeSse } from '../sse.ts';
import { CompleteFrames } from '../complete-frames.ts';
import type { EncodeResponseOptions, StreamEncoder, WireServer } from '../wire.ts';
import { decodeVersion, findRefusal, versionHeader } from './api-version.ts';
import { decodeRequest, noThreads } from './server-request.ts';
import { citationsOf, encodeInput, encodeStopReason, encodeUsage, overflowMessage, wireName } from './types.ts';

export const anthropicMessagesServer: WireServer = {
  name: wireName,
  requestIdHeader: 'request-id',
  versionHeader,
  startsWithUsage: true,
  fieldNames: {
    isError: 'is_error',
    maxTokens: 'max_tokens',
    parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
    reasoning: 'thinking',
    responseFormat: 'output_config.format',
    stop: 'stop_sequences',
    toolChoice: 'tool_choice',
    topP: 'top_p',
  },
  decodeRequest,
  decodeVersion(headers, body) {
    const version = decodeVersion(headers);
    return omitUndefined({ version, refusal: version === undefined ? undefined : findRefusal(body, version) });
  },
  encodeStream: (options) => new MessagesEncoder(options),
  encodeOptionsOf: () => ({}),
  passStream: () => new CompleteFrames(),
  encodeBody,
  encodeError,
  encodeModel,
  encodeModels: (models, hasMore = false) => ({
    data: models.map(encodeModel),
    has_more: hasMore,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }),
};

class MessagesEncoder implements StreamEncoder {
  readonly includesUsage = true;
  readonly #numbers = new Map<number, number>();
  readonly #unended = new Set<number>();
  readonly #promptTokens: number;

  constructor({ promptTokens = 0 }: EncodeResponseOptions = {}) {
    this.#promptTokens = promptTokens;
  }

  push(event: StreamEvent, cost?: number): string {
    switch (event.type) {
      case 'text-delta':
        return this.#delta(event.index, textBlock, `{"type":"text_delta","text":${JSON.stringify(event.text)}}`);
      case 'reasoning-delta':
        return this.#delta(
          event.index,
          thinkingBlock,
          `{"type":"thinking_delta","thinking":${JSON.stringify(event.text)}}`,
        );
      case 'tool-call-start':
        return this.#begin(event.index, toolBlock(event.id, event.name));
      case 'tool-call-delta':
        return this.#delta(event.index, '', `{"type":"input_json_delta","partial_json":${JSON.stringify(event.json)}}`);
      case 'block-end':
        return this.#endBlock(event);
      case 'message-start':
        return encodeStart(event, this.#promptTokens);
      case 'message-end':
        return this.#end(event, cost);
      case 'notice':
        return '';
    }
  }

  fail(error: SimpleAgentsError): string {
    return encodeSse(JSON.stringify(encodeError(error).body), 'error');
  }

  #begin(index: number, contentBlock: string): string {
    const number = this.#numbers.size;
    this.#numbers.set(index, number);
    this.#unended.add(number);
    return encodeSse(
      `{"type":"content_block_start","index":${number},"content_block":${contentBlock}}`,
      'content_block_start',
    );
  }

  #delta(index: number, contentBlock: string, delta: string): string {
    const begun = this.#numbers.has(index) ? '' : this.#begin(index, contentBlock);
    const number = this.#numbers.get(index);
    return (
      begun + encodeSse(`{"type":"content_block_delta","index":${number},"delta":${delta}}`, 'content_block_delta')
    );
  }

  #endBlock({ index, block }: BlockEnd): string {
    let text = this.#numbers.has(index) ? '' : this.#encodeWithoutDeltas(index, block);
    const number = this.#numbers.get(index);
    if (number === undefined) return '';
    const signature = block.type === 'reasoning' ? sealReasoning(block, wireName).signature : undefined;
    if (signature !== undefined) {
      text += this.#delta(index, '', `{"type":"signature_delta","signature":${JSON.stringify(signature)}}`);
    }
    for (const citation of citationsOf(block)) {
      text += this.#delta(index, '', `{"type":"citations_delta","citation":${JSON.stringify(citation)}}`);
    }
    return text + this.#stop(number);
  }

  /** Encodes a block that arrived without deltas. */
  #encodeWithoutDeltas(index: number, block: Block): string {
    switch (block.type) {
      case 'text':
        return block.text === '' ? '' : this.push({ type: 'text-delta', index, text: block.text });
      case 'reasoning':
        if (isBare(block)) return '';
        if (sealReasoning(block, wireName).redacted !== undefined)
          return this.#begin(index, JSON.stringify(encodeBlock(block)[0]));
        return (
          this.#begin(index, thinkingBlock) +
          (block.text === '' ? '' : this.push({ type: 'reasoning-delta', index, text: block.text }))
        );
      case 'tool-call':
        return (
          this.#begin(index, toolBlock(block.id, block.name)) +
          this.push({ type: 'tool-call-delta', index, json: argumentsOf(block) })
        );
      case 'image':
      case 'audio':
        return this.push({ type: 'text-delta', index, text: toMediaNote(block) });
      default: {
        const [encoded] = encodeBlock(block);
        return encoded === undefined ? '' : this.#begin(index, JSON.stringify(encoded));
      }
    }
  }

  #stop(number: number): string {
    this.#unended.delete(number);
    return encodeSse(`{"type":"content_block_stop","index":${number}}`, 'content_block_stop');
  }

  #end({ stopReason, stopSequence, usage: counts, extra }: MessageEnd, cost: number | undefined): string {
    const { delta: own, usage: more, ...rest } = membersFor(extra, wireName);
    let text = '';
    for (const number of this.#unended) text += this.#stop(number);
    const delta = {
      stop_reason: encodeStopReason(stopReason),
      stop_sequence: stopSequence ?? null,
      ...(own as object),
    };
    const usage = omitUndefined({ ...encodeUsage(counts), ...(more as object), ...costMember(cost) });
    text += encodeSse(JSON.stringify({ type: 'message_delta', delta, usage, ...rest }), 'message_delta');
    return text + encodeSse('{"type":"message_stop"}', 'message_stop');
  }
}

const textBlock = '{"type":"text","text":""}';
const thinkingBlock = '{"type":"thinking","thinking":"","signature":""}';

function toolBlock(id: string, name: string): string {
  return `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":{}}`;
}

/** The counts are known only at the end of our stream, so `message_delta` carries all of them. */
function encodeStart({ id, model, extra }: MessageStart, promptTokens: number): string {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: encodeUsage({ ...noUsage, input: promptTokens }),
    ...membersFor(extra, wireName),
  };
  return encodeSse(JSON.stringify({ type: 'message_start', message }), 'message_start');
}

function encodeBody(message: AssembledMessage): JsonObject {
  const { delta, usage, ...rest } = membersFor(message.answerExtra, wireName);
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: message.model,
    content: message.content.flatMap(encodeBlock),
    stop_reason: encodeStopReason(message.stopReason ?? 'end'),
    stop_sequence: message.stopSequence ?? null,
    usage: { ...encodeUsage(message.usage), ...(usage as object) },
    ...(delta as object),
    ...(rest as JsonObject),
  };
}

function encodeBlock(block: Block): JsonValue[] {
  switch (block.type) {
    case 'text':
      return [omitUndefined({ type: 'text', text: block.text, citations: block.citations && citationsOf(block) })];
    case 'reasoning': {
      const { text, signature = '', redacted } = sealReasoning(block, wireName);
      if (redacted !== undefined) return [{ type: 'redacted_thinking', data: redacted }];
      return isBare(block) ? [] : [{ type: 'thinking', thinking: text, signature }];
    }
    case 'tool-call':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: encodeInput(block) }];
    case 'image':
    case 'audio':
      return [{ type: 'text', text: toMediaNote(block) }];
    case 'opaque':
      return block.origin.wire === wireName ? [block.data] : [];
    default:
      return [];
  }
}

/** Reasoning that its provider knows by an id only. */
function isBare({ text, signature, redacted }: ReasoningBlock): boolean {
  return text === '' && signature === undefined && redacted === undefined;
}

const errorTypes: Readonly<Record<ErrorKind, string>> = {
  'bad-request': 'invalid_request_error',
  'context-overflow': 'invalid_request_error',
  auth: 'authentication_error',
  quota: 'billing_error',
  'not-found': 'not_found_error',
  'rate-limit': 'rate_limit_error',
  overloaded: 'overloaded_error',
  upstream: 'api_error',
  network: 'api_error',
  timeout: 'timeout_error',
  'bad-response': 'api_error',
  healing: 'api_error',
  configuration: 'api_error',
  internal: 'api_error',
};

function encodeError(error: SimpleAgentsError): EncodedError {
  const own = ownResponse(error, wireName);
  if (own !== undefined) return own;
  const { kind } = error;
  const message = kind === 'context-overflow' ? overflowMessage(error.message) : error.message;
  const details = error.code === noThreads ? { error_code: noThreads, unsupported: ['thread'] } : undefined;
  const type = isForbidden(error) ? 'permission_error' : errorTypes[kind];
  const body = omitUndefined({ type, message, details });
  return { status: statusOf(error), body: { type: 'error', error: body } };
}

/** The wire requires a time of creation, which is unknown. */
function encodeModel({ id, provider, contextWindow, price }: ModelListing): JsonObject {
  return omitUndefined({
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
    owned_by: provider,
    max_input_tokens: contextWindow,
    price,
  });
}

export function encodeCount(tokens: number): JsonObject {
  return { input_tokens: tokens };
}
