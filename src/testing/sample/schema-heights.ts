// Computes the number of levels in the shortest value of each subschema, which ends the sampling of a recursive schema.
// All heights of a document are computed at once, from the leaves up, in at most `mostDepth` passes.

import { isRecord } from '../../core/json.ts';
import { mostCharacters, mostDepth, mostValues, type SampleBudget } from './sample-budget.ts';
import { listOf, numberOr, type Keywords } from './schema-keywords.ts';

/** The schema requires itself, or more than the limits allow. */
const unreachable = Number.POSITIVE_INFINITY;

export class SchemaHeights {
  readonly #heights = new Map<unknown, number>();
  readonly #resolve: (reference: string) => unknown;

  constructor(root: unknown, budget: SampleBudget, resolve: (reference: string) => unknown) {
    this.#resolve = resolve;
    const nodes = recordsIn(root).toReversed();
    for (const node of nodes) this.#heights.set(node, unreachable);
    for (let pass = 0, changed = true; changed && pass < mostDepth; pass += 1) {
      budget.spendSteps(nodes.length, '');
      changed = false;
      for (const node of nodes) changed = this.#improve(node) || changed;
    }
  }

  of(schema: unknown): number {
    if (!isRecord(schema)) return schema === false ? unreachable : 0;
    // Not in the document: the result of a merge of parts that are.
    return this.#heights.get(schema) ?? largest(listOf(schema['allOf']).map((part) => this.#known(part)));
  }

  #known(schema: unknown): number {
    if (!isRecord(schema)) return schema === false ? unreachable : 0;
    return this.#heights.get(schema) ?? 0;
  }

  #improve(node: Keywords): boolean {
    const height = this.#measure(node);
    if (height >= this.#heights.get(node)!) return false;
    this.#heights.set(node, height);
    return true;
  }

  #measure(schema: Keywords): number {
    if ('const' in schema || 'enum' in schema) return 0;
    let height = this.#ownHeight(schema);
    if (typeof schema['$ref'] === 'string') height = Math.max(height, this.#known(this.#resolve(schema['$ref'])));
    for (const part of listOf(schema['allOf'])) height = Math.max(height, this.#known(part));
    for (const branches of [listOf(schema['anyOf']), listOf(schema['oneOf'])]) {
      if (branches.length > 0) height = Math.max(height, smallest(branches.map((branch) => this.#known(branch))));
    }
    return height;
  }

  #ownHeight(schema: Keywords): number {
    if (isTooLarge(schema)) return unreachable;
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const children = listOf(schema['required']).map((name) => properties[name as string] ?? true);
    if (numberOr(schema['minItems'], 0) > 0) children.push(schema['items'] ?? true);
    return children.length === 0 ? 0 : 1 + largest(children.map((child) => this.#known(child)));
  }
}

function isTooLarge({ minItems, minProperties, minLength }: Keywords): boolean {
  const values = Math.max(numberOr(minItems, 0), numberOr(minProperties, 0));
  return values > mostValues || numberOr(minLength, 0) > mostCharacters;
}

function recordsIn(root: unknown): Keywords[] {
  const seen = new Set<object>();
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const part of Object.values(value)) open.push(part);
  }
  return [...seen].filter(isRecord);
}

export function smallest(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
}

function largest(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => Math.max(left, right), 0);
}
