// Damaged documents as test cases, with the expected value and the schema. The same seed gives the same cases.

import { isRecord, type JsonSchema, type JsonValue } from '../../../src/core/json.ts';
import {
  damageDocument,
  damageNames,
  damageOf,
  styles,
  type DamageName,
  type Style,
} from '../../../src/testing/damage/damage.ts';
import { canCombine } from '../../../src/testing/damage/damage-definition.ts';
import { createRandom } from '../../../src/testing/model/random.ts';
import type { NamedDocument } from './document.ts';

export interface DamageCase {
  readonly id: string;
  readonly kinds: readonly DamageName[];
  readonly document: string;
  readonly style: Style;
  readonly text: string;
  readonly schema: JsonSchema;
  readonly accepted: readonly JsonValue[];
  /** Without the schema there is nothing to heal, or the text is ambiguous. */
  readonly needsSchema: boolean;
  /** The value may lack members, so nothing in the schema is required. */
  readonly isCut: boolean;
}

/** Every kind of damage on every document in every style, wherever it applies. */
export function* singleCases(seed: string, documents: readonly NamedDocument[]): Generator<DamageCase> {
  for (const name of damageNames) {
    for (const document of documents) {
      for (const style of styles) yield* caseOf(seed, [name], { document, style });
    }
  }
}

/** A share (0 to 1) of the compatible pairs of kinds, each once, on varying documents and styles. */
export function* pairCases(seed: string, documents: readonly NamedDocument[], share: number): Generator<DamageCase> {
  const random = createRandom(`${seed}/pairs`);
  for (const pair of pairs()) {
    if (!random.chance(share)) continue;
    // Not every document allows both kinds.
    for (let turn = 0; turn < 4; turn += 1) {
      const made = caseOf(seed, pair, { document: random.pick(documents), style: random.pick(styles) });
      yield* made;
      if (made.length > 0) break;
    }
  }
}

function* pairs(): Generator<[DamageName, DamageName]> {
  for (const [place, first] of damageNames.entries()) {
    for (const second of damageNames.slice(place + 1)) {
      if (canCombine(damageOf(first), damageOf(second))) yield [first, second];
    }
  }
}

function caseOf(
  seed: string,
  kinds: readonly DamageName[],
  { document, style }: { readonly document: NamedDocument; readonly style: Style },
): DamageCase[] {
  const id = `${kinds.join('+')}/${document.name}/${style}`;
  const damaged = damageDocument(kinds, document, { style, random: createRandom(`${seed}/${id}`) });
  if (damaged === undefined) return [];
  const schema = damaged.isCut ? withoutRequired(damaged.schema) : damaged.schema;
  return [{ id, kinds, document: document.name, style, ...damaged, schema }];
}

export function withoutRequired(schema: JsonSchema): JsonSchema {
  const { required: _required, ...rest } = schema;
  return mapMembers(rest, (member) => (isRecord(member) ? withoutRequired(member as JsonSchema) : member));
}

function mapMembers(schema: JsonSchema, change: (member: unknown) => unknown): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, member]) => [key, Array.isArray(member) ? member.map(change) : change(member)]),
  ) as JsonSchema;
}
