// Filters the events of one response. Text and reasoning are released as they are judged; the arguments of a tool call
// are judged when they are complete, because JSON can write the same text in many ways.
// Invariants:
//   1. No text of the model is emitted before the filter has judged it. On a failure, what is held back is dropped.
//   2. Events keep their order. Text that is split between two blocks is judged as one text, because clients join it.
//   3. The text of a `block-end` is the text of its deltas.
//   4. If the filter fails, the call has failed, also for logs and caches, although the provider completed it.

import { parseToolCall } from '../../core/assembler.ts';
import type { BlockEnd, MessageEnd, StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import { macrotask } from '../../core/macrotask.ts';
import {
  argumentsOf,
  type Block,
  type DocumentBlock,
  type ImageBlock,
  type ToolCallBlock,
  type WireExtra,
} from '../../core/message.ts';
import type { Outcome } from '../../core/provider.ts';
import type { Rewriter } from '../output/rewrite.ts';
import { filterArguments, filterError, filterJson } from './filter-value.ts';
import { HeldText } from './held-text.ts';
import { filterText, type TextFilter } from './text-filter.ts';

type TextKind = 'text' | 'reasoning';

/** An event that waits for its turn, or a part of a text that waits to be judged. */
type Waiting =
  | { readonly type: 'event'; readonly event: StreamEvent }
  | {
      readonly type: TextKind;
      readonly index: number;
      /** Characters that are still held. */
      length: number;
      /** It came with the end of its block, so that it has no delta. */
      readonly isSilent: boolean;
    };

export class GuardedEvents implements Rewriter {
  readonly #filter: TextFilter;
  readonly #held: Readonly<Record<TextKind, HeldText>>;
  readonly #queue: Waiting[] = [];
  /** By index: the text of the model, and what was emitted in its place. */
  readonly #written = new Map<number, string>();
  readonly #emitted = new Map<number, string>();
  #failure: { readonly error: unknown } | undefined;

  constructor(filter: TextFilter) {
    this.#filter = filter;
    this.#held = { text: new HeldText(filter), reasoning: new HeldText(filter) };
  }

  push(event: StreamEvent): readonly StreamEvent[] {
    try {
      return this.#take(event);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  #take(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'text-delta':
        this.#hold('text', event.index, event.text);
        break;
      case 'reasoning-delta':
        this.#hold('reasoning', event.index, event.text);
        break;
      case 'tool-call-delta':
        this.#write(event.index, event.json);
        break;
      case 'block-end':
        this.#endBlock(event);
        break;
      case 'message-end':
        this.#held.text.finish();
        this.#held.reasoning.finish();
        this.#queue.push({ type: 'event', event });
        break;
      default:
        if (event.type === 'tool-call-start') this.#held.reasoning.finish();
        this.#queue.push({ type: 'event', event });
    }
    return this.#drain();
  }

  /** What was held back was not judged. */
  release(): readonly StreamEvent[] {
    return [];
  }

  async outcomeOf(outcome: Outcome): Promise<Outcome> {
    if (outcome.type === 'failed') return { ...outcome, error: this.errorOf(outcome.error) };
    // The provider reports the end when its last event is read, which is before that event is judged.
    if (outcome.type === 'complete') await macrotask();
    return this.#failure === undefined ? outcome : { type: 'failed', error: this.#failure.error, usage: outcome.usage };
  }

  /** An error that cannot be judged is replaced by the failure of the filter. */
  errorOf(error: unknown): unknown {
    if (this.#failure?.error === error) return error;
    try {
      return filterError(this.#filter, error);
    } catch (failure) {
      return failure;
    }
  }

  #write(index: number, text: string): void {
    this.#written.set(index, (this.#written.get(index) ?? '') + text);
  }

  #hold(type: TextKind, index: number, text: string, isSilent = false): void {
    if (text === '') return;
    // Clients show reasoning apart from text, so text after it cannot continue it.
    if (type === 'text') this.#held.reasoning.finish();
    this.#write(index, text);
    this.#held[type].push(text);
    this.#queue.push({ type, index, length: text.length, isSilent });
  }

  #endBlock(event: BlockEnd): void {
    const { block, index } = event;
    const isText = block.type === 'text' || block.type === 'reasoning';
    if (isText && !this.#written.has(index)) this.#hold(block.type, index, block.text, true);
    this.#queue.push({ type: 'event', event });
  }

  #drain(): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (let [first] = this.#queue; first !== undefined; [first] = this.#queue) {
      if (first.type === 'event') events.push(...this.#emit(first.event));
      else {
        const { type, index } = first;
        const { text, length } = this.#held[type].take(first.length);
        first.length -= length;
        this.#emitted.set(index, (this.#emitted.get(index) ?? '') + text);
        if (text !== '' && !first.isSilent) events.push({ type: `${type}-delta`, index, text });
        if (first.length > 0) break;
      }
      this.#queue.shift();
    }
    return events;
  }

  #emit(event: StreamEvent): StreamEvent[] {
    switch (event.type) {
      case 'block-end':
        return event.block.type === 'tool-call' ? this.#endCall(event.index, event.block) : this.#end(event);
      case 'message-end':
        return [this.#endMessage(event)];
      case 'message-start':
        return [{ ...event, ...this.#extraOf(event) }];
      case 'notice':
        return [{ ...event, detail: this.#text(event.detail) }];
      case 'tool-call-start':
        return [{ ...event, id: this.#text(event.id), name: this.#text(event.name) }];
      default:
        return [event];
    }
  }

  #end(event: BlockEnd): StreamEvent[] {
    const block = this.#filterBlock(event.block, event.index);
    // A block of which nothing is left is left out, which leaves a gap.
    const isEmptied = 'text' in block && block.text === '' && 'text' in event.block && event.block.text !== '';
    return isEmptied ? [] : [{ ...event, block }];
  }

  #filterBlock(block: Block, index: number): Block {
    switch (block.type) {
      case 'text':
        return omitUndefined({
          ...block,
          text: this.#blockText(block.text, index),
          citations: filterJson(this.#filter, block.citations),
          ...this.#extraOf(block),
        });
      case 'reasoning': {
        const filtered = { ...block, text: this.#blockText(block.text, index), ...this.#extraOf(block) };
        const { signature: _invalid, ...unsigned } = filtered;
        return JSON.stringify(filtered) === JSON.stringify(block) ? block : unsigned;
      }
      case 'audio': {
        const transcript = this.#text(block.transcript ?? '');
        // What must not be read must not be heard.
        return transcript === (block.transcript ?? '') ? block : { type: 'text', text: transcript };
      }
      case 'opaque':
        return { ...block, data: filterJson(this.#filter, block.data) };
      case 'image':
      case 'document':
        return this.#filterMedia(block);
      default:
        return block;
    }
  }

  /** Data in base64 is not text. */
  #filterMedia<T extends ImageBlock | DocumentBlock>(block: T): T {
    const { source } = block;
    return { ...filterJson(this.#filter, block), type: block.type, ...(source.kind === 'base64' ? { source } : {}) };
  }

  /** A block may end with another text than its deltas. */
  #blockText(text: string, index: number): string {
    return text === this.#written.get(index) ? (this.#emitted.get(index) ?? '') : this.#text(text);
  }

  #endCall(index: number, block: ToolCallBlock): StreamEvent[] {
    const id = this.#text(block.id);
    const name = this.#text(block.name);
    const written = this.#written.get(index);
    const json = filterArguments(this.#filter, written ?? block.raw ?? argumentsOf(block), block);
    const raw = block.raw === undefined ? {} : { raw: this.#text(block.raw) };
    const call = json === undefined ? { ...block, id, name, ...raw } : parseToolCall(id, name, json);
    const end: BlockEnd = { type: 'block-end', index, block: { ...call, ...this.#extraOf(block) } };
    if (written === undefined) return [end];
    return [{ type: 'tool-call-delta', index, json: json ?? written }, end];
  }

  #endMessage(event: MessageEnd): MessageEnd {
    const { stopSequence, providerStopReason } = event;
    return omitUndefined({
      ...event,
      stopSequence: stopSequence && this.#text(stopSequence),
      providerStopReason: providerStopReason && this.#text(providerStopReason),
      ...this.#extraOf(event),
    });
  }

  #extraOf({ extra }: { readonly extra?: WireExtra | undefined }): { readonly extra?: WireExtra } {
    return extra === undefined ? {} : { extra: { ...extra, members: filterJson(this.#filter, extra.members) } };
  }

  #text(text: string): string {
    return filterText(this.#filter, text);
  }
}
