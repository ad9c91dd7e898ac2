// What calibration learns from: a healed text, the changes that healing made, and whether the value says what the text
// says.

import { isDeepStrictEqual } from 'node:util';

import type { JsonSchema } from '../../src/core/json.ts';
import { HealError, type FlagKind } from '../../src/heal/index.ts';
import { HealBudget } from '../../src/heal/budget.ts';
import { accept } from '../../src/heal/heal.ts';
import { shareOf } from '../../src/heal/report/confidence.ts';
import { HealSession } from '../../src/heal/session.ts';
import { toTarget } from '../../src/heal/schema/schema-input.ts';
import { pairCases, singleCases } from '../../test/support/damage/case.ts';
import { makeDocuments } from '../../test/support/damage/document.ts';
import { runsOf } from '../../test/support/damage/score.ts';
import { digestOf } from '../healing-real/label.ts';
import type { LabelledResponse } from '../healing-real/labelled.ts';

export interface Observation {
  readonly changes: readonly Change[];
  readonly isFaithful: boolean;
}

export interface Change {
  readonly kind: FlagKind;
  /** The share of the value that the change touches. */
  readonly share: number;
}

/** Observations of labelled responses. A text that cannot be healed is none. */
export function observeResponses(responses: readonly LabelledResponse[]): Observation[] {
  return responses.flatMap(({ text, schema, labels }) => {
    const healed = healUnjudged(text, schema);
    return healed === undefined
      ? []
      : [{ changes: healed.changes, isFaithful: labels.includes(digestOf(healed.value, schema)) }];
  });
}

/** Observations of damaged documents: every kind of damage, and a share of all pairs of kinds. */
export function observeDamage(seed: string, documents: number, pairs: number): Observation[] {
  const made = makeDocuments(seed, documents);
  const cases = [...singleCases(seed, made), ...pairCases(seed, made, pairs)];
  return runsOf(cases).flatMap(({ damaged: { text, schema, accepted }, isTyped }) => {
    const healed = healUnjudged(text, isTyped ? schema : undefined);
    if (healed === undefined) return [];
    const isFaithful = accepted.some((value) => isDeepStrictEqual(value, healed.value));
    return [{ changes: healed.changes, isFaithful }];
  });
}

interface Unjudged {
  readonly value: unknown;
  readonly changes: readonly Change[];
}

/** Heals a text whatever its confidence, because the confidence is what is being fitted. */
function healUnjudged(text: string, schema: JsonSchema | undefined): Unjudged | undefined {
  const options = { budget: new HealBudget(), minConfidence: 0 };
  try {
    const target = schema === undefined ? undefined : toTarget(schema, options.budget);
    const { value, marks, length } = new HealSession(target, options).choose(text);
    accept({ value, flags: [], confidence: 1 }, schema, options);
    return { value, changes: marks.map((mark) => ({ kind: mark.kind, share: shareOf(mark, length) })) };
  } catch (error) {
    if (error instanceof HealError) return undefined;
    throw error;
  }
}
