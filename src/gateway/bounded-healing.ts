// Limits for healing with schemas from outside, where one call must not keep the others waiting, and how a long text is
// healed in turns.

import { setImmediate } from 'node:timers/promises';
import type { StreamEvent } from '../core/event.ts';
import { compact } from '../core/json.ts';
import type { ModelStream } from '../core/provider.ts';
import { HealBudget, type HealOptions } from '../heal/index.ts';

/** A turn is a few tens of milliseconds, the base a few tenths of a second. */
export const healingLimits = { base: 2_000_000, perCharacter: 4, perTurn: 250_000 };

/** Deeper values cannot be written as JSON by recursion on every stack. */
const maxDepth = 1000;

export function boundedHealing(): Required<Pick<HealOptions, 'budget' | 'maxDepth'>> {
  return { budget: new HealBudget(healingLimits), maxDepth };
}

/** Lets whatever else is ready run first. */
export async function pause(): Promise<void> {
  await setImmediate();
}

const sliceLength = 16 * 1024;

/** The same events, with long texts in slices and a pause between two of them. It has no bytes. */
export function inSlices(stream: ModelStream): ModelStream {
  const { target, ended, headers } = stream;
  return { target, ended, ...compact({ headers }), [Symbol.asyncIterator]: () => readSlices(stream) };
}

async function* readSlices(stream: ModelStream): AsyncGenerator<StreamEvent, void, undefined> {
  const streamed = new Set<number>();
  for await (const event of stream) {
    const text = textIn(event, streamed);
    if (text === undefined) yield event;
    else yield* slicesOf(event, text);
  }
}

/** A text that is too long to be healed at once. A block may come without deltas. */
function textIn(event: StreamEvent, streamed: Set<number>): string | undefined {
  const isDelta = event.type === 'text-delta';
  const isWhole = event.type === 'block-end' && event.block.type === 'text' && !streamed.has(event.index);
  if (isDelta) streamed.add(event.index);
  const text = isDelta ? event.text : isWhole && event.block.type === 'text' ? event.block.text : '';
  return text.length > sliceLength ? text : undefined;
}

async function* slicesOf(event: StreamEvent, text: string): AsyncGenerator<StreamEvent, void, undefined> {
  const { index } = event as StreamEvent & { readonly index: number };
  for (let at = 0; at < text.length; at += sliceLength) {
    await pause();
    yield { type: 'text-delta', index, text: text.slice(at, at + sliceLength) };
  }
  if (event.type === 'block-end') yield event;
}
