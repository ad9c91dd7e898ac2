// How much of a conversation is sent. Old exchanges are removed as a unit, so a tool call keeps its result. If a single
// exchange is too large, its long blocks lose their middle. Pure functions: messages are never changed in place.

import { utf8Length } from '../core/bytes.ts';
import { isRecord } from '../core/json.ts';
import type { Block, Message, ToolCallBlock } from '../core/message.ts';
import { excerpt } from './excerpt.ts';

/** Sent after a response was truncated at its token limit. It does not start an exchange. */
export const continuationPrompt = 'Continue from where you left off.';

/** Share of the window, by the provider's token count. */
const tokenGate = 0.6;
/** Share of the window, when only the size in bytes is known. */
const sizeGate = 0.9;
const bytesPerToken = 4;
/** Trimming goes this far below the gate. Trimming at every call would invalidate the provider's prompt cache. */
const aim = 0.8;
/** Blocks are cut to the first limit, and to a smaller one only if the conversation would not fit otherwise. */
const blockLimits: readonly number[] = [10_240, 5_120, 2_560, 1_280];
const markerRoom = 64;
/** An image costs a model about this much, whatever the size of its file. */
const imageBytes = 1_600 * bytesPerToken;

export interface ContextState {
  /** The model's context window, in tokens. */
  readonly window: number;
  /** Bytes sent in addition to the messages: system prompt and tools. */
  readonly overhead: number;
  /** The prompt tokens last reported in this turn, including cached ones. 0: not known. */
  readonly reported: number;
  /** The size in bytes when that was reported. */
  readonly reportedSize: number;
}

/** In bytes. */
export interface TrimGoal {
  readonly wanted: number;
  /** More than this would not fit the model's window. */
  readonly most: number;
}

/** The size to trim to; undefined while the conversation fits. */
export function goalOf(messages: readonly Message[], state: ContextState): TrimGoal | undefined {
  const { window, overhead, reported, reportedSize } = state;
  const size = sizeOf(messages) + overhead;
  if (reported === 0) {
    const limit = sizeGate * window * bytesPerToken;
    return size < limit ? undefined : { wanted: limit * aim - overhead, most: limit - overhead };
  }
  // A large tool result may have been added since the count.
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

/** Trims the conversation towards the goal. The last exchange is always kept, so the result can still be larger. */
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

/** Indexes at which exchanges start: user prompts, but neither tool results nor continuation prompts. */
export function exchangeStarts(messages: readonly Message[]): number[] {
  return [...messages.keys()].filter((index) => beginsExchange(messages[index]));
}

function beginsExchange(message: Message | undefined): boolean {
  const [first] = message?.content ?? [];
  if (message?.role !== 'user' || first === undefined || first.type === 'tool-result') return false;
  return !(message.content.length === 1 && first.type === 'text' && first.text === continuationPrompt);
}

/** Oldest blocks first, and no more than necessary. */
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
      const count = content.filter((block, at) => block !== message.content[at]).length;
      if (count === 0) continue;
      list[index] = { role: message.role, content };
      size += sizeOf([list[index] as Message]) - sizeOf([message]);
      blocks += count;
    }
  }
  return { messages: list, blocks };
}

/** Returns the same block if there is nothing to cut. */
function cutBlock<B extends Block>(block: B, limit: number): B {
  switch (block.type) {
    case 'text': {
      const text = cutText(block.text, limit);
      return text === block.text ? block : { ...block, text };
    }
    case 'tool-result': {
      const content = block.content.map((part) => cutBlock(part, limit));
      return content.every((part, at) => part === block.content[at]) ? block : { ...block, content };
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

/** The result with its marker is within the limit, so it is not cut again. */
function cutText(text: string, limit: number): string {
  if (text.length * 3 <= limit || utf8Length(text) <= limit) return text;
  return excerpt(text, limit - markerRoom, (total) => `\n... (cut from ${total} bytes) ...\n`);
}

/** Messages are immutable, so each is measured once. */
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
  if (block.type !== 'tool-result') return utf8Length(JSON.stringify(block));
  return block.content.reduce((total, part) => total + sizeOfBlock(part), 64);
}
