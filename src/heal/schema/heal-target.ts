// A compiled schema together with its candidate sets, ready to heal against. Shared by all sessions with the same
// schema.

import type { HealBudget } from '../budget.ts';
import { CandidateSetCache, type CandidateSet } from '../coerce/candidate.ts';
import type { ValidationNeeds } from '../validate/keyword-table.ts';
import type { ValidationSchema } from '../validate/validation.ts';
import type { SchemaNode } from './schema.ts';

export type TargetValidation = ValidationSchema & ValidationNeeds;

export class HealTarget {
  readonly schema: SchemaNode;
  /** The JSON Schema to validate values against. Undefined for schema libraries, which have their own validation. */
  readonly validation: TargetValidation | undefined;
  readonly candidates: CandidateSet;
  readonly #sets: CandidateSetCache;
  readonly #parts = new Map<SchemaNode, HealTarget>();

  constructor(schema: SchemaNode, budget?: HealBudget, validation?: TargetValidation) {
    this.schema = schema;
    this.validation = validation;
    this.#sets = new CandidateSetCache(budget);
    this.candidates = this.#sets.of([schema]);
  }

  /** The target for a part of the schema, used for JSON inside a string. */
  part(schema: SchemaNode, budget: HealBudget): HealTarget {
    let target = this.#parts.get(schema);
    if (target === undefined) this.#parts.set(schema, (target = new HealTarget(schema, budget)));
    return target;
  }

  /** Charges candidate sets that are created from now on to this budget. */
  chargeTo(budget: HealBudget): void {
    this.#sets.budget = budget;
  }
}
