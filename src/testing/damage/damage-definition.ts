// What a kind of damage is, and when two of them can be done to one text.

import type { Random } from '../model/random.ts';
import { mapTokens, places, type DamageDraft, type Token } from './draft.ts';

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
export type DamagePhase = (typeof phases)[number];

export interface DamageDefinition {
  readonly phase: DamagePhase;
  /** The damaged draft; undefined when the text offers no place for this damage. */
  readonly damage: (draft: DamageDraft, random: Random) => DamageDraft | undefined;
  /** Only a schema tells what was meant: without one the text is fine as it is, or has no single reading. */
  readonly needsSchema?: true;
  /** The places are found by the schema, so plain text offers none. */
  readonly readsSchema?: true;
  /** Something stands after the value, or another value beside it: the text cannot also be cut off. */
  readonly whole?: true;
  /** Nobody would do both: a list of lines stands in no call, a text that begins in its middle has nothing before it. */
  readonly excludes?: readonly DamagePhase[];
}

type TokenTest = (token: Token, index: number, draft: DamageDraft) => boolean;

/** Damage at one place, taken by chance from the untouched ones that `where` accepts. */
export function somewhere(
  where: TokenTest,
  damage: (draft: DamageDraft, index: number, random: Random) => DamageDraft | undefined,
): DamageDefinition['damage'] {
  return (draft, random) => {
    const found = places(draft, (token, index) => where(token, index, draft));
    return found.length === 0 ? undefined : damage(draft, random.pick(found), random);
  };
}

/** Something that goes wrong in one place. */
export function slip(
  where: TokenTest,
  damage: (draft: DamageDraft, index: number, random: Random) => DamageDraft | undefined,
): DamageDefinition {
  return { phase: 'place', damage: somewhere(where, damage) };
}

/** Something that is written otherwise throughout: every token that `change` does not leave alone. */
export function habit(
  change: (token: Token, index: number, draft: DamageDraft) => Token | undefined,
): DamageDefinition {
  return { phase: 'notation', damage: (draft) => mapTokens(draft, (token, index) => change(token, index, draft)) };
}

/** Several slips can share a text; of the rest, one of each phase. */
const repeatable: ReadonlySet<DamagePhase> = new Set(['shape', 'notation', 'place']);

export function canCombine(first: DamageDefinition, second: DamageDefinition): boolean {
  if (first === second) return false;
  if (first.phase === second.phase) return repeatable.has(first.phase);
  if (first.excludes?.includes(second.phase) === true || second.excludes?.includes(first.phase) === true) return false;
  return !(isCut(first) && second.whole === true) && !(isCut(second) && first.whole === true);
}

export function inOrder(kinds: readonly DamageDefinition[]): DamageDefinition[] {
  return kinds.toSorted((first, second) => phases.indexOf(first.phase) - phases.indexOf(second.phase));
}

function isCut({ phase }: DamageDefinition): boolean {
  return phase === 'cut';
}
