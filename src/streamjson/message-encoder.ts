// Encodes the responses of a model: one `assistant` line per block, and with partial messages a `stream_event` line per
// delta. As in the CLI, the `assistant` line of a block comes just before the block's `content_block_stop`.

import type { BlockEnd, MessageEnd, MessageStart, StreamEvent } from '../core/event.ts';
import type { Block } from '../core/message.ts';
import { argumentsOf } from '../core/message.ts';
import { omitUndefined, type JsonObject } from '../core/json.ts';
import { noUsage } from '../core/usage.ts';
import { decodeBlock, encodeBlock, encodeStopReason, encodeUsage, isSame } from './block.ts';
import type { StreamJsonLine } from './line.ts';
import { toLine, type LineIdentity, type ScopePath } from './scope.ts';

export class MessageEncoder {
  readonly #identity: LineIdentity;
  readonly #path: ScopePath;
  readonly #isPartial: boolean;
  readonly #begun = new Set<number>();
  #id = '';
  #model = '';

  constructor(identity: LineIdentity, path: ScopePath, isPartial: boolean) {
    this.#identity = identity;
    this.#path = path;
    this.#isPartial = isPartial;
  }

  push(event: StreamEvent): StreamJsonLine[] {
    switch (event.type) {
      case 'message-start':
        return this.#start(event);
      case 'text-delta':
        return this.#delta(event.index, emptyText, { type: 'text_delta', text: event.text });
      case 'reasoning-delta':
        return this.#delta(event.index, emptyThinking, { type: 'thinking_delta', thinking: event.text });
      case 'tool-call-start':
        return this.#begin(event.index, { type: 'tool_use', id: event.id, name: event.name, input: {} });
      case 'tool-call-delta':
        return this.#delta(event.index, emptyText, { type: 'input_json_delta', partial_json: event.json });
      case 'block-end':
        return this.#endBlock(event);
      case 'message-end':
        return this.#end(event);
      case 'notice': {
        const members = { type: 'system', subtype: 'informational', content: event.detail, level: 'info' };
        return [this.#line(members, { event: { type: 'model-event', event } })];
      }
    }
  }

  /** The response so far is invalid. The CLI tells its hosts so with the end of the message. */
  restart(attempt: number): StreamJsonLine[] {
    const extension = { event: { type: 'stream-restart', attempt } };
    if (!this.#isPartial) return [this.#line({ type: 'system', subtype: 'stream_restart' }, extension)];
    const abandoned = { api_message_id: this.#id, from_block_index: 0 };
    const members = { type: 'stream_event', event: { type: 'message_stop' }, abandoned_blocks: abandoned };
    return [this.#line(members, extension)];
  }

  /** A message without an id gets one, because hosts group the lines of a message by it. */
  #start({ id, model, extra }: MessageStart): StreamJsonLine[] {
    this.#id = id === '' ? `msg_${this.#identity.createId()}` : id;
    this.#model = model;
    this.#begun.clear();
    const own = omitUndefined({ id: id === '' ? '' : undefined, extra });
    return this.#streamEvent({ type: 'message_start', message: this.#message([]) }, own);
  }

  #begin(index: number, block: JsonObject, extension?: object): StreamJsonLine[] {
    this.#begun.add(index);
    return this.#streamEvent({ type: 'content_block_start', index, content_block: block }, extension);
  }

  #delta(index: number, emptyBlock: JsonObject, delta: JsonObject, extension?: object): StreamJsonLine[] {
    const begin = this.#begun.has(index) ? [] : this.#begin(index, emptyBlock, extension);
    return [...begin, ...this.#streamEvent({ type: 'content_block_delta', index, delta }, extension)];
  }

  #endBlock({ index, block }: BlockEnd): StreamJsonLine[] {
    const content = encodeBlock(block);
    const own = isSame(decodeBlock(content), block) ? { index } : { index, block };
    return [
      ...(this.#begun.has(index) ? [] : this.#encodeWhole(index, block, content)),
      ...this.#signature(index, block),
      this.#line({ type: 'assistant', message: this.#message([content]) }, own),
      ...this.#streamEvent({ type: 'content_block_stop', index }),
    ];
  }

  /**
   * A block that arrived without deltas. Hosts that render only deltas must see it too; our decoder skips these lines,
   * because the model did not send them.
   */
  #encodeWhole(index: number, block: Block, content: JsonObject): StreamJsonLine[] {
    const extension = { synthetic: true };
    if (block.type === 'text')
      return this.#delta(index, emptyText, { type: 'text_delta', text: block.text }, extension);
    if (block.type === 'reasoning' && block.redacted === undefined) {
      return this.#delta(index, emptyThinking, { type: 'thinking_delta', thinking: block.text }, extension);
    }
    if (block.type !== 'tool-call') return this.#begin(index, content, extension);
    const json = { type: 'input_json_delta', partial_json: argumentsOf(block) };
    return this.#delta(index, { ...content, input: {} }, json, extension);
  }

  #signature(index: number, block: Block): StreamJsonLine[] {
    if (block.type !== 'reasoning' || block.signature === undefined) return [];
    const delta = { type: 'signature_delta', signature: block.signature };
    return this.#streamEvent({ type: 'content_block_delta', index, delta });
  }

  #end(event: MessageEnd): StreamJsonLine[] {
    const delta = { stop_reason: encodeStopReason(event.stopReason), stop_sequence: event.stopSequence ?? null };
    const message = { type: 'message_delta', delta, usage: encodeUsage(event.usage) };
    return [...this.#streamEvent(message, { end: event }), ...this.#streamEvent({ type: 'message_stop' })];
  }

  #message(content: readonly JsonObject[]): JsonObject {
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: encodeUsage(noUsage),
    };
  }

  #streamEvent(event: object, extension?: object): StreamJsonLine[] {
    return this.#isPartial ? [this.#line({ type: 'stream_event', event }, extension)] : [];
  }

  #line(members: StreamJsonLine, extension?: object): StreamJsonLine {
    return toLine(members, this.#path, this.#identity, extension);
  }
}

const emptyText = { type: 'text', text: '' };
const emptyThinking = { type: 'thinking', thinking: '', signature: '' };
