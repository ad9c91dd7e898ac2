// The definition of a kind of damage, and the rules for combining several in one text.

import type { Random } from '../model/random.ts';
import { mapTokens, undamaged, type DamageDraft, type Token } from './draft.ts';

/**
 * The order in which damage is applied, from the inside out: wrong shape, foreign notation, errors in single places, a cut,
 * and then the program, fence, prose and reasoning around the value.
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
  /** Returns the damaged draft; undefined if the damage does not apply. */
  readonly damage: (draft: DamageDraft, random: Random) => DamageDraft | undefined;
  /** Only a schema shows what was meant. Without one, the text is valid or ambiguous. */
  readonly needsSchema?: true;
  /** The damage needs a schema to find its place, so it does not apply to plain text. */
  readonly readsSchema?: true;
  /** Adds something after the value or beside it, so the text cannot also be cut off. */
  readonly whole?: true;
  /** Phases that are not realistic together with this damage. */
  readonly excludes?: readonly DamagePhase[];
}

type TokenTest = (token: Token, index: number, draft: DamageDraft) => boolean;

/** Damages one random undamaged token that `where` accepts. */
export function somewhere(
  where: TokenTest,
  damage: (draft: DamageDraft, index: number, random: Random) => DamageDraft | undefined,
): DamageDefinition['damage'] {
  return (draft, random) => {
    const found = undamaged(draft, (token, index) => where(token, index, draft));
    return found.length === 0 ? undefined : damage(draft, random.pick(found), random);
  };
}

/** An error in one place. */
export function slip(
  where: TokenTest,
  damage: (draft: DamageDraft, index: number, random: Random) => DamageDraft | undefined,
): DamageDefinition {
  return { phase: 'place', damage: somewhere(where, damage) };
}

/** Another notation in the whole text: changes every token for which `change` returns one. */
export function habit(
  change: (token: Token, index: number, draft: DamageDraft) => Token | undefined,
): DamageDefinition {
  return { phase: 'notation', damage: (draft) => mapTokens(draft, (token, index) => change(token, index, draft)) };
}

/** Phases that can be applied several times. Of the others, one damage per phase. */
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
