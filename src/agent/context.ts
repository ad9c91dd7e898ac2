// How much of a conversation is sent. Old exchanges leave as a whole, so a tool call and its result never part; where one
// exchange alone is too large, its long blocks lose their middle. Changes nothing in place.

import { Buffer } from 'node:buffer';
import { isRecord } from '../core/json.ts';
import type { Block, Message, ToolCallBlock } from '../core/message.ts';
import { excerpt } from './excerpt.ts';

/** What the model is told after its answer was cut by the length limit. It begins no exchange. */
export const continuationPrompt = 'Continue from where you left off.';

/** Of the window, by the provider's own count. */
const tokenGate = 0.6;
/** Of the window, where there is only a size to go by. */
const sizeGate = 0.9;
const bytesPerToken = 4;
/** Trimming goes below the gate by this much, so that not every call trims, which would spoil the provider's cache. */
const aim = 0.8;
/** Blocks are cut to the first limit; to the next only where all else would not fit. */
const blockLimits: readonly number[] = [10_240, 5_120, 2_560, 1_280];
const markerRoom = 64;
/** What a picture is to a model, whatever its file weighs. */
const imageBytes = 1_600 * bytesPerToken;

export interface ContextState {
  /** The model's, in tokens. */
  readonly window: number;
  /** What is sent beside the messages (system prompt, tools), in bytes. */
  readonly overhead: number;
  /** The prompt's tokens as last reported in this turn, all of them: cached ones too. Zero: not known. */
  readonly reported: number;
  /** The size in bytes when that was reported. */
  readonly reportedSize: number;
}

/** In bytes. */
export interface TrimGoal {
  readonly wanted: number;
  /** More would not fit the model's window. */
  readonly most: number;
}

/** The size to come down to; nothing while there is room. */
export function goalOf(messages: readonly Message[], state: ContextState): TrimGoal | undefined {
  const { window, overhead, reported, reportedSize } = state;
  const size = sizeOf(messages) + overhead;
  if (reported === 0) {
    const limit = sizeGate * window * bytesPerToken;
    return size < limit ? undefined : { wanted: limit * aim - overhead, most: limit - overhead };
  }
  // What came since the count may be a large result.
  const expected = reported + Math.max(0, size - reportedSize) / bytesPerToken;
  if (reported < tokenGate * window && expected < sizeGate * window) return undefined;
  const measured = size / expected;
  return {
    wanted: tokenGate * window * aim * measured - overhead,
    most: sizeGate * window * measured - overhead,
  };
}

export interface Trimmed {
  readonly messages: readonly Message[];
  readonly exchanges: number;
  readonly removed: number;
  readonly blocks: number;
}

/** The conversation within the size, as far as that goes: the last exchange always stays. */
export function trim(messages: readonly Message[], goal: TrimGoal): Trimmed {
  const starts = exchangeStarts(messages);
  const front = messages.slice(0, starts[0] ?? 0);
  let size = sizeOf(messages);
  let first = 0;
  while (size > goal.wanted && first < starts.length - 1) {
    size -= sizeOf(messages.slice(starts[first], starts[first + 1]));
    first += 1;
  }
  const kept = messages.slice(starts[first] ?? 0);
  const cut = cutBlocks(kept, goal, sizeOf(front));
  const removed = messages.length - front.length - kept.length;
  return { messages: [...front, ...cut.messages], exchanges: first, removed, blocks: cut.blocks };
}

/** Where exchanges begin: at what a user says, not at tool results or at a call to go on. */
export function exchangeStarts(messages: readonly Message[]): number[] {
  return [...messages.keys()].filter((index) => beginsExchange(messages[index]));
}

function beginsExchange(message: Message | undefined): boolean {
  const [first] = message?.content ?? [];
  if (message?.role !== 'user' || first === undefined || first.type === 'tool-result') return false;
  return !(message.content.length === 1 && first.type === 'text' && first.text === continuationPrompt);
}

/** The oldest first, and no more than must be. */
function cutBlocks(
  messages: readonly Message[],
  { wanted, most }: TrimGoal,
  front: number,
): Pick<Trimmed, 'messages' | 'blocks'> {
  const list = [...messages];
  let size = front + sizeOf(list);
  let blocks = 0;
  for (const limit of blockLimits) {
    const goal = limit === blockLimits[0] ? wanted : most;
    for (let index = 0; size > goal && index < list.length; index += 1) {
      const message = list[index] as Message;
      const content = message.content.map((block) => cutBlock(block, limit));
      const count = content.filter((block, place) => block !== message.content[place]).length;
      if (count === 0) continue;
      list[index] = { role: message.role, content };
      size += sizeOf([list[index] as Message]) - sizeOf([message]);
      blocks += count;
    }
  }
  return { messages: list, blocks };
}

/** The same block when there is nothing to cut. */
function cutBlock<B extends Block>(block: B, limit: number): B {
  switch (block.type) {
    case 'text': {
      const text = cutText(block.text, limit);
      return text === block.text ? block : { ...block, text };
    }
    case 'tool-result': {
      const content = block.content.map((part) => cutBlock(part, limit));
      return content.every((part, place) => part === block.content[place]) ? block : { ...block, content };
    }
    case 'tool-call':
      return cutCall(block, limit) as B;
    default:
      return block;
  }
}

function cutCall(call: ToolCallBlock, limit: number): ToolCallBlock {
  if (sizeOfBlock(call) <= limit) return call;
  if (call.error !== undefined) {
    const raw = cutText(call.raw ?? '', limit);
    return raw === call.raw ? call : { ...call, raw };
  }
  const input = cutStrings(call.input, limit);
  if (JSON.stringify(input) === JSON.stringify(call.input)) return call;
  const { raw: _raw, flags: _flags, ...rest } = call;
  return { ...rest, input };
}

function cutStrings(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return cutText(value, limit);
  if (Array.isArray(value)) return value.map((member) => cutStrings(member, limit));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutStrings(member, limit)]));
}

/** With its marker a cut text is within the limit, so that it is not cut again. */
function cutText(text: string, limit: number): string {
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  return excerpt(text, limit - markerRoom, (total) => `\n... (cut: the whole was ${total} bytes) ...\n`);
}

/** Messages are never changed, so each is measured once. */
const sizes = new WeakMap<Message, number>();

/** Bytes as JSON. */
export function sizeOf(messages: readonly Message[]): number {
  let sum = 0;
  for (const message of messages) {
    let size = sizes.get(message);
    if (size === undefined) {
      size = message.content.reduce((total, block) => total + sizeOfBlock(block), 32);
      sizes.set(message, size);
    }
    sum += size;
  }
  return sum;
}

function sizeOfBlock(block: Block): number {
  if (block.type === 'image') return imageBytes;
  if (block.type !== 'tool-result') return Buffer.byteLength(JSON.stringify(block));
  return block.content.reduce((total, part) => total + sizeOfBlock(part), 64);
}
