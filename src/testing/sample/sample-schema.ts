// Flattens references, unions and intersections into one schema, so that the sampler sees only types and bounds. Every step
// is charged to the budget, so that a schema that multiplies itself hits the limit.

import { isRecord } from '../../core/json.ts';
import type { Random } from '../model/random.ts';
import type { SampleBudget } from './sample-budget.ts';
import { SchemaHeights, smallest } from './schema-heights.ts';
import { KeywordMerger } from './keyword-merger.ts';
import { listOf, type Keywords, type Schema } from './schema-keywords.ts';

/** How often unions and intersections are resolved within one schema. */
const mostTurns = 64;

export class SchemaDocument {
  readonly #root: Schema;
  readonly #budget: SampleBudget;
  readonly #references = new Map<string, unknown>();
  #heights: SchemaHeights | undefined;

  constructor(root: Schema, budget: SampleBudget) {
    this.#root = root;
    this.#budget = budget;
  }

  /** The schema without `$ref`, `allOf`, `anyOf` and `oneOf`. `shortest`: choose the union branch with the lowest height. */
  flatten(schema: unknown, { random, shortest, place }: Flattening): Keywords | false {
    const merger = new KeywordMerger(this.#budget, place);
    // Each part is added once, because a schema may contain itself.
    const seen = new Set<unknown>();
    const add = (part: unknown): void => {
      for (let current = part; !seen.has(current);) {
        if (isRecord(current)) seen.add(current);
        if (!hasReference(current)) return merger.add(current);
        const { $ref: reference, ...rest } = current;
        merger.add(rest);
        current = this.#resolve(reference, place);
      }
    };
    add(schema);
    for (let turns = 0; turns < mostTurns && merger.hasCombination(); turns += 1) {
      const { allOf, anyOf, oneOf } = merger.takeCombination();
      for (const part of listOf(allOf)) add(part);
      for (const branches of [listOf(anyOf), listOf(oneOf)]) {
        if (branches.length > 0) add(this.#chooseBranch(branches, { random, shortest, place }));
      }
    }
    return merger.result();
  }

  /** Branches that no value fits are avoided if there are others. */
  #chooseBranch(branches: readonly unknown[], { random, shortest, place }: Flattening): unknown {
    this.#budget.spendSteps(branches.length, place);
    this.#heights ??= new SchemaHeights(this.#root, this.#budget, (reference) => this.#resolve(reference, place));
    const known = this.#heights;
    const heights = branches.map((branch) => known.of(branch));
    const best = smallest(heights);
    const limit = shortest ? best : Math.max(best, Number.MAX_SAFE_INTEGER);
    return random.pick(branches.filter((_, index) => heights[index]! <= limit));
  }

  /** Resolves a reference. An invalid one resolves to `true`, which allows everything. */
  #resolve(reference: string, place: string): unknown {
    if (!this.#references.has(reference)) {
      this.#budget.spendSteps(reference.length, place);
      this.#references.set(reference, follow(reference, this.#root));
    }
    return this.#references.get(reference);
  }
}

export interface Flattening {
  readonly random: Random;
  readonly shortest: boolean;
  readonly place: string;
}

function follow(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return true;
  let current: unknown = root;
  for (const part of reference.slice(1).split('/').filter(Boolean)) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    const holds = typeof current === 'object' && current !== null && Object.hasOwn(current, key);
    if (!holds) return true;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function hasReference(schema: unknown): schema is Keywords & { readonly $ref: string } {
  return isRecord(schema) && typeof schema['$ref'] === 'string';
}
