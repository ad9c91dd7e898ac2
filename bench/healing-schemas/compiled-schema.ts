// Compiles a schema within the default budget, and says how long it took or why it was refused.

import { HealError } from '../../src/heal/index.ts';
import type { HealTarget } from '../../src/heal/schema/heal-target.ts';
import { toTarget } from '../../src/heal/schema/schema-input.ts';
import { validate } from '../../src/heal/validate/validation.ts';
import type { BenchSchema } from './schema-file.ts';

export interface Compiled {
  readonly schema: BenchSchema;
  readonly target?: HealTarget;
  readonly error?: string;
  /** In milliseconds. */
  readonly time: number;
}

export function compileFor(schema: BenchSchema): Compiled {
  const start = performance.now();
  try {
    const target = toTarget(schema.schema);
    return { schema, target, time: performance.now() - start };
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return { schema, error: `${error.kind}: ${error.message}`, time: performance.now() - start };
  }
}

/** Why the value is invalid; undefined if it is valid. */
export function violationOf({ schema }: BenchSchema, value: unknown): string | undefined {
  const { validation } = toTarget(schema);
  return validation && validate(validation, value).violation?.message;
}
