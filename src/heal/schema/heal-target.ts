// A schema made ready to heal against.

import type { HealBudget } from '../budget.ts';
import { CandidateSetCache, type CandidateSet } from '../coerce/candidate.ts';
import type { SchemaNode } from './schema.ts';

/** Shared by all sessions. */
export class HealTarget {
  readonly schema: SchemaNode;
  readonly candidates: CandidateSet;
  readonly #sets: CandidateSetCache;
  readonly #parts = new Map<SchemaNode, HealTarget>();

  constructor(schema: SchemaNode, budget?: HealBudget) {
    this.schema = schema;
    this.#sets = new CandidateSetCache(budget);
    this.candidates = this.#sets.of([schema]);
  }

  /** A part of the schema by itself, for a text inside the text. */
  part(schema: SchemaNode, budget: HealBudget): HealTarget {
    let target = this.#parts.get(schema);
    if (target === undefined) this.#parts.set(schema, (target = new HealTarget(schema, budget)));
    return target;
  }

  /** Who pays for the candidate sets that are made from now on. */
  chargeTo(budget: HealBudget): void {
    this.#sets.budget = budget;
  }
}
