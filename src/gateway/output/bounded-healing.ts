// Limits for healing with schemas from clients, so that one call cannot block the others. The work is divided into turns;
// between two turns, everything else that is ready runs.

import type { BlockEnd, StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import { argumentsOf } from '../../core/message.ts';
import type { ModelStream } from '../../core/provider.ts';
import { macrotask } from '../../core/macrotask.ts';
import { HealBudget, type HealOptions } from '../../heal/index.ts';

/** In steps. A turn takes a few tens of milliseconds, the base a few tenths of a second. */
export const healingLimits = { base: 2_000_000, perCharacter: 4, perTurn: 250_000 };

/** Deeper values may overflow the stack when they are written as JSON. */
const maxDepth = 1000;

export function boundedHealing(): Required<Pick<HealOptions, 'budget' | 'maxDepth'>> {
  return { budget: new HealBudget(healingLimits), maxDepth };
}

/** After this many steps or characters, a new turn begins. */
const turnSteps = healingLimits.perTurn / 10;
const sliceLength = 16 * 1024;

/** Begins a new turn if this one has taken long enough. */
export async function nextTurn(budget: HealBudget): Promise<void> {
  if (budget.spentInTurn <= turnSteps) return;
  await macrotask();
  budget.startTurn();
}

/** The same events in turns, with long texts and arguments in slices. The stream has no bytes. */
export function inSlices(stream: ModelStream, budget: HealBudget): ModelStream {
  const { target, ended, headers } = stream;
  return { target, ended, ...omitUndefined({ headers }), [Symbol.asyncIterator]: () => readSlices(stream, budget) };
}

async function* readSlices(stream: ModelStream, budget: HealBudget): AsyncGenerator<StreamEvent, void, undefined> {
  const streamed = new Set<number>();
  let characters = 0;
  for await (const event of stream) {
    for (const slice of slicesOf(event, streamed)) {
      characters += lengthOf(slice);
      if (characters > sliceLength || budget.spentInTurn > turnSteps) {
        await macrotask();
        budget.startTurn();
        characters = lengthOf(slice);
      }
      yield slice;
    }
  }
}

function lengthOf(event: StreamEvent): number {
  if (event.type === 'text-delta') return event.text.length;
  return event.type === 'tool-call-delta' ? event.json.length : 0;
}

/** `streamed`: the blocks that have started. Other blocks come without deltas. */
function slicesOf(event: StreamEvent, streamed: Set<number>): readonly StreamEvent[] {
  switch (event.type) {
    case 'text-delta':
      streamed.add(event.index);
      return sliceText(event.text).map((text) => ({ ...event, text }));
    case 'tool-call-start':
      streamed.add(event.index);
      return [event];
    case 'tool-call-delta':
      return sliceText(event.json).map((json) => ({ ...event, json }));
    case 'block-end':
      return streamed.has(event.index) ? [event] : [...deltasOf(event), event];
    default:
      return [event];
  }
}

/** Deltas for a long block that came without any. */
function deltasOf({ index, block }: BlockEnd): readonly StreamEvent[] {
  if (block.type === 'text' && block.text.length > sliceLength) {
    return sliceText(block.text).map((text) => ({ type: 'text-delta', index, text }));
  }
  const written = block.type === 'tool-call' ? (block.raw ?? argumentsOf(block)) : '';
  if (block.type !== 'tool-call' || written.length <= sliceLength) return [];
  const { id, name } = block;
  const deltas = sliceText(written).map((json): StreamEvent => ({ type: 'tool-call-delta', index, json }));
  return [{ type: 'tool-call-start', index, id, name }, ...deltas];
}

function sliceText(text: string): readonly string[] {
  if (text.length <= sliceLength) return [text];
  const slices: string[] = [];
  for (let at = 0; at < text.length; at += sliceLength) slices.push(text.slice(at, at + sliceLength));
  return slices;
}
