// The server side of the OpenAI Responses wire: encodes responses for our own clients. `server-request.ts` decodes their
// requests.
// Normalization, so that decode(encode(events)) = events: blocks are numbered in the order they begin; `stop-sequence` and
// `pause` read back as `end`; unknown token counts read back as zero; audio and images by URL become notes; blocks and
// citations of other wires are left out; notices are not sent. Reasoning is sent as a summary. Its signature is the encrypted content, which
// for reasoning of another wire carries the whole block (`foreign-reasoning.ts`).

import type { AssembledMessage } from '../../core/assembler.ts';
import type { SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, MessageEnd, MessageStart, StreamEvent } from '../../core/event.ts';
import { omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import { argumentsOf, type Block, type ToolCallBlock } from '../../core/message.ts';
import type { Usage } from '../../core/usage.ts';
import { CompleteFrames } from '../complete-frames.ts';
import { toMediaNote } from '../made-media.ts';
import { ownResponse, type EncodedError } from '../error-response.ts';
import { encodeOpenaiError, openaiChatServer } from '../openai-chat/server.ts';
import { costMember, membersFor } from '../response-extra.ts';
import type { EncodeResponseOptions, StreamEncoder, WireServer } from '../wire.ts';
import {
  customItem,
  encodeOutput,
  functionItem,
  itemId,
  messageItem,
  reasoningItem,
  textPart,
  type ItemKind,
} from './output-item.ts';
import { encodeImageItem } from './image-item.ts';
import { customNamesIn, echoOf, failedResponse, finishedResponse, responseInProgress } from './response-object.ts';
import { IdFrames, passBody } from './pass-ids.ts';
import { decodeRequest } from './server-request.ts';
import { annotationsOf, customInput, encodeStopReason, encodeUsage, terminator, wireName } from './types.ts';

/** Errors and model lists are those of OpenAI's other wire. */
export const openaiResponsesServer: WireServer = {
  ...openaiChatServer,
  name: wireName,
  fieldNames: {
    isError: 'is_error',
    maxTokens: 'max_output_tokens',
    messages: 'input',
    parallelToolCalls: 'parallel_tool_calls',
    responseFormat: 'text.format',
    toolChoice: 'tool_choice',
    topP: 'top_p',
    verbosity: 'text.verbosity',
  },
  hasTextArguments: true,
  decodeRequest,
  encodeStream: (options) => new ResponsesEncoder(options),
  encodeOptionsOf: (body) => ({ includeUsage: true, echo: echoOf(body) }),
  passStream: ({ identity } = {}) => (identity === undefined ? new CompleteFrames() : new IdFrames(identity)),
  passBody,
  encodeBody,
  encodeError,
};

function encodeError(error: SimpleAgentsError): EncodedError {
  return ownResponse(error, wireName) ?? encodeOpenaiError(error);
}

/** An item in progress. */
interface OpenItem {
  readonly kind: ItemKind;
  readonly id: string;
  readonly position: number;
  /** For calls. */
  readonly callId: string;
  readonly name: string;
  /** Everything streamed so far. */
  text: string;
}

class ResponsesEncoder implements StreamEncoder {
  readonly includesUsage = true;
  readonly #options: EncodeResponseOptions;
  readonly #echo: JsonObject;
  readonly #custom: ReadonlySet<string>;
  readonly #open = new Map<number, OpenItem>();
  readonly #output: JsonValue[] = [];
  #sequence = 0;
  #id: string;
  #model = '';
  #own: object = {};

  constructor(options: EncodeResponseOptions = {}) {
    this.#options = options;
    this.#echo = options.echo ?? echoOf(undefined);
    this.#custom = customNamesIn(this.#echo);
    this.#id = options.identity?.of() ?? '';
  }

  push(event: StreamEvent, cost?: number): string {
    switch (event.type) {
      case 'text-delta':
        return this.#delta(event.index, 'message', event.text);
      case 'reasoning-delta':
        return this.#delta(event.index, 'reasoning', event.text);
      case 'tool-call-start':
        return this.#begin(event.index, this.#custom.has(event.name) ? 'custom' : 'function', event);
      case 'tool-call-delta':
        return this.#delta(event.index, 'function', event.json);
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

  /** The API sends both events. Some clients read only the first, some only the second. */
  fail(error: SimpleAgentsError): string {
    const details = encodeError(error).body['error'] as JsonObject;
    const { message, code, param } = details;
    const failed = { code: code ?? details['type'] ?? 'server_error', message };
    return (
      this.#frame('error', { code, message, param, error: details }) +
      this.#frame('response.failed', { response: failedResponse(this.#state, failed) }) +
      terminator
    );
  }

  get #state() {
    const { created = 0 } = this.#options;
    return { id: this.#id, model: this.#model, created, echo: this.#echo, own: this.#own };
  }

  #frame(type: string, members: object): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...members });
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  #start({ id, model, extra }: MessageStart): string {
    this.#id = this.#options.identity?.of() ?? id;
    this.#model = model;
    this.#own = membersFor(extra, wireName);
    const response = responseInProgress(this.#state);
    return this.#frame('response.created', { response }) + this.#frame('response.in_progress', { response });
  }

  #begin(index: number, kind: ItemKind, call = { id: '', name: '' }): string {
    const position = this.#output.length;
    const id = itemId(kind, this.#id, position);
    const item: OpenItem = { kind, id, position, callId: call.id, name: call.name, text: '' };
    this.#open.set(index, item);
    const started = startedItem(item);
    this.#output.push(started);
    return this.#frame('response.output_item.added', { output_index: position, item: started }) + this.#beginPart(item);
  }

  #beginPart(item: OpenItem): string {
    const place = placeOf(item);
    if (item.kind === 'message') return this.#frame('response.content_part.added', { ...place, part: textPart('') });
    if (item.kind !== 'reasoning') return '';
    return this.#frame('response.reasoning_summary_part.added', { ...place, part: summaryPart('') });
  }

  #delta(index: number, kind: ItemKind, text: string): string {
    const begun = this.#open.has(index) ? '' : this.#begin(index, kind);
    const item = this.#open.get(index) as OpenItem;
    item.text += text;
    // The input of a custom tool is plain text, which is known only when its JSON is complete.
    if (item.kind === 'custom') return begun;
    return begun + this.#encodeDelta(item, text);
  }

  /** Written by hand, because most of a stream consists of these. */
  #encodeDelta({ kind, id, position }: OpenItem, text: string): string {
    const type = deltaTypes[kind];
    const sequence = this.#sequence++;
    const head = `{"type":"${type}","sequence_number":${sequence},"item_id":${JSON.stringify(id)},"output_index":${position}`;
    return `event: ${type}\ndata: ${head}${deltaMembers[kind]},"delta":${JSON.stringify(text)}}\n\n`;
  }

  #endBlock({ index, block }: BlockEnd): string {
    const begun = this.#open.has(index) ? '' : this.#encodeWithoutDeltas(index, block);
    const item = this.#open.get(index);
    if (item === undefined) return begun;
    this.#open.delete(index);
    switch (block.type) {
      case 'text':
        return begun + this.#endText(item, block);
      case 'reasoning':
        return begun + this.#endReasoning(item, reasoningItem(item.id, block));
      case 'tool-call':
        return begun + this.#endCall(item, block);
      default:
        return begun;
    }
  }

  /** Encodes a block that arrived without deltas. Opaque items of this wire are complete at once. */
  #encodeWithoutDeltas(index: number, block: Block): string {
    switch (block.type) {
      case 'text':
        return block.text === '' ? '' : this.#delta(index, 'message', block.text);
      case 'reasoning':
        return block.text === ''
          ? this.#encodeWhole(reasoningItem(this.#nextId('reasoning'), block))
          : this.#delta(index, 'reasoning', block.text);
      case 'tool-call':
        return this.push({ type: 'tool-call-start', index, id: block.id, name: block.name });
      case 'opaque':
        return block.origin.wire === wireName ? this.#encodeWhole(block.data as JsonObject) : '';
      case 'image': {
        const item = encodeImageItem(this.#nextId('image'), block);
        return item === undefined ? this.#encodeNote(index, toMediaNote(block)) : this.#encodeWhole(item);
      }
      case 'audio':
        return this.#encodeNote(index, toMediaNote(block));
      default:
        return '';
    }
  }

  #encodeNote(index: number, note: string): string {
    const block = { type: 'text', text: note } as const;
    return this.#delta(index, 'message', note) + this.#endBlock({ type: 'block-end', index, block });
  }

  #nextId(kind: Parameters<typeof itemId>[0]): string {
    return itemId(kind, this.#id, this.#output.length);
  }

  #encodeWhole(item: JsonObject): string {
    const place = { output_index: this.#output.length };
    this.#output.push(item);
    return (
      this.#frame('response.output_item.added', { ...place, item }) +
      this.#frame('response.output_item.done', { ...place, item })
    );
  }

  #endText(item: OpenItem, block: Block): string {
    const place = placeOf(item);
    const annotations = annotationsOf(block);
    const part = textPart(item.text, annotations);
    const cited = annotations.map((annotation, index) =>
      this.#frame('response.output_text.annotation.added', { ...place, annotation_index: index, annotation }),
    );
    return (
      cited.join('') +
      this.#frame('response.output_text.done', { ...place, text: item.text, logprobs: [] }) +
      this.#frame('response.content_part.done', { ...place, part }) +
      this.#done(item, messageItem(item.id, 'completed', [part]))
    );
  }

  #endReasoning(item: OpenItem, done: JsonObject): string {
    const place = placeOf(item);
    return (
      this.#frame('response.reasoning_summary_text.done', { ...place, text: item.text }) +
      this.#frame('response.reasoning_summary_part.done', { ...place, part: summaryPart(item.text) }) +
      this.#done(item, { ...done, id: item.id })
    );
  }

  #endCall(item: OpenItem, block: ToolCallBlock): string {
    const place = placeOf(item);
    if (item.kind === 'custom') {
      const input = customInput(block);
      const members = { ...place, input };
      return (
        this.#encodeDelta(item, input) +
        this.#frame('response.custom_tool_call_input.done', members) +
        this.#done(item, customItem(item, 'completed', input))
      );
    }
    const json = item.text === '' ? argumentsOf(block) : item.text;
    const delta = item.text === '' ? this.#encodeDelta(item, json) : '';
    const members = { ...place, name: item.name, arguments: json };
    return (
      delta +
      this.#frame('response.function_call_arguments.done', members) +
      this.#done(item, functionItem(item, 'completed', json))
    );
  }

  #done(item: OpenItem, done: JsonObject): string {
    this.#output[item.position] = done;
    return this.#frame('response.output_item.done', { output_index: item.position, item: done });
  }

  #end({ stopReason, usage, extra }: MessageEnd, cost: number | undefined): string {
    const { usage: more, ...own } = membersFor(extra, wireName);
    this.#own = { ...this.#own, ...own };
    let text = '';
    for (const item of this.#open.values()) text += this.#done(item, cutItem(item));
    this.#open.clear();
    const counts = usageOf(usage, { ...(more as object), ...costMember(cost) });
    const response = finishedResponse(this.#state, { stopReason, output: this.#output, usage: counts });
    return text + this.#frame(`response.${encodeStopReason(stopReason).status}`, { response }) + terminator;
  }
}

const deltaTypes: Readonly<Record<ItemKind, string>> = {
  message: 'response.output_text.delta',
  reasoning: 'response.reasoning_summary_text.delta',
  function: 'response.function_call_arguments.delta',
  custom: 'response.custom_tool_call_input.delta',
};

const deltaMembers: Readonly<Record<ItemKind, string>> = {
  message: ',"content_index":0,"logprobs":[]',
  reasoning: ',"summary_index":0',
  function: '',
  custom: '',
};

function placeOf({ kind, id, position }: OpenItem): JsonObject {
  const place = { item_id: id, output_index: position };
  if (kind === 'message') return { ...place, content_index: 0 };
  return kind === 'reasoning' ? { ...place, summary_index: 0 } : place;
}

function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text };
}

function startedItem(item: OpenItem): JsonObject {
  switch (item.kind) {
    case 'message':
      return messageItem(item.id, 'in_progress', []);
    case 'reasoning':
      return { id: item.id, type: 'reasoning', summary: [] };
    case 'function':
      return functionItem(item, 'in_progress', '');
    case 'custom':
      return customItem(item, 'in_progress', '');
  }
}

/** An item that the token limit cut off. */
function cutItem(item: OpenItem): JsonObject {
  switch (item.kind) {
    case 'message':
      return messageItem(item.id, 'incomplete', [textPart(item.text)]);
    case 'reasoning':
      return { id: item.id, type: 'reasoning', summary: [summaryPart(item.text)] };
    case 'function':
      return functionItem(item, 'incomplete', item.text);
    case 'custom':
      return customItem(item, 'incomplete', item.text);
  }
}

function usageOf(usage: Usage, more: object): JsonObject | null {
  return usage.missing ? null : omitUndefined({ ...encodeUsage(usage), ...more });
}

function encodeBody(message: AssembledMessage, options: EncodeResponseOptions = {}): JsonObject {
  const { identity, created = 0, echo = echoOf(undefined) } = options;
  const id = identity?.of() ?? message.id;
  const { usage: more, ...own } = membersFor(message.answerExtra, wireName);
  const output = encodeOutput(message.content, { responseId: id, custom: customNamesIn(echo) });
  const usage = usageOf(message.usage, { ...(more as object) });
  const state = { id, model: message.model, created, echo, own };
  return finishedResponse(state, { stopReason: message.stopReason ?? 'end', output, usage });
}

export function encodeCount(tokens: number): JsonObject {
  return { object: 'response.input_tokens', input_tokens: tokens };
}
