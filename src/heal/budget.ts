// The work one heal call may do with a schema, counted in steps rather than time so that a limit is reached on every
// machine alike. A step is about one comparison of a value with one schema. A schema written to be expensive runs out
// of steps; an ordinary one does not, because every character of text brings further steps with it.

import { HealError } from './report/error.ts';

export interface BudgetLimits {
  /** For compiling the schema and for a short text. */
  readonly base?: number;
  /** An ordinary schema takes less than one step; a union of twenty objects takes about four. */
  readonly perCharacter?: number;
  /** The steps between two calls of `startTurn`, for callers that share a thread with others. No limit when left out. */
  readonly perTurn?: number;
}

export class HealBudget {
  readonly #perCharacter: number;
  readonly #perTurn: number;
  #granted: number;
  #spent = 0;
  #turnStart = 0;

  /** The defaults are for the schemas of a program's own author: only a mistake reaches them. */
  constructor({ base = 10_000_000, perCharacter = 200, perTurn = Infinity }: BudgetLimits = {}) {
    this.#granted = base;
    this.#perCharacter = perCharacter;
    this.#perTurn = perTurn;
  }

  /** How many steps were used so far. */
  get spent(): number {
    return this.#spent;
  }

  /** How many of them since the last `startTurn`. */
  get spentInTurn(): number {
    return this.#spent - this.#turnStart;
  }

  /** Text has arrived. */
  addText(characters: number): void {
    this.#granted += characters * this.#perCharacter;
  }

  /** Others had their turn. */
  startTurn(): void {
    this.#turnStart = this.#spent;
  }

  /** Throws `schema-too-complex` when no steps are left. */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#granted) throw exhausted(this.#granted);
    if (this.spentInTurn > this.#perTurn) throw exhausted(this.#perTurn);
  }
}

function exhausted(steps: number): HealError {
  return new HealError(
    'schema-too-complex',
    `comparing the text with the schema takes more than ${steps} steps; use fewer alternatives, references and nested unions`,
  );
}
