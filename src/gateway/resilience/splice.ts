// One message out of a stream that was cut and those that go on from it. A synchronous machine: events in, events out.
// Invariants:
//   1. The message begins once, and the text that goes on is added to the block that was cut.
//   2. Nothing that was handed out is handed out again, and no index is used twice.
//   3. A text block's end waits for what follows it, so that a cut finds the block still open.
// Reasoning of the streams that go on is left out: it is about going on, not about the question.

import type { BlockEnd, MessageEnd, ReasoningDelta, StreamEvent, TextDelta } from '../../core/event.ts';
import { text } from '../../core/message.ts';
import { addUsage, noUsage, type Usage } from '../../core/usage.ts';
import { OverlapCutter } from './overlap.ts';

export class Splice {
  /** All text that was handed out. */
  delivered = '';
  /** Only text can be gone on from. */
  isTextOnly = true;
  usage: Usage = noUsage;
  #isFirst = true;
  /** What is open, by the index it was handed out with. */
  readonly #texts = new Map<number, string>();
  readonly #thoughts = new Map<number, string>();
  /** The text block that was written last. */
  #latest: number | undefined;
  /** The end of a text block that may yet be gone on from. */
  #end: BlockEnd | undefined;
  #nextIndex = 0;
  /** What is added to the indexes of the stream that is being read. */
  #shift = 0;
  /** Where the text blocks of the stream being read go, and what each has said. */
  readonly #places = new Map<number, number>();
  readonly #said = new Map<number, string>();
  /** The block that is gone on with, and what finds its seam. */
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

  /** The stream was cut, and another goes on. Gives what closes the blocks that none can go on with. */
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

  /** What is held back, when nothing goes on; but not a repetition that has only begun. */
  release(): readonly StreamEvent[] {
    return this.#end === undefined ? [] : [this.#end];
  }

  #write({ index }: Pick<TextDelta, 'index'>, words: string): readonly StreamEvent[] {
    const place = this.#placeOf(index);
    this.#said.set(index, (this.#said.get(index) ?? '') + words);
    const fresh = this.#seam?.index === place ? this.#seam.cutter.push(words) : words;
    return [...this.#settle(place), ...this.#add(place, fresh)];
  }

  /** The first text of a stream that goes on belongs to the block that was cut. */
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

  /** The end of a block has the last word: what no delta has said is added. */
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

  /** Something else follows than text at `place`, so what waited for that may go. */
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

  /** Blocks that no stream will end any more. */
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
