// The events of one stream for several readers, each with its own position. Successive deltas of a block become one entry,
// so late readers get the same text in fewer pieces, and a response takes about as much memory as its text. Invariant: a
// reader that keeps up gets the original events.

import type { ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta } from '../../core/event.ts';
import type { Block } from '../../core/message.ts';

/** The position of a reader: the entry, and how much of it is read. */
export interface LogPosition {
  entry: number;
  offset: number;
}

type Delta = TextDelta | ReasoningDelta | ToolCallDelta;

type LogEntry =
  | { readonly delta: Delta; text: string }
  /** Either read or not, so its length is 1. */
  | { readonly delta?: never; readonly event: StreamEvent };

/** The maximum length of a joined entry. It is limited because reading from the middle copies the entry. */
const longestEntry = 1024;

/** The approximate overhead of an entry, in bytes. */
const entryWeight = 64;

export class EventLog {
  /** Approximate size in bytes. */
  weight = 0;
  #entries: LogEntry[] = [];
  /** The number of entries that were dropped before the first. */
  #dropped = 0;
  #latest: StreamEvent | undefined;
  /** Where the latest event begins. */
  readonly #latestAt: LogPosition = { entry: 0, offset: 0 };

  append(event: StreamEvent): void {
    this.#latest = event;
    const last = this.#entries.at(-1);
    const delta = toDelta(event);
    if (delta !== undefined && last?.delta !== undefined && isContinued(last, delta)) {
      this.#latestAt.entry = this.#end - 1;
      this.#latestAt.offset = last.text.length;
      last.text += textOf(delta);
    } else {
      this.#latestAt.entry = this.#end;
      this.#latestAt.offset = 0;
      this.#entries.push(delta === undefined ? { event } : { delta, text: textOf(delta) });
      this.weight += entryWeight;
    }
    this.weight += lengthOf(event);
  }

  /** Returns the next event and advances the position; `undefined` if there is no event yet. */
  read(position: LogPosition): StreamEvent | undefined {
    this.#moveOn(position);
    const entry = this.#entries[position.entry - this.#dropped];
    if (entry === undefined || position.offset >= extentOf(entry)) return undefined;
    const { offset } = position;
    position.offset = extentOf(entry);
    const isLatest = position.entry === this.#latestAt.entry && offset === this.#latestAt.offset;
    if (isLatest && this.#latest !== undefined) return this.#latest;
    return entry.delta === undefined ? entry.event : withText(entry.delta, entry.text.slice(offset));
  }

  /** Drops the entries that all readers have read. */
  trim(readers: Iterable<LogPosition>): void {
    let kept = this.#end;
    for (const position of readers) {
      this.#moveOn(position);
      kept = Math.min(kept, this.#isRead(position) ? position.entry + 1 : position.entry);
    }
    for (const entry of this.#entries.splice(0, kept - this.#dropped)) this.weight -= weightOf(entry);
    this.#dropped = kept;
  }

  get #end(): number {
    return this.#dropped + this.#entries.length;
  }

  #isRead({ entry, offset }: LogPosition): boolean {
    const at = this.#entries[entry - this.#dropped];
    return at !== undefined && offset >= extentOf(at);
  }

  /** Advances to the next entry if this one is read and there is another. */
  #moveOn(position: LogPosition): void {
    if (position.entry < this.#dropped) {
      position.entry = this.#dropped;
      position.offset = 0;
    }
    while (position.entry < this.#end - 1 && this.#isRead(position)) {
      position.entry++;
      position.offset = 0;
    }
  }
}

function toDelta(event: StreamEvent): Delta | undefined {
  const isDelta = event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-call-delta';
  return isDelta ? event : undefined;
}

function isContinued(last: LogEntry & { delta: Delta }, delta: Delta): boolean {
  return last.delta.type === delta.type && last.delta.index === delta.index && last.text.length < longestEntry;
}

function textOf(delta: Delta): string {
  return delta.type === 'tool-call-delta' ? delta.json : delta.text;
}

function withText(delta: Delta, text: string): StreamEvent {
  return delta.type === 'tool-call-delta' ? { ...delta, json: text } : { ...delta, text };
}

function extentOf(entry: LogEntry): number {
  return entry.delta === undefined ? 1 : entry.text.length;
}

function weightOf(entry: LogEntry): number {
  return entryWeight + (entry.delta === undefined ? lengthOf(entry.event) : entry.text.length);
}

function lengthOf(event: StreamEvent): number {
  const delta = toDelta(event);
  if (delta !== undefined) return textOf(delta).length;
  return event.type === 'block-end' ? lengthOfBlock(event.block) : 0;
}

function lengthOfBlock(block: Block): number {
  return block.type === 'text' || block.type === 'reasoning' ? block.text.length : JSON.stringify(block).length;
}
