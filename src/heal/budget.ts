// Limits the work that one heal call may do with a schema. Work is counted in steps, not in time, so that a limit is
// reached at the same point on every machine. One step is about one comparison of a value with one schema. A schema
// written to be expensive runs out of steps. An ordinary schema does not, because every character of text adds steps.

import { HealError } from './report/error.ts';

export interface BudgetLimits {
  /** Steps for compiling the schema and for a short text. */
  readonly base?: number;
  /** Steps added per character. An ordinary schema needs less than one, a union of twenty objects about four. */
  readonly perCharacter?: number;
  /**
   * Maximum number of steps between two calls of `startTurn`, for callers that share a thread. Unlimited by default.
   */
  readonly perTurn?: number;
}

export class HealBudget {
  readonly #perCharacter: number;
  readonly #perTurn: number;
  #granted: number;
  #spent = 0;
  #turnStart = 0;

  /** The defaults suit schemas written by the program's own developer. Only a mistake exceeds them. */
  constructor({ base = 10_000_000, perCharacter = 200, perTurn = Infinity }: BudgetLimits = {}) {
    this.#granted = base;
    this.#perCharacter = perCharacter;
    this.#perTurn = perTurn;
  }

  /** Steps spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Steps spent since the last `startTurn`. */
  get spentInTurn(): number {
    return this.#spent - this.#turnStart;
  }

  /** Adds the steps for newly arrived text. */
  addText(characters: number): void {
    this.#granted += characters * this.#perCharacter;
  }

  /** Resets the count for the per-turn limit. */
  startTurn(): void {
    this.#turnStart = this.#spent;
  }

  /** Throws `schema-too-complex` if no steps are left. */
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
