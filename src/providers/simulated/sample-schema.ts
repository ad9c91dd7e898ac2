// Makes one flat schema out of references, alternatives and intersections, so that the sampler sees only types and
// bounds. Knows how deep the shortest value of a schema is: that is what ends the sampling of a recursive one.

import { isRecord } from '../../core/json.ts';
import type { Random } from './random.ts';

/** A schema's keywords. Loose: whoever wrote it may have written anything. */
export type Keywords = Readonly<Record<string, unknown>>;
export type Schema = Keywords | boolean;

/** Where the shortest value is deeper than this, there is none: the schema requires itself. */
const unreachable = Number.POSITIVE_INFINITY;

export class SchemaDocument {
  readonly #root: Schema;
  readonly #heights = new Map<Keywords, number>();

  constructor(root: Schema) {
    this.#root = root;
  }

  /** The schema without `$ref`, `allOf`, `anyOf` and `oneOf`. With `shortest`, the arm that ends soonest is taken. */
  flatten(schema: unknown, random: Random, shortest: boolean): Keywords | false {
    let flat = this.#dereference(schema);
    for (let turns = 0; flat !== false && hasCombination(flat) && turns < 64; turns += 1) {
      const { allOf, anyOf, oneOf, ...rest } = flat;
      flat = rest;
      for (const part of listOf(allOf)) flat = merge(flat, this.#dereference(part));
      for (const arms of [listOf(anyOf), listOf(oneOf)]) {
        if (arms.length > 0) flat = merge(flat, this.#dereference(this.#chooseArm(arms, random, shortest)));
      }
    }
    return flat;
  }

  #chooseArm(arms: readonly unknown[], random: Random, shortest: boolean): unknown {
    const heights = arms.map((arm) => this.#heightOf(arm, []));
    const best = Math.min(...heights);
    const limit = shortest ? best : Math.max(best, Number.MAX_SAFE_INTEGER);
    return random.pick(arms.filter((_, index) => heights[index]! <= limit));
  }

  #dereference(schema: unknown): Keywords | false {
    let current = schema;
    for (let hops = 0; hasReference(current) && hops < 64; hops += 1) {
      const { $ref: reference, ...rest } = current;
      const target = this.#resolve(reference);
      current = Object.keys(rest).length === 0 ? target : merge(rest, this.#dereference(target));
    }
    if (current === false) return false;
    return isRecord(current) ? current : {};
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith('#')) return true;
    let current: unknown = this.#root;
    for (const part of reference.slice(1).split('/').filter(Boolean)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      current = isRecord(current) || Array.isArray(current) ? (current as Record<string, unknown>)[key] : undefined;
    }
    return current ?? true;
  }

  #heightOf(schema: unknown, path: readonly unknown[]): number {
    if (!isRecord(schema)) return schema === false ? unreachable : 0;
    const known = this.#heights.get(schema);
    if (known !== undefined) return known;
    if (path.includes(schema)) return unreachable;
    const height = this.#measure(schema, [...path, schema]);
    // Only what ends is remembered: a height cut short by the path says nothing about another way in.
    if (height !== unreachable) this.#heights.set(schema, height);
    return height;
  }

  #measure(schema: Keywords, path: readonly unknown[]): number {
    if ('const' in schema || 'enum' in schema) return 0;
    const parts = [this.#ownHeight(schema, path)];
    if (typeof schema['$ref'] === 'string') parts.push(this.#heightOf(this.#resolve(schema['$ref']), path));
    for (const part of listOf(schema['allOf'])) parts.push(this.#heightOf(part, path));
    for (const arms of [listOf(schema['anyOf']), listOf(schema['oneOf'])]) {
      if (arms.length > 0) parts.push(Math.min(...arms.map((arm) => this.#heightOf(arm, path))));
    }
    return Math.max(...parts);
  }

  #ownHeight(schema: Keywords, path: readonly unknown[]): number {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const children = listOf(schema['required']).map((name) => properties[name as string] ?? true);
    if (typeof schema['minItems'] === 'number' && schema['minItems'] > 0) children.push(schema['items'] ?? true);
    if (children.length === 0) return 0;
    return 1 + Math.max(...children.map((child) => this.#heightOf(child, path)));
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function hasReference(schema: unknown): schema is Keywords & { readonly $ref: string } {
  return isRecord(schema) && typeof schema['$ref'] === 'string';
}

function hasCombination(schema: Keywords): boolean {
  return 'allOf' in schema || 'anyOf' in schema || 'oneOf' in schema;
}

const larger = (left: unknown, right: unknown): number => Math.max(left as number, right as number);
const smaller = (left: unknown, right: unknown): number => Math.min(left as number, right as number);
const common = (left: unknown, right: unknown): unknown[] => {
  const wanted = new Set(listOf(right).map((item) => JSON.stringify(item)));
  return listOf(left).filter((item) => wanted.has(JSON.stringify(item)));
};
const both = (left: unknown, right: unknown): unknown => ({ allOf: [left, right] });

/** How a keyword that stands in two schemas is said once. Any other keyword: the second schema's word counts. */
const mergeKeyword: Readonly<Record<string, (left: unknown, right: unknown) => unknown>> = {
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  enum: common,
  type: mergeTypes,
  items: both,
  required: (left, right) => [...new Set([...listOf(left), ...listOf(right)])],
  properties: mergeProperties,
  additionalProperties: (left, right) => (left === false || right === false ? false : both(left, right)),
  allOf: (left, right) => [...listOf(left), ...listOf(right)],
  anyOf: (left) => left,
  oneOf: (left) => left,
};

function merge(left: Keywords | false, right: Keywords | false): Keywords | false {
  if (left === false || right === false) return false;
  const merged: Record<string, unknown> = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    const mergeTwo = keyword in merged ? mergeKeyword[keyword] : undefined;
    merged[keyword] = mergeTwo === undefined ? value : mergeTwo(merged[keyword], value);
  }
  // A second list of alternatives cannot be merged into the first: it waits its turn as a part.
  for (const keyword of ['anyOf', 'oneOf']) {
    if (keyword in left && keyword in right)
      merged['allOf'] = [...listOf(merged['allOf']), { [keyword]: right[keyword] }];
  }
  return merged;
}

function mergeProperties(left: unknown, right: unknown): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...(isRecord(left) ? left : {}) };
  for (const [name, schema] of Object.entries(isRecord(right) ? right : {})) {
    merged[name] = name in merged ? both(merged[name], schema) : schema;
  }
  return merged;
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
