// Resolves `$ref` and merges schemas: a reference with its sibling keywords, the parts of an `allOf`, the keywords of a
// union with those of a branch.
// Invariants:
//   1. Each schema is merged once, however many references lead to it.
//   2. Equal results are the same object, so that the compiler notices when a recursive schema reaches itself again.

import type { HealBudget } from '../budget.ts';
import { HealError } from '../report/error.ts';
import { isRecord, toStrings } from './keyword.ts';
import type { JsonSchema } from './schema.ts';

/** Schemas are read recursively. Ordinary ones are not deeper than this. */
export const maxSchemaDepth = 1000;

/** Longer strings are replaced by a number in the keys of derived schemas, to keep those keys short. */
const shortText = 40;

export class SchemaResolver {
  readonly #root: unknown;
  readonly #budget: HealBudget;
  readonly #targets = new Map<string, unknown>();
  /** By schema; `undefined` while a schema is being merged. */
  readonly #merged = new Map<JsonSchema, JsonSchema | undefined>();
  readonly #numbers = new Map<unknown, number>();
  readonly #derived = new Map<string, object>();
  #depth = 0;

  constructor(root: unknown, budget: HealBudget) {
    this.#root = root;
    this.#budget = budget;
  }

  /** Returns the schema that a reference points to. */
  resolve(reference: unknown, location: string): unknown {
    if (typeof reference !== 'string') throw invalid(location, 'has a $ref that is not a string');
    let target = this.#targets.get(reference);
    if (target === undefined) this.#targets.set(reference, (target = this.#find(reference, location)));
    return target;
  }

  #find(reference: string, location: string): unknown {
    if (!reference.startsWith('#'))
      throw invalid(location, `refers to ${shorten(reference)}; only references within the schema are supported`);
    let target: unknown = this.#root;
    this.#budget.spend(reference.length);
    for (const part of reference.split('/').slice(1)) {
      const key = decodePointer(part);
      const isThere = (isRecord(target) || Array.isArray(target)) && Object.hasOwn(target, key);
      target = isThere ? (target as Record<string, unknown>)[key] : undefined;
    }
    if (target === undefined) throw invalid(location, `refers to ${shorten(reference)}, which does not exist`);
    return target;
  }

  /** Returns one schema without `$ref` and `allOf` that describes the same shape. */
  merge(schema: JsonSchema, location: string): JsonSchema {
    const known = this.#merged.get(schema);
    if (known !== undefined) return known;
    if (this.#merged.has(schema)) throw invalid(location, 'only refers to itself');
    if (this.#depth >= maxSchemaDepth) throw invalid(location, `is nested more than ${maxSchemaDepth} levels deep`);
    this.#merged.set(schema, undefined);
    this.#depth++;
    const merged = this.#mergeParts(schema, location);
    this.#depth--;
    this.#merged.set(schema, merged);
    return merged;
  }

  #mergeParts(schema: JsonSchema, location: string): JsonSchema {
    const { $ref: reference, allOf, ...own } = schema;
    const referred = reference === undefined ? [] : [this.resolve(reference, location)];
    const parts: unknown[] = Array.isArray(allOf) ? referred.concat(allOf) : referred;
    this.#budget.spend(parts.length);
    const merged: Record<string, unknown> = {};
    for (const part of parts) if (isRecord(part)) this.#overlay(merged, this.#flat(part, location));
    this.#overlay(merged, own);
    return this.derive(merged);
  }

  #flat(part: JsonSchema, location: string): JsonSchema {
    return '$ref' in part || Array.isArray(part['allOf']) ? this.merge(part, location) : part;
  }

  /** A later keyword replaces an earlier one. Properties and required names are combined. */
  #overlay(merged: Record<string, unknown>, schema: JsonSchema): void {
    for (const [keyword, value] of Object.entries(schema)) {
      const before = merged[keyword];
      this.#budget.spend(1);
      if (value === undefined) continue;
      if (keyword === 'properties' && isRecord(before) && isRecord(value)) {
        merged[keyword] = this.derive({ ...before, ...value });
      } else if (keyword === 'required' && Array.isArray(before)) {
        merged[keyword] = this.derive([...new Set([...toStrings(before), ...toStrings(value)])]);
      } else merged[keyword] = value;
    }
  }

  /** Returns an equal object created earlier, or else the object itself. */
  derive<T extends object>(made: T): T {
    const key = this.#keyOf(made);
    const known = this.#derived.get(key);
    if (known !== undefined) return known as T;
    this.#derived.set(key, made);
    return made;
  }

  #keyOf(made: object): string {
    const entries = Object.entries(made);
    this.#budget.spend(4 * entries.length);
    const parts = entries.map(([name, value]) => `${this.#name(name)}:${this.#name(value)}`);
    return Array.isArray(made) ? `[${parts.join()}]` : parts.toSorted().join();
  }

  #name(value: unknown): string {
    const isLong = typeof value === 'string' && value.length > shortText;
    if (!isLong && (typeof value !== 'object' || value === null)) return JSON.stringify(value) ?? 'undefined';
    let number = this.#numbers.get(value);
    if (number === undefined) this.#numbers.set(value, (number = this.#numbers.size));
    return `#${number}`;
  }
}

function decodePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

export function invalid(location: string, problem: string): HealError {
  return new HealError('invalid-schema', `the schema at ${shorten(location)} ${problem}`);
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
