// Checks whether a parsed value already matches its schema exactly, so that it can be returned unchanged. This is the
// fast path for valid responses. Anything doubtful or deeply nested goes through coercion.

import { HealBudget } from '../budget.ts';
import { isRecord } from '../schema/keyword.ts';
import { isIsoDate } from './date.ts';
import type {
  ArraySchema,
  NumberSchema,
  ObjectSchema,
  SchemaNode,
  StringSchema,
  UnionSchema,
} from '../schema/schema.ts';

/** Deeper values go through coercion, which does not recurse. */
export const maxRecursionDepth = 400;

export interface ExactMatchLimits {
  readonly depth?: number;
  readonly budget?: HealBudget | undefined;
}

export function matchesExactly(
  schema: SchemaNode,
  value: unknown,
  { depth = maxRecursionDepth, budget }: ExactMatchLimits = {},
): boolean {
  return new ExactMatcher(budget ?? new HealBudget(), false).matches(schema, value, depth);
}

/**
 * Whether coercion would change a valid value only by leaving out undeclared members, filling in defaults and
 * converting to a type that JSON lacks.
 */
export function matchesLoosely(schema: SchemaNode, value: unknown, budget: HealBudget): boolean {
  return new ExactMatcher(budget, true).matches(schema, value, maxRecursionDepth);
}

class ExactMatcher {
  readonly #budget: HealBudget;
  readonly #isLoose: boolean;
  /** Containers that did not match a union, so that a recursive schema does not check them again. */
  readonly #mismatches = new Map<UnionSchema, Set<unknown>>();

  constructor(budget: HealBudget, isLoose: boolean) {
    this.#budget = budget;
    this.#isLoose = isLoose;
  }

  matches(schema: SchemaNode, value: unknown, left: number): boolean {
    switch (schema.kind) {
      case 'any':
        return true;
      case 'never':
        return false;
      case 'string':
        return typeof value === 'string' && this.#matchesString(value, schema);
      case 'number':
        return typeof value === 'number' && this.#matchesNumber(schema, value);
      case 'boolean':
        return typeof value === 'boolean';
      case 'null':
        return value === null;
      case 'enum':
        return schema.values.has(value);
      case 'union':
        return this.#matchesUnion(schema, value, left);
      case 'array':
        return Array.isArray(value) && (left > 0 ? this.#matchesItems(value, schema, left) : this.#isLoose);
      case 'object':
        return isRecord(value) && (left > 0 ? this.#matchesMembers(schema, value, left) : this.#isLoose);
    }
  }

  #matchesNumber({ big, integer }: NumberSchema, value: number): boolean {
    if (!Number.isFinite(value)) return false;
    if (this.#isLoose) return !integer || Number.isInteger(value);
    return !big && (!integer || Number.isSafeInteger(value));
  }

  /** A date in another format goes through coercion, which may convert it. */
  #matchesString(text: string, { isDate, dateFormat }: StringSchema): boolean {
    return isDate ? this.#isLoose : dateFormat === undefined || isIsoDate(text, dateFormat);
  }

  #matchesUnion(schema: UnionSchema, value: unknown, left: number): boolean {
    const known = this.#mismatches.get(schema);
    if (known?.has(value)) return false;
    for (const branch of schema.flat) {
      this.#budget.spend(1);
      if (this.matches(branch, value, left)) return true;
    }
    if (typeof value !== 'object' || value === null) return false;
    if (known === undefined) this.#mismatches.set(schema, new Set([value]));
    else known.add(value);
    return false;
  }

  #matchesItems(items: readonly unknown[], { prefix, items: rest }: ArraySchema, left: number): boolean {
    this.#budget.spend(items.length);
    return items.every((item, index) => this.matches(prefix[index] ?? rest, item, left - 1));
  }

  #matchesMembers(schema: ObjectSchema, value: Readonly<Record<string, unknown>>, left: number): boolean {
    let found = 0;
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      this.#budget.spend(1);
      const field = schema.fields.get(key);
      if (field === undefined) {
        if (!this.#matchesOther(schema, value[key], left)) return false;
      } else {
        if (!this.matches(field.schema, value[key], left - 1)) return false;
        found++;
      }
    }
    return found === schema.fields.size || this.#hasRequired(schema, value);
  }

  #matchesOther({ rest, names }: ObjectSchema, member: unknown, left: number): boolean {
    if (this.#isLoose && rest === undefined) return true;
    return rest !== undefined && (this.#isLoose || names === undefined) && this.matches(rest, member, left - 1);
  }

  #hasRequired({ fields }: ObjectSchema, value: Readonly<Record<string, unknown>>): boolean {
    this.#budget.spend(fields.size);
    for (const field of fields.values()) {
      if ((field.required || (field.schema.hasDefault && !this.#isLoose)) && !Object.hasOwn(value, field.name))
        return false;
    }
    return true;
  }
}
