// Assigns ids to values by their structure: equal values get the same id, regardless of member order. Each object is
// examined once, however often it is compared.

import type { HealBudget } from '../budget.ts';

/** Deeper values are treated as different. */
const maxDepth = 400;

export class StructuralIds {
  readonly #budget: HealBudget;
  readonly #byKey = new Map<unknown, number>();
  readonly #byValue = new Map<object, number>();
  readonly #sets = new Map<readonly unknown[], ReadonlySet<number>>();
  #next = 0;

  constructor(budget: HealBudget) {
    this.#budget = budget;
  }

  of(value: unknown, depth = 0): number {
    this.#budget.spend(1);
    if (typeof value !== 'object' || value === null)
      return this.#numberOf(typeof value === 'string' ? `"${value}` : value);
    if (depth > maxDepth) return this.#next++;
    const known = this.#byValue.get(value);
    if (known !== undefined) return known;
    const number = this.#numberOf(this.#keyOf(value, depth));
    this.#byValue.set(value, number);
    return number;
  }

  /** The ids of a list of values, such as those of an enum. */
  ofAll(values: readonly unknown[]): ReadonlySet<number> {
    let ids = this.#sets.get(values);
    if (ids === undefined) this.#sets.set(values, (ids = new Set(values.map((value) => this.of(value)))));
    return ids;
  }

  #keyOf(value: object, depth: number): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.of(item, depth + 1)).join()}`;
    const members = Object.entries(value).map(([name, member]) => [this.of(name), this.of(member, depth + 1)]);
    return `{${members.toSorted(([left = 0], [right = 0]) => left - right).join(' ')}`;
  }

  #numberOf(key: unknown): number {
    let number = this.#byKey.get(key);
    if (number === undefined) this.#byKey.set(key, (number = this.#next++));
    return number;
  }
}
