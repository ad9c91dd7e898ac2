// Joins a stream that was cut off and its continuations into one message. A synchronous machine: events in, events out.
// Invariants:
//   1. The message starts once, and the continuation is added to the block that was cut off.
//   2. No text is emitted twice, and no index is used twice.
//   3. The end of a text block is held back until the next event, so that a block can be continued after a cut.
// The reasoning of continuations is dropped, because it is about the continuation, not about the question.

import type { BlockEnd, MessageEnd, ReasoningDelta, StreamEvent, TextDelta } from '../../core/event.ts';
import { text } from '../../core/message.ts';
import { addUsage, noUsage, type Usage } from '../../core/usage.ts';
import { OverlapCutter } from './overlap.ts';

export class Splice {
  /** All text that was emitted. */
  delivered = '';
  /** Whether the message has only text so far. Only text can be continued. */
  isTextOnly = true;
  usage: Usage = noUsage;
  #isFirst = true;
  /** Open blocks, by their emitted index. */
  readonly #texts = new Map<number, string>();
  readonly #thoughts = new Map<number, string>();
  /** The text block that was written to last. */
  #latest: number | undefined;
  /** The end of a text block that may still be continued. */
  #end: BlockEnd | undefined;
  #nextIndex = 0;
  /** The offset for the indexes of the current stream. */
  #shift = 0;
  /** The emitted index of each text block of the current stream, and its text so far. */
  readonly #places = new Map<number, number>();
  readonly #said = new Map<number, string>();
  /** The block that is being continued, and the cutter that removes the overlap. */
  #seam: { readonly index: number; readonly cutter: OverlapCutter } | undefined;

  push(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'message-start':
        return this.#isFirst ? [event] : [];
      case 'text-delta':
        return this.#write(event, event.text);
      case 'reasoning-delta':
        return this.#isFirst ? [...this.#settle(), this.#think(event)] : [];
      case 'tool-call-start':
      case 'tool-call-delta':
        this.isTextOnly = false;
        return [...this.#settle(), this.#shifted(event)];
      case 'block-end':
        return this.#finish(event);
      case 'message-end':
        return [...this.#settle(), ...this.#closeTexts(), this.#conclude(event)];
      default:
        return [event];
    }
  }

  /** The stream was cut off, and another one continues. Returns the ends of blocks that cannot be continued. */
  cut(usage: Usage): readonly StreamEvent[] {
    this.usage = addUsage(this.usage, usage);
    this.#isFirst = false;
    this.#shift = this.#nextIndex;
    this.#end = undefined;
    this.#places.clear();
    this.#said.clear();
    const index = this.#latest;
    this.#seam = index === undefined ? undefined : { index, cutter: new OverlapCutter(this.delivered) };
    return [...this.#closeThoughts(), ...this.#closeTexts(index)];
  }

  /** The held-back end of a block, if there is no continuation. An unfinished repetition is dropped. */
  release(): readonly StreamEvent[] {
    return this.#end === undefined ? [] : [this.#end];
  }

  #write({ index }: Pick<TextDelta, 'index'>, words: string): readonly StreamEvent[] {
    const place = this.#placeOf(index);
    this.#said.set(index, (this.#said.get(index) ?? '') + words);
    const fresh = this.#seam?.index === place ? this.#seam.cutter.push(words) : words;
    return [...this.#settle(place), ...this.#add(place, fresh)];
  }

  /** The first text of a continuation belongs to the block that was cut off. */
  #placeOf(index: number): number {
    let place = this.#places.get(index);
    if (place === undefined) {
      place = (this.#places.size === 0 ? this.#seam?.index : undefined) ?? this.#use(index);
      this.#places.set(index, place);
    }
    return place;
  }

  #add(place: number, words: string): readonly StreamEvent[] {
    this.#latest = place;
    this.#texts.set(place, (this.#texts.get(place) ?? '') + words);
    this.delivered += words;
    return words === '' ? [] : [{ type: 'text-delta', index: place, text: words }];
  }

  #think(event: ReasoningDelta): StreamEvent {
    this.#use(event.index);
    this.#thoughts.set(event.index, (this.#thoughts.get(event.index) ?? '') + event.text);
    return event;
  }

  #finish(event: BlockEnd): readonly StreamEvent[] {
    const { block, index } = event;
    if (block.type === 'text') return this.#finishText(event, block.text);
    if (block.type !== 'reasoning') this.isTextOnly = false;
    else if (!this.#isFirst) return [];
    this.#thoughts.delete(index);
    return [...this.#settle(), this.#shifted(event)];
  }

  /** The end of a block is authoritative: text that no delta contained is added. */
  #finishText(event: BlockEnd, whole: string): readonly StreamEvent[] {
    const said = this.#said.get(event.index) ?? '';
    const written = this.#write(event, whole.startsWith(said) ? whole.slice(said.length) : '');
    const place = this.#placeOf(event.index);
    if (place !== this.#seam?.index) {
      this.#end = { ...event, index: place };
      return written;
    }
    const rest = this.#add(place, this.#seam.cutter.end());
    this.#end = { ...event, index: place, block: text(this.#texts.get(place) ?? '') };
    return [...written, ...rest];
  }

  /** Emits what was held back, because the next event is not text of the block `place`. */
  #settle(place?: number): readonly StreamEvent[] {
    const settled: StreamEvent[] = [];
    if (this.#seam !== undefined && this.#seam.index !== place) {
      const rest = this.#seam.cutter.end();
      if (rest !== '') settled.push(...this.#add(this.#seam.index, rest));
    }
    if (this.#end !== undefined) {
      settled.push(this.#end);
      this.#texts.delete(this.#end.index);
      this.#end = undefined;
    }
    return settled;
  }

  /** Ends blocks that no stream will end. */
  #closeTexts(except?: number): readonly StreamEvent[] {
    if (this.#isFirst) return [];
    const closed: StreamEvent[] = [];
    for (const [index, words] of this.#texts) {
      if (index === except) continue;
      this.#texts.delete(index);
      if (words !== '') closed.push({ type: 'block-end', index, block: text(words) });
    }
    return closed;
  }

  #closeThoughts(): readonly StreamEvent[] {
    const closed = Array.from(this.#thoughts, ([index, thought]): StreamEvent => {
      return { type: 'block-end', index, block: { type: 'reasoning', text: thought } };
    });
    this.#thoughts.clear();
    return closed;
  }

  #conclude(event: MessageEnd): MessageEnd {
    this.usage = addUsage(this.usage, event.usage);
    return { ...event, usage: this.usage };
  }

  #shifted<T extends { readonly index: number }>(event: T): T {
    return { ...event, index: this.#use(event.index) };
  }

  #use(index: number): number {
    const used = index + this.#shift;
    this.#nextIndex = Math.max(this.#nextIndex, used + 1);
    return used;
  }
}
