// The options and the result of healing.

import type { HealBudget } from './budget.ts';
import type { Flag } from './report/flag.ts';
import type { PatternCompiler } from './validate/pattern.ts';

export interface HealOptions {
  /** Throw if anything has to be changed. */
  readonly strict?: boolean;
  /** Convert types: strings to numbers, a single value to an array of one, and so on. Default: true. */
  readonly coerceTypes?: boolean;
  /** Throw if the confidence is below this. Default: 0.7. */
  readonly minConfidence?: number;
  /** Maximum length of the text, in characters. */
  readonly maxBytes?: number;
  /**
   * Maximum nesting depth. Default: 10,000 with a schema, 100,000 without. Valid JSON without a schema has no limit.
   */
  readonly maxDepth?: number;
  /**
   * Compiles the `pattern` keywords of a schema. Default: `RegExp`. Pass a linear-time engine for untrusted schemas.
   */
  readonly patterns?: PatternCompiler;
  /** Add to each flag the place in the text that it is about. Default: false. */
  readonly locate?: boolean;
  /** Limits the work done with the schema. By default each call has its own; pass one to share it between calls. */
  readonly budget?: HealBudget;
}

export interface HealResult<T = unknown> {
  readonly value: T;
  /** Every change that was made. */
  readonly flags: readonly Flag[];
  /** From 0 to 1. Exactly 1 if nothing was changed. */
  readonly confidence: number;
}
