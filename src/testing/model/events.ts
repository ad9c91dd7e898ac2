// Converts a reply to the events of a stream: one delta per word for text, fragments of uneven size for JSON, tool calls
// one after the other or interleaved.

import { parseToolCall } from '../../core/assembler.ts';
import type { StreamEvent } from '../../core/event.ts';
import type { Block, Origin } from '../../core/message.ts';
import type { Usage } from '../../core/usage.ts';
import { fingerprint, type Random } from './random.ts';
import type { Reply, ReplyBlock } from './reply.ts';

export interface Envelope {
  readonly id: string;
  readonly model: string;
  /** Stored in reasoning blocks, so that they are sent back only to the provider that created them. */
  readonly origin: Origin;
  readonly usage: Usage;
}

export function toEvents(reply: Reply, envelope: Envelope, random: Random): StreamEvent[] {
  const callId = (number: number): string => `call_${fingerprint(`${envelope.id}:${number}`)}`;
  const blocks = reply.blocks
    .filter((block) => block.type === 'tool-call' || block.text !== '')
    .map((block, index) => blockEvents(block, index, { callId: callId(index), origin: envelope.origin, random }));
  const ordered =
    reply.interleave === true
      ? [...blocks.filter((events) => !isCall(events)), interleaved(blocks.filter(isCall))]
      : blocks;
  const hasCalls = reply.blocks.some(({ type }) => type === 'tool-call');
  return [
    { type: 'message-start', id: envelope.id, model: envelope.model },
    ...ordered.flat(),
    {
      type: 'message-end',
      stopReason: reply.stopReason ?? (hasCalls ? 'tool-calls' : 'end'),
      ...(reply.stopSequence === undefined ? {} : { stopSequence: reply.stopSequence }),
      usage: envelope.usage,
    },
  ];
}

function isCall(events: readonly StreamEvent[]): boolean {
  return events[0]?.type === 'tool-call-start';
}

/** Proves that reasoning is unaltered. A real provider signs it; here a fingerprint is enough. */
export function signatureOf(reasoning: string): string {
  return `simulated-${fingerprint(reasoning)}`;
}

interface BlockContext {
  readonly callId: string;
  readonly origin: Origin;
  readonly random: Random;
}

function blockEvents(block: ReplyBlock, index: number, context: BlockContext): StreamEvent[] {
  switch (block.type) {
    case 'text': {
      const pieces = block.isJson === true ? fragments(block.text, context.random) : words(block.text);
      const deltas = pieces.map((text): StreamEvent => ({ type: 'text-delta', index, text }));
      return [...deltas, blockEnd(index, { type: 'text', text: block.text })];
    }
    case 'reasoning': {
      const { text } = block;
      const deltas = words(text).map((piece): StreamEvent => ({ type: 'reasoning-delta', index, text: piece }));
      return [
        ...deltas,
        blockEnd(index, { type: 'reasoning', text, signature: signatureOf(text), origin: context.origin }),
      ];
    }
    case 'tool-call': {
      const id = block.id ?? context.callId;
      const deltas = fragments(block.json, context.random).map((json): StreamEvent => ({
        type: 'tool-call-delta',
        index,
        json,
      }));
      return [
        { type: 'tool-call-start', index, id, name: block.name },
        ...deltas,
        blockEnd(index, parseToolCall(id, block.name, block.json)),
      ];
    }
  }
}

function blockEnd(index: number, block: Block): StreamEvent {
  return { type: 'block-end', index, block };
}

/** Each word with the space after it. Joined, they are the text. */
function words(text: string): string[] {
  return text.match(/\s*\S+\s?|\s+$/gu) ?? [];
}

function fragments(text: string, random: Random): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < characters.length;) {
    const size = random.integer(1, 12);
    pieces.push(characters.slice(at, at + size).join(''));
    at += size;
  }
  return pieces;
}

/** One event of each list in turn. */
function interleaved(lists: readonly (readonly StreamEvent[])[]): StreamEvent[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  const turns: StreamEvent[] = [];
  for (let turn = 0; turn < longest; turn += 1) {
    for (const list of lists) {
      const event = list[turn];
      if (event !== undefined) turns.push(event);
    }
  }
  return turns;
}
