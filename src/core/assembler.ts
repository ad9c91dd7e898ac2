// Assembles events into a message. This is the only place where deltas become blocks. Wire decoders use it to build
// `block-end`; readers use it to get the message, also a partial one when the stream was cut off.
// Invariants:
//   1. A message contains no empty text or reasoning block.
//   2. A message contains only complete tool calls. One that is still open, or cut off by the length limit, is dropped and
//      reported.

import type { MessageEnd, StopReason, StreamEvent } from './event.ts';
import type { Block, Message, Origin, ReasoningBlock, TextBlock, ToolCallBlock, WireExtra } from './message.ts';
import { isRecord, type JsonValue } from './json.ts';
import { noUsage, type Usage } from './usage.ts';

/** A model's response. `stopReason` is absent when the stream was cut off. */
export interface AssembledMessage extends Message {
  readonly role: 'assistant';
  readonly id: string;
  readonly model: string;
  readonly stopReason?: StopReason;
  readonly providerStopReason?: string;
  readonly stopSequence?: string;
  readonly usage: Usage;
  /** Belongs to the response, not to the message: it is not sent back with the conversation. */
  readonly answerExtra?: WireExtra;
  /** Incomplete tool calls, which are not in `content`. */
  readonly dropped: readonly { readonly id: string; readonly name: string; readonly raw: string }[];
}

/** Details of a finished block that only the wire knows. */
export interface BlockDetails {
  readonly signature?: string;
  readonly redacted?: string;
  readonly origin?: Origin;
  readonly citations?: readonly JsonValue[];
  /** Of a reasoning block. */
  readonly extra?: WireExtra;
}

interface PartialBlock {
  readonly type: 'text' | 'reasoning' | 'tool-call';
  readonly id: string;
  readonly name: string;
  text: string;
}

export class MessageAssembler {
  #id = '';
  #model = '';
  #extra: WireExtra | undefined;
  #end: MessageEnd | undefined;
  readonly #open = new Map<number, PartialBlock>();
  readonly #finished = new Map<number, Block>();

  push(event: StreamEvent): void {
    switch (event.type) {
      case 'text-delta':
        this.#openBlock(event.index, 'text').text += event.text;
        break;
      case 'reasoning-delta':
        this.#openBlock(event.index, 'reasoning').text += event.text;
        break;
      case 'tool-call-delta':
        this.#openBlock(event.index, 'tool-call').text += event.json;
        break;
      case 'tool-call-start':
        this.#open.set(event.index, { type: 'tool-call', id: event.id, name: event.name, text: '' });
        break;
      case 'block-end':
        this.#open.delete(event.index);
        this.#finished.set(event.index, event.block);
        break;
      case 'message-start':
        this.#id = event.id;
        this.#model = event.model;
        this.#extra = event.extra;
        break;
      case 'message-end':
        this.#end = event;
        break;
      case 'notice':
        break;
    }
  }

  /** The indices of the blocks that have started and not ended, in the order they started. */
  get openIndices(): number[] {
    return [...this.#open.keys()];
  }

  isOpen(index: number): boolean {
    return this.#open.has(index);
  }

  /** The finished form of an open block, for a decoder's `block-end`; `undefined` if the block is empty or not open. */
  finish(index: number, details: BlockDetails = {}): Block | undefined {
    const open = this.#open.get(index);
    if (open === undefined) return toReasoning('', details);
    if (open.type === 'tool-call') return parseToolCall(open.id, open.name, open.text);
    if (open.type === 'reasoning') return toReasoning(open.text, details);
    return toText(open.text, details.citations);
  }

  message(): AssembledMessage {
    const blocks = new Map(this.#finished);
    const dropped: { id: string; name: string; raw: string }[] = [];
    for (const [index, open] of this.#open) {
      const partial = open.type === 'tool-call' ? undefined : this.finish(index);
      if (partial !== undefined) blocks.set(index, partial);
      if (open.type === 'tool-call') dropped.push({ id: open.id, name: open.name, raw: open.text });
    }
    const content: Block[] = [];
    const ordered = [...blocks].toSorted(([left], [right]) => left - right).map(([, block]) => block);
    const isCut = this.#end?.stopReason === 'length';
    for (const block of ordered) {
      const isUnfinished = isCut && isHalfCall(block, block === ordered.at(-1));
      if (isUnfinished) dropped.push({ id: block.id, name: block.name, raw: block.raw ?? '' });
      else if (!isEmpty(block)) content.push(block);
    }
    return {
      role: 'assistant',
      id: this.#id,
      model: this.#model,
      content,
      ...(this.#end === undefined ? {} : endOf(this.#end)),
      usage: this.#end?.usage ?? noUsage,
      ...joinExtras(this.#extra, this.#end?.extra),
      dropped,
    };
  }

  #openBlock(index: number, type: PartialBlock['type']): PartialBlock {
    let open = this.#open.get(index);
    if (open === undefined) {
      open = { type, id: '', name: '', text: '' };
      this.#open.set(index, open);
    }
    return open;
  }
}

export function assemble(events: Iterable<StreamEvent>): AssembledMessage {
  const assembler = new MessageAssembler();
  for (const event of events) assembler.push(event);
  return assembler.message();
}

/** Parses a tool call. Text that is not JSON is kept with the reason, never replaced by `{}`. */
export function parseToolCall(id: string, name: string, raw: string): ToolCallBlock {
  // A tool without parameters is called with no text at all.
  if (raw.trim() === '') return { type: 'tool-call', id, name, input: {} };
  try {
    return { type: 'tool-call', id, name, input: JSON.parse(raw) };
  } catch {
    // The engine's own message differs between versions, and the raw text is more useful.
    return { type: 'tool-call', id, name, input: null, raw, error: 'the arguments are not valid JSON' };
  }
}

function toText(text: string, citations: readonly JsonValue[] | undefined): TextBlock | undefined {
  if (text === '') return undefined;
  return citations === undefined || citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations };
}

function toReasoning(text: string, { signature, redacted, origin, extra }: BlockDetails): ReasoningBlock | undefined {
  if (text === '' && signature === undefined && redacted === undefined && extra === undefined) return undefined;
  return {
    type: 'reasoning',
    text,
    ...(signature === undefined ? {} : { signature }),
    ...(redacted === undefined ? {} : { redacted }),
    ...(origin === undefined ? {} : { origin }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** At the length limit, a last call without arguments may be a call whose arguments were cut off. */
function isHalfCall(block: Block, isLast: boolean): block is ToolCallBlock {
  if (block.type !== 'tool-call') return false;
  return block.error !== undefined || (isLast && isRecord(block.input) && Object.keys(block.input).length === 0);
}

function isEmpty(block: Block): boolean {
  if (block.type === 'reasoning') return toReasoning(block.text, block) === undefined;
  return block.type === 'text' && block.text === '';
}

function joinExtras(start: WireExtra | undefined, end: WireExtra | undefined): Pick<AssembledMessage, 'answerExtra'> {
  if (start === undefined || end === undefined)
    return start === end ? {} : { answerExtra: (start ?? end) as WireExtra };
  return { answerExtra: { wire: start.wire, members: { ...start.members, ...end.members } } };
}

function endOf(end: MessageEnd): Pick<AssembledMessage, 'stopReason' | 'providerStopReason' | 'stopSequence'> {
  return {
    stopReason: end.stopReason,
    ...(end.providerStopReason === undefined ? {} : { providerStopReason: end.providerStopReason }),
    ...(end.stopSequence === undefined ? {} : { stopSequence: end.stopSequence }),
  };
}
