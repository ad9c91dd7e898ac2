// Validates a finished value against a JSON Schema, as draft 2020-12 defines it, including the older spellings of
// keywords. Healing reads a text by the compiled schema, which is an approximation where keywords interact. This is the
// check that makes the result right: a value that is invalid is rejected, not changed. Schema libraries have their own
// validation instead.
// Invariant: each value is judged at most once by each schema, however many references lead from one to the other.

import { HealBudget } from '../budget.ts';
import type { Flag, PathKey } from '../report/flag.ts';
import { toKeys, type LinkedPath } from '../report/linked-path.ts';
import { isRecord } from '../schema/keyword.ts';
import type { JsonSchema } from '../schema/schema.ts';
import { resolvePointer } from '../schema/schema-resolver.ts';
import { checksOf } from './keyword-table.ts';
import { regExpPatterns, type PatternCompiler, type PatternTest } from './pattern.ts';
import type { Position, ValidationContext, Verdict } from './scope.ts';
import { StructuralIds } from './structural-id.ts';

export interface Violation {
  readonly path: readonly PathKey[];
  readonly message: string;
}

export interface Review {
  /** The first violation that was found. */
  readonly violation: Violation | undefined;
  /** One flag for each pattern that could not be checked, with the path of its first use. */
  readonly unchecked: readonly Flag[];
}

export interface ReviewOptions {
  readonly patterns?: PatternCompiler | undefined;
  readonly budget?: HealBudget | undefined;
}

/** A schema to validate against. Its references are JSON pointers from its root. */
export interface ValidationSchema {
  readonly root: JsonSchema | boolean;
  /** Whether to collect what each schema has judged, which only `unevaluated…` needs. */
  readonly tracksEvaluation: boolean;
}

/** Deeper parts are not checked: neither deeper values, nor longer chains of schemas for one value. */
const maxDepth = 600;

/** Further unchecked patterns are not listed. */
const maxUnchecked = 100;

export function validate(schema: ValidationSchema, value: unknown, options: ReviewOptions = {}): Review {
  const { patterns = regExpPatterns, budget = new HealBudget() } = options;
  const validation = new Validation(schema, patterns, budget);
  const { violation } = validation.judge(schema.root, value, { path: undefined, depth: 0, chain: undefined });
  return {
    violation: violation && { path: toKeys(violation.path), message: violation.message },
    unchecked: validation.unchecked.map(({ pattern, path, count }) => ({
      kind: 'unchecked-pattern',
      expected: pattern.slice(0, 60),
      count,
      path: toKeys(path),
    })),
  };
}

interface Unchecked {
  readonly pattern: string;
  readonly path: LinkedPath | undefined;
  count: number;
}

const valid: Verdict = {};

class Validation implements ValidationContext {
  readonly budget: HealBudget;
  readonly structuralIds: StructuralIds;
  readonly #schema: ValidationSchema;
  readonly #compile: PatternCompiler;
  readonly #tests = new Map<string, PatternTest | undefined>();
  readonly #unchecked = new Map<string, Unchecked>();
  readonly #targets = new Map<string, unknown>();
  /** Earlier verdicts by schema, for an object or array, or for the path of a scalar. */
  readonly #known = new Map<object, Map<JsonSchema, Verdict>>();

  constructor(schema: ValidationSchema, patterns: PatternCompiler, budget: HealBudget) {
    this.#schema = schema;
    this.#compile = patterns;
    this.budget = budget;
    this.structuralIds = new StructuralIds(budget);
  }

  get unchecked(): readonly Unchecked[] {
    return [...this.#unchecked.values()];
  }

  matches(pattern: string, text: string, position: Position): boolean | undefined {
    if (!this.#tests.has(pattern)) this.#tests.set(pattern, this.#compile(pattern));
    const found = this.#tests.get(pattern)?.(text);
    if (found === undefined) this.#countUnchecked(pattern, position);
    return found;
  }

  #countUnchecked(pattern: string, { path }: Position): void {
    const before = this.#unchecked.get(pattern);
    if (before !== undefined) before.count++;
    else if (this.#unchecked.size < maxUnchecked) this.#unchecked.set(pattern, { pattern, path, count: 1 });
  }

  resolve(reference: string): unknown {
    let target = this.#targets.get(reference);
    if (target === undefined) {
      this.budget.spend(reference.length);
      this.#targets.set(reference, (target = resolvePointer(this.#schema.root, reference, '#')));
    }
    return target;
  }

  judge(schema: unknown, value: unknown, position: Position): Verdict {
    this.budget.spend(1);
    if (schema === false) return { violation: { path: position.path, message: 'is not allowed' } };
    if (!isRecord(schema) || position.depth > maxDepth) return valid;
    if (value === null && schema['nullable'] === true) return valid;
    const key = this.#keyOf(value, position);
    if (key === undefined) return this.#judgeBy(schema, value, position);
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = new Map()));
    let verdict = known.get(schema);
    if (verdict === undefined) known.set(schema, (verdict = this.#judgeBy(schema, value, position)));
    return verdict;
  }

  /** Undefined if the verdict is not needed again: each schema is the first one for its scalar. */
  #keyOf(value: unknown, { chain, path }: Position): object | undefined {
    if (typeof value === 'object' && value !== null) return value;
    return chain === undefined ? undefined : (path ?? this);
  }

  #judgeBy(schema: JsonSchema, value: unknown, position: Position): Verdict {
    const isContainer = typeof value === 'object' && value !== null;
    const evaluated = this.#schema.tracksEvaluation && isContainer ? new Set<PathKey>() : undefined;
    const scope = { schema, value, position, evaluated, validation: this };
    for (const check of checksOf(schema)) {
      const violation = check(scope);
      if (violation !== undefined) return { violation };
    }
    return evaluated === undefined ? valid : { evaluated };
  }
}
