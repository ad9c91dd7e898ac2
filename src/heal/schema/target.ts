// A schema made ready to heal against.

import type { HealBudget } from '../budget.ts';
import { Family, type CandidateSet } from '../coerce/candidate.ts';
import type { SchemaNode } from './schema.ts';

/** Shared by all sessions. */
export class Target {
  readonly schema: SchemaNode;
  readonly set: CandidateSet;
  readonly #family: Family;
  readonly #parts = new Map<SchemaNode, Target>();

  constructor(schema: SchemaNode, budget?: HealBudget) {
    this.schema = schema;
    this.#family = new Family(budget);
    this.set = this.#family.of([schema]);
  }

  /** A part of the schema by itself, for a text inside the text. */
  part(schema: SchemaNode, budget: HealBudget): Target {
    let target = this.#parts.get(schema);
    if (target === undefined) this.#parts.set(schema, (target = new Target(schema, budget)));
    return target;
  }

  /** Who pays for the candidate sets that are made from now on. */
  chargeTo(budget: HealBudget): void {
    this.#family.budget = budget;
  }
}
