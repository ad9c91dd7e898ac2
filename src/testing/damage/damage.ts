// All kinds of damage by name, and two ways to apply them: to plain text, as the simulated model does, and to a document,
// together with the values that healing may return. Deterministic, given `random`.
// Invariants:
//   1. The content stays readable: a person could still tell what was meant.
//   2. A text to which a damage does not apply is returned unchanged.

import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { bracketKinds } from './brackets.ts';
import { commentKinds } from './comments.ts';
import { cutKinds } from './cuts.ts';
import { draftDocument, draftText, toText, type Style } from './draft.ts';
import { frameKinds } from './frames.ts';
import { canCombine, inOrder, type DamageDefinition } from './damage-definition.ts';
import { markKinds } from './marks.ts';
import { quoteSlipKinds } from './quote-slips.ts';
import { quoteKinds } from './quotes.ts';
import { rootKinds } from './roots.ts';
import { scalarKinds } from './scalars.ts';
import { shapeKinds } from './shapes.ts';
import { stringKinds } from './strings.ts';
import { randomFrom, type Random } from '../model/random.ts';

export { styles, type Style } from './draft.ts';

export const damages = {
  ...frameKinds,
  ...markKinds,
  ...quoteKinds,
  ...quoteSlipKinds,
  ...stringKinds,
  ...scalarKinds,
  ...commentKinds,
  ...bracketKinds,
  ...cutKinds,
  ...shapeKinds,
  ...rootKinds,
} as const satisfies Readonly<Record<string, DamageDefinition>>;

export type DamageName = keyof typeof damages;
type ReadsSchema = {
  [Name in DamageName]: (typeof damages)[Name] extends { readonly readsSchema: true } ? Name : never;
}[DamageName];
/** The kinds that can be applied to plain text. */
export type DamageKind = Exclude<DamageName, ReadsSchema>;

export const damageNames = Object.keys(damages) as readonly DamageName[];
export const damageKinds = damageNames.filter((name) => damageOf(name).readsSchema !== true) as readonly DamageKind[];

export function damageOf(name: DamageName): DamageDefinition {
  return damages[name];
}

export function damageText(kind: DamageKind, text: string, random: () => number): string {
  const damaged = damageOf(kind).damage(draftText(text), randomFrom(random));
  return damaged === undefined ? text : toText(damaged);
}

export interface TypedDocument {
  readonly value: JsonValue;
  readonly schema: JsonSchema;
}

export interface DamagedDocument {
  readonly text: string;
  readonly schema: JsonSchema;
  /** Every value that is a correct result. */
  readonly accepted: readonly JsonValue[];
  readonly needsSchema: boolean;
  readonly isCut: boolean;
}

/** Applies one or more kinds of damage to a document. Undefined if one does not apply, or they cannot be combined. */
export function damageDocument(
  names: readonly DamageName[],
  { value, schema }: TypedDocument,
  { style, random }: { readonly style: Style; readonly random: Random },
): DamagedDocument | undefined {
  const kinds = inOrder(names.map(damageOf));
  if (kinds.some((first, index) => kinds.slice(index + 1).some((second) => !canCombine(first, second))))
    return undefined;
  let draft = draftDocument(value, schema, style);
  for (const kind of kinds) {
    const next = kind.damage(draft, random);
    if (next === undefined) return undefined;
    draft = next;
  }
  return {
    text: toText(draft),
    schema,
    accepted: draft.accepted,
    needsSchema: kinds.some((kind) => kind.needsSchema === true),
    isCut: kinds.some((kind) => kind.phase === 'cut'),
  };
}
