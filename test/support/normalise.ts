// Normalizes two streams with the same content, so that they can be compared: what each wire documents as lost is removed,
// and each block's deltas are joined. Used to state decode(encode(events)) = events.

import type { StopReason, StreamEvent } from '../../src/core/event.ts';
import type { Block } from '../../src/core/message.ts';
import type { Usage } from '../../src/core/usage.ts';

export interface NormalBlock {
  readonly block: Block;
  /** The text of all deltas. */
  readonly streamed: string;
}

export interface NormalStream {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly NormalBlock[];
  readonly stopReason: StopReason | undefined;
  readonly stopSequence: string | undefined;
  readonly usage: Usage | undefined;
}

export function normalise(events: Iterable<StreamEvent>, wireNames: readonly string[]): NormalStream {
  const openai = wireNames.includes('openai-chat');
  const anthropic = wireNames.includes('anthropic-messages');
  const order: number[] = [];
  const streamed = new Map<number, string>();
  const finished = new Map<number, Block>();
  let start = { id: '', model: '' };
  let end: (StreamEvent & { type: 'message-end' }) | undefined;
  for (const event of events) {
    if (event.type === 'message-start') start = event;
    if (event.type === 'message-end') end = event;
    if (!('index' in event)) continue;
    if (!order.includes(event.index)) order.push(event.index);
    if (event.type === 'block-end') finished.set(event.index, event.block);
    else streamed.set(event.index, (streamed.get(event.index) ?? '') + deltaText(event));
  }
  let blocks = order.flatMap((index): NormalBlock[] => {
    const block = finished.get(index);
    if (block === undefined || isUnsayable(block, openai, anthropic)) return [];
    return [{ block: strip(block, openai, anthropic), streamed: wholeText(block, streamed.get(index)) }];
  });
  if (openai) blocks = mergeText(blocks);
  const stopReason = end?.stopReason;
  return {
    id: start.id,
    model: start.model,
    blocks,
    stopReason: openai && (stopReason === 'pause' || stopReason === 'stop-sequence') ? 'end' : stopReason,
    stopSequence: openai ? undefined : end?.stopSequence,
    usage: anthropic && end?.usage.missing ? { input: 0, output: 0 } : end?.usage,
  };
}

function deltaText(event: StreamEvent): string {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text;
  return event.type === 'tool-call-delta' ? event.json : '';
}

/** A block may arrive without deltas, and be sent with some. */
function wholeText(block: Block, streamed: string | undefined): string {
  if (block.type === 'text' || block.type === 'reasoning') return block.text;
  if (block.type === 'tool-call')
    return streamed === '' || streamed === undefined ? JSON.stringify(block.input) : streamed;
  return '';
}

function isUnsayable(block: Block, openai: boolean, anthropic: boolean): boolean {
  if (block.type === 'opaque') return openai;
  return anthropic && (block.type === 'audio' || block.type === 'image');
}

function strip(block: Block, openai: boolean, anthropic: boolean): Block {
  if (block.type === 'reasoning' || block.type === 'opaque') {
    const { origin: _origin, ...rest } = block;
    return rest as Block;
  }
  if (block.type !== 'text' || block.citations === undefined) return block;
  const { citations, ...rest } = block;
  const sayable = citations.filter((citation) => {
    const isOpenai = (citation as { type?: string }).type === 'url_citation';
    return isOpenai ? !anthropic : !openai;
  });
  return sayable.length === 0 ? rest : { ...rest, citations: sayable };
}

function mergeText(blocks: NormalBlock[]): NormalBlock[] {
  const merged: NormalBlock[] = [];
  for (const next of blocks) {
    const last = merged.at(-1);
    if (last?.block.type === 'text' && next.block.type === 'text') {
      const text = last.block.text + next.block.text;
      const citations = [...(last.block.citations ?? []), ...(next.block.citations ?? [])];
      merged[merged.length - 1] = {
        block: citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations },
        streamed: last.streamed + next.streamed,
      };
    } else merged.push(next);
  }
  return merged;
}
