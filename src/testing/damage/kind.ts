// What a kind of damage is, and when two of them can be done to one text.

import type { Random } from '../model/random.ts';
import { mapTokens, places, type Draft, type Token } from './draft.ts';

/**
 * In this order damages are done, as a model would do them: first it means the wrong shape, then it writes in a foreign
 * notation, slips in some places, is cut off, and what it wrote stands in a program, a fence, a sentence, after a thought.
 */
export const phases = [
  'shape',
  'root',
  'notation',
  'place',
  'brackets',
  'cut',
  'program',
  'fence',
  'prose',
  'thought',
  'encoding',
] as const;
export type Phase = (typeof phases)[number];

export interface Kind {
  readonly phase: Phase;
  /** The damaged draft; undefined when the text offers no place for this damage. */
  readonly damage: (draft: Draft, random: Random) => Draft | undefined;
  /** Only a schema tells what was meant: without one the text is fine as it is, or has no single reading. */
  readonly needsSchema?: true;
  /** The places are found by the schema, so plain text offers none. */
  readonly readsSchema?: true;
  /** Something stands after the value, or another value beside it: the text cannot also be cut off. */
  readonly whole?: true;
  /** Nobody would do both: a list of lines stands in no call, a text that begins in its middle has nothing before it. */
  readonly excludes?: readonly Phase[];
}

type Where = (token: Token, index: number, draft: Draft) => boolean;

/** Damage at one place, taken by chance from the untouched ones that `where` accepts. */
export function somewhere(
  where: Where,
  damage: (draft: Draft, index: number, random: Random) => Draft | undefined,
): Kind['damage'] {
  return (draft, random) => {
    const found = places(draft, (token, index) => where(token, index, draft));
    return found.length === 0 ? undefined : damage(draft, random.pick(found), random);
  };
}

/** Something that goes wrong in one place. */
export function slip(where: Where, damage: (draft: Draft, index: number, random: Random) => Draft | undefined): Kind {
  return { phase: 'place', damage: somewhere(where, damage) };
}

/** Something that is written otherwise throughout: every token that `change` does not leave alone. */
export function habit(change: (token: Token, index: number, draft: Draft) => Token | undefined): Kind {
  return { phase: 'notation', damage: (draft) => mapTokens(draft, (token, index) => change(token, index, draft)) };
}

/** Several slips can share a text; of the rest, one of each phase. */
const repeatable: ReadonlySet<Phase> = new Set(['shape', 'notation', 'place']);

export function canCombine(first: Kind, second: Kind): boolean {
  if (first === second) return false;
  if (first.phase === second.phase) return repeatable.has(first.phase);
  if (first.excludes?.includes(second.phase) === true || second.excludes?.includes(first.phase) === true) return false;
  return !(isCut(first) && second.whole === true) && !(isCut(second) && first.whole === true);
}

export function inOrder(kinds: readonly Kind[]): Kind[] {
  return kinds.toSorted((first, second) => phases.indexOf(first.phase) - phases.indexOf(second.phase));
}

function isCut({ phase }: Kind): boolean {
  return phase === 'cut';
}
