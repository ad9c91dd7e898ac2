// The work one heal call may do with a schema, counted in steps rather than time so that a limit is reached on every
// machine alike. A step is about one comparison of a value with one schema. A schema written to be expensive runs out
// of steps; an ordinary one does not, because every character of text brings further steps with it.

import { HealError } from './error.ts';

/** For compiling the schema and for a short text. */
const baseSteps = 250_000;

/** An ordinary schema takes less than one; a union of twenty objects takes about all of them. */
const stepsPerCharacter = 4;

export interface BudgetLimits {
  /** The steps between two calls of `startTurn`, for callers that share a thread with others. No limit when left out. */
  readonly perTurn?: number;
}

export class HealBudget {
  readonly #perTurn: number;
  #granted = baseSteps;
  #spent = 0;
  #turnStart = 0;

  constructor({ perTurn = Infinity }: BudgetLimits = {}) {
    this.#perTurn = perTurn;
  }

  /** How many steps were used so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Text has arrived. */
  addText(characters: number): void {
    this.#granted += characters * stepsPerCharacter;
  }

  /** Others had their turn. */
  startTurn(): void {
    this.#turnStart = this.#spent;
  }

  /** Throws `schema-too-complex` when no steps are left. */
  spend(steps: number): void {
    this.#spent += steps;
    if (this.#spent > this.#granted) throw exhausted(this.#granted);
    if (this.#spent - this.#turnStart > this.#perTurn) throw exhausted(this.#perTurn);
  }
}

function exhausted(steps: number): HealError {
  return new HealError(
    'schema-too-complex',
    `comparing the text with the schema takes more than ${steps} steps; use fewer alternatives, references and nested unions`,
  );
}
