// A value of a schema, damaged texts of it, and what healing makes of them.

import { isDeepStrictEqual } from 'node:util';

import type { JsonValue } from '../../src/core/json.ts';
import { heal, HealError } from '../../src/heal/index.ts';
import { damageDocument, damageNames, styles, type DamagedDocument } from '../../src/testing/damage/damage.ts';
import { createRandom } from '../../src/testing/model/random.ts';
import { sampleValue } from '../../src/testing/sample/sample.ts';
import { violationOf } from './compiled-schema.ts';
import type { BenchSchema } from './schema-file.ts';

/** The sampler ignores some keywords, so a sample may be invalid and another one valid. */
const attempts = 8;

/** A valid value that healing returns as it is, or why there is none. */
export function sampleFor(
  schema: BenchSchema,
  seed: string,
): { readonly value: JsonValue } | { readonly reason: string } {
  let reason = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      const sample = sampleValue(schema.schema, createRandom(`${seed}/${schema.name}/${attempt}`));
      const violation = violationOf(schema, sample);
      if (violation === undefined) return { value: settled(schema, sample) };
      reason = violation.replaceAll(/"[^"]*"/g, '"…"').replaceAll(/\d+/g, 'N');
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  return { reason };
}

/** The value with defaults filled in and undeclared members left out, so that only damage makes a difference. */
function settled({ schema }: BenchSchema, sample: JsonValue): JsonValue {
  return heal(JSON.stringify(sample), schema, { minConfidence: 0 }).value as JsonValue;
}

export interface DamagedCase extends DamagedDocument {
  readonly name: string;
  readonly kind: string;
}

/** Texts with different kinds of damage. Small values allow fewer kinds. */
export function damageSample(
  schema: BenchSchema,
  value: JsonValue,
  { seed, ways }: { readonly seed: string; readonly ways: number },
): DamagedCase[] {
  const random = createRandom(`${seed}/${schema.name}/damage`);
  const cases = new Map<string, DamagedCase>();
  for (let attempt = 0; attempt < 10 * ways && cases.size < ways; attempt++) {
    const kind = random.pick(damageNames);
    const document = { value, schema: schema.schema };
    const damaged = damageDocument([kind], document, { style: random.pick(styles), random });
    const usable = damaged && toUsable(schema, damaged);
    if (usable !== undefined) cases.set(kind, { ...usable, name: schema.name, kind });
  }
  return [...cases.values()];
}

/**
 * Leaves out damage that the schema does not show: the text is still valid, or what remains of a cut value is not valid.
 */
function toUsable(schema: BenchSchema, damaged: DamagedDocument): DamagedDocument | undefined {
  const valid = damaged.accepted.filter((value) => violationOf(schema, value) === undefined);
  const accepted = valid.map((value) => settled(schema, value));
  return accepted.length === 0 || isValidText(schema, damaged.text) ? undefined : { ...damaged, accepted };
}

function isValidText(schema: BenchSchema, text: string): boolean {
  try {
    return violationOf(schema, JSON.parse(text)) === undefined;
  } catch {
    return false;
  }
}

export interface HealedCase {
  readonly name: string;
  readonly kind: string;
  readonly text: string;
  readonly expected: unknown;
  readonly value?: unknown;
  readonly flags: readonly string[];
  readonly message?: string;
  readonly verdict: 'exact' | 'doubted' | 'wrong but confident' | 'wrong and doubted' | 'refused';
  /** In milliseconds. */
  readonly time: number;
}

export function healDamaged({ name, kind, text, schema, accepted }: DamagedCase): HealedCase {
  const expected: unknown = accepted[0];
  const start = performance.now();
  try {
    const { value, flags } = heal(text, schema);
    const time = performance.now() - start;
    const verdict = isOneOf(accepted, value) ? 'exact' : 'wrong but confident';
    return { name, kind, text, expected, value, flags: flags.map((flag) => flag.kind), verdict, time };
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    const { value, flags: changes, message } = error;
    const flags = changes.map((flag) => flag.kind);
    const unsure = isOneOf(accepted, value) ? 'doubted' : 'wrong and doubted';
    const verdict = error.kind === 'low-confidence' ? unsure : 'refused';
    return { name, kind, text, expected, value, flags, message, verdict, time: performance.now() - start };
  }
}

function isOneOf(accepted: readonly unknown[], value: unknown): boolean {
  return accepted.some((each) => isDeepStrictEqual(each, value));
}
