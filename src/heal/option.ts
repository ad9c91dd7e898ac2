// What a caller may ask of healing, and what comes back.

import type { HealBudget } from './budget.ts';
import type { Flag } from './report/flag.ts';
import type { PatternCompiler } from './schema/pattern.ts';

export interface HealOptions {
  /** Any change is an error. */
  readonly strict?: boolean;
  /** Turn strings into numbers, one into a list of one, and the like. On unless said otherwise. */
  readonly coerceTypes?: boolean;
  /** Below it a value is an error. 0.7 unless said otherwise. */
  readonly minConfidence?: number;
  /** The longest text, in characters. */
  readonly maxBytes?: number;
  /** The deepest value. 10,000 unless said otherwise, 100,000 without a schema; valid JSON without one has no limit. */
  readonly maxDepth?: number;
  /** What checks `pattern` in a schema. `RegExp` unless said otherwise: for a schema from outside, pass a linear-time engine. */
  readonly patterns?: PatternCompiler;
  /** The work that may be done with the schema. Each call has its own unless several are given the same. */
  readonly budget?: HealBudget;
}

export interface HealResult<T = unknown> {
  readonly value: T;
  /** Every change that was made. */
  readonly flags: readonly Flag[];
  /** 0 to 1; exactly 1 when nothing was changed. */
  readonly confidence: number;
}
