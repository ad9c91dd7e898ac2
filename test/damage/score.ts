// Compares what healing gave with what it may give.

import { isDeepStrictEqual } from 'node:util';

import { HealError, heal, type Flag } from '../../src/heal/index.ts';
import type { DamageCase } from './case.ts';

export interface Outcome {
  readonly verdict: 'exact' | 'wrong' | 'refused' | 'crashed';
  readonly value?: unknown;
  readonly confidence?: number;
  readonly flags?: readonly Flag[];
  readonly message?: string;
}

export interface Attempt {
  readonly value: unknown;
  readonly confidence?: number;
  readonly flags?: readonly Flag[];
}

export function judge({ accepted }: Pick<DamageCase, 'accepted'>, attempt: Attempt): Outcome {
  const isExact = accepted.some((value) => isDeepStrictEqual(attempt.value, value));
  return { verdict: isExact ? 'exact' : 'wrong', ...attempt };
}

/** Whatever its confidence, the value counts; how sure it was is judged apart. */
export function healCase(damaged: DamageCase, isTyped: boolean): Outcome {
  try {
    const options = { minConfidence: 0 };
    return judge(damaged, isTyped ? heal(damaged.text, damaged.schema, options) : heal(damaged.text, undefined, options));
  } catch (error) {
    if (error instanceof HealError) return { verdict: 'refused', message: `${error.kind}: ${error.message}` };
    return { verdict: 'crashed', message: String(error) };
  }
}
