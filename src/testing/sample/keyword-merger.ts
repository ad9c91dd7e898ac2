// Merges several schemas into one with the meaning of `allOf`, keyword by keyword. Copying is charged to the budget.

import { isRecord } from '../../core/json.ts';
import type { SampleBudget } from './sample-budget.ts';
import { listOf, type Keywords } from './schema-keywords.ts';

export class KeywordMerger {
  readonly #budget: SampleBudget;
  readonly #place: string;
  #merged = new Map<string, unknown>();
  #isImpossible = false;

  constructor(budget: SampleBudget, place: string) {
    this.#budget = budget;
    this.#place = place;
  }

  /** `false` allows nothing; anything else that is not an object allows everything. */
  add(schema: unknown): void {
    if (schema === false) this.#isImpossible = true;
    if (!isRecord(schema)) return;
    for (const [keyword, value] of Object.entries(schema)) this.#addKeyword(keyword, value);
  }

  hasCombination(): boolean {
    return !this.#isImpossible && combinations.some((keyword) => this.#merged.has(keyword));
  }

  takeCombination(): Keywords {
    const taken = combinations.map((keyword) => [keyword, this.#merged.get(keyword)]);
    for (const keyword of combinations) this.#merged.delete(keyword);
    return Object.fromEntries(taken);
  }

  result(): Keywords | false {
    return this.#isImpossible ? false : Object.fromEntries(this.#merged);
  }

  #addKeyword(keyword: string, value: unknown): void {
    this.#budget.spendSteps(1, this.#place);
    const present = this.#merged.get(keyword);
    if (!this.#merged.has(keyword)) this.#merged.set(keyword, value);
    else if (keyword === 'anyOf' || keyword === 'oneOf') {
      // A second union cannot be merged into the first, so it becomes a part of `allOf`.
      this.#addKeyword('allOf', [{ [keyword]: value }]);
    } else {
      this.#budget.spendSteps(sizeOf(present) + sizeOf(value), this.#place);
      this.#merged.set(keyword, mergeKeyword.get(keyword)?.(present, value) ?? value);
    }
  }
}

const combinations = ['allOf', 'anyOf', 'oneOf'];

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 0;
}

const larger = (left: unknown, right: unknown): number => Math.max(left as number, right as number);
const smaller = (left: unknown, right: unknown): number => Math.min(left as number, right as number);
const common = (left: unknown, right: unknown): unknown[] => {
  const wanted = new Set(listOf(right).map((item) => JSON.stringify(item)));
  return listOf(left).filter((item) => wanted.has(JSON.stringify(item)));
};

/** Extends an `allOf` that an earlier merge created, so that many parts do not become a deep schema. */
function both(left: unknown, right: unknown): Keywords {
  const isJoined = isRecord(left) && Object.keys(left).length === 1 && Array.isArray(left['allOf']);
  return { allOf: [...(isJoined ? listOf(left['allOf']) : [left]), right] };
}

/** How two values of a keyword are merged. For any other keyword, the second value is used. */
const mergeKeyword: ReadonlyMap<string, (left: unknown, right: unknown) => unknown> = new Map<
  string,
  (left: unknown, right: unknown) => unknown
>([
  ['minimum', larger],
  ['exclusiveMinimum', larger],
  ['minLength', larger],
  ['minItems', larger],
  ['minProperties', larger],
  ['maximum', smaller],
  ['exclusiveMaximum', smaller],
  ['maxLength', smaller],
  ['maxItems', smaller],
  ['maxProperties', smaller],
  ['enum', common],
  ['type', mergeTypes],
  ['items', both],
  ['required', (left, right) => [...new Set([...listOf(left), ...listOf(right)])]],
  ['properties', mergeProperties],
  ['additionalProperties', (left, right) => (left === false || right === false ? false : both(left, right))],
  ['allOf', (left, right) => [...listOf(left), ...listOf(right)]],
]);

function mergeProperties(left: unknown, right: unknown): Record<string, unknown> {
  const merged = new Map(Object.entries(isRecord(left) ? left : {}));
  for (const [name, schema] of Object.entries(isRecord(right) ? right : {})) {
    merged.set(name, merged.has(name) ? both(merged.get(name), schema) : schema);
  }
  // Unlike assignment, this keeps a property named `__proto__`.
  return Object.fromEntries(merged);
}

function mergeTypes(left: unknown, right: unknown): unknown {
  const rights = Array.isArray(right) ? right : [right];
  const kept = (Array.isArray(left) ? left : [left]).flatMap((type) => {
    if (rights.includes(type)) return [type];
    if (type === 'number' && rights.includes('integer')) return ['integer'];
    return type === 'integer' && rights.includes('number') ? ['integer'] : [];
  });
  return kept.length === 1 ? kept[0] : kept;
}
