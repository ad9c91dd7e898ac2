// Checks the constraints of a JSON Schema on the finished value. Constraints do not influence how a text is read: a
// value that violates one is rejected, not changed. Schema libraries have their own validation instead.
// Invariant: each value is checked at most once against each schema, however many unions and references lead to it.

import { HealBudget } from '../budget.ts';
import type { Flag, PathKey } from '../report/flag.ts';
import { toKeys, type LinkedPath } from '../report/linked-path.ts';
import { isRecord } from './keyword.ts';
import { regExpPatterns, type PatternCompiler, type PatternTest } from './pattern.ts';
import { findViolation, constraintKeywords, type ConstraintContext } from './constraint-keyword.ts';
import type { ArraySchema, ObjectSchema, SchemaNode } from './schema.ts';
import { StructuralIds } from './structural-id.ts';

export interface Violation {
  readonly path: readonly PathKey[];
  readonly message: string;
}

export interface Review {
  /** The first constraint that the value violates. */
  readonly violation: Violation | undefined;
  /** One flag for each pattern that could not be checked, with the path of its first use. */
  readonly unchecked: readonly Flag[];
}

export interface ReviewOptions {
  readonly patterns?: PatternCompiler | undefined;
  readonly budget?: HealBudget | undefined;
}

/** Deeper parts are not checked. */
const maxDepth = 400;

/** Further unchecked patterns are not listed. */
const maxUnchecked = 100;

export function reviewConstraints(schema: SchemaNode, value: unknown, options: ReviewOptions = {}): Review {
  const { patterns = regExpPatterns, budget = new HealBudget() } = options;
  if (!isConstrained(schema, budget)) return { violation: undefined, unchecked: [] };
  const check = new ConstraintCheck(patterns, budget);
  const violation = check.find(schema, value, undefined, 0);
  return {
    violation: violation && { path: toKeys(violation.path), message: violation.message },
    unchecked: check.unchecked.map(({ pattern, path, count }) => ({
      kind: 'unchecked-pattern',
      expected: pattern.slice(0, 60),
      count,
      path: toKeys(path),
    })),
  };
}

const constrained = new WeakMap<SchemaNode, boolean>();

/** Whether the schema has a constraint anywhere. */
function isConstrained(schema: SchemaNode, budget: HealBudget): boolean {
  const known = constrained.get(schema);
  if (known !== undefined) return known;
  const reached = new Set<SchemaNode>([schema]);
  let found = false;
  for (const each of reached) {
    const parts = partsOf(each);
    budget.spend(parts.length + 1);
    for (const part of parts) reached.add(part);
    found ||= hasConstraint(each);
  }
  constrained.set(schema, found);
  return found;
}

function hasConstraint(schema: SchemaNode): boolean {
  const { source } = schema;
  if (schema.kind === 'object' && (schema.names !== undefined || schema.patterns.size > 0)) return true;
  return constraintKeywords.some((keyword) => keyword in source);
}

function partsOf(schema: SchemaNode): readonly SchemaNode[] {
  if (schema.kind === 'union') return schema.flat;
  if (schema.kind === 'array') return [...schema.prefix, schema.items];
  if (schema.kind !== 'object') return [];
  const fields = Array.from(schema.fields.values(), (field) => field.schema);
  return schema.rest === undefined ? fields : [...fields, schema.rest];
}

interface LocatedViolation {
  readonly path: LinkedPath | undefined;
  readonly message: string;
}

interface Unchecked {
  readonly pattern: string;
  readonly path: LinkedPath | undefined;
  count: number;
}

class ConstraintCheck implements ConstraintContext {
  readonly budget: HealBudget;
  readonly structuralIds: StructuralIds;
  readonly #compile: PatternCompiler;
  readonly #tests = new Map<string, PatternTest | undefined>();
  readonly #unchecked = new Map<string, Unchecked>();
  /** Earlier results, by value and schema. */
  readonly #known = new Map<object, Map<SchemaNode, LocatedViolation | undefined>>();
  #path: LinkedPath | undefined;

  constructor(patterns: PatternCompiler, budget: HealBudget) {
    this.#compile = patterns;
    this.budget = budget;
    this.structuralIds = new StructuralIds(budget);
  }

  get unchecked(): readonly Unchecked[] {
    return [...this.#unchecked.values()];
  }

  matches(pattern: string, text: string): boolean | undefined {
    if (!this.#tests.has(pattern)) this.#tests.set(pattern, this.#compile(pattern));
    const found = this.#tests.get(pattern)?.(text);
    if (found === undefined) this.#countUnchecked(pattern);
    return found;
  }

  #countUnchecked(pattern: string): void {
    const before = this.#unchecked.get(pattern);
    if (before !== undefined) before.count++;
    else if (this.#unchecked.size < maxUnchecked) this.#unchecked.set(pattern, { pattern, path: this.#path, count: 1 });
  }

  find(schema: SchemaNode, value: unknown, path: LinkedPath | undefined, depth: number): LocatedViolation | undefined {
    this.budget.spend(1);
    if (depth > maxDepth) return undefined;
    if (typeof value !== 'object' || value === null) return this.#findIn(schema, value, path, depth);
    let found = this.#known.get(value);
    if (found === undefined) this.#known.set(value, (found = new Map()));
    if (!found.has(schema)) found.set(schema, this.#findIn(schema, value, path, depth));
    return found.get(schema);
  }

  #findIn(
    schema: SchemaNode,
    value: unknown,
    path: LinkedPath | undefined,
    depth: number,
  ): LocatedViolation | undefined {
    this.#path = path;
    const message = findViolation(schema.source, value, this);
    if (message !== undefined) return { path, message };
    if (schema.kind === 'union') return this.#findInUnion(schema.flat, value, path, depth);
    if (schema.kind === 'array' && Array.isArray(value)) return this.#findInItems(schema, value, path, depth);
    if (schema.kind !== 'object' || !isRecord(value)) return undefined;
    return this.#findInMembers(schema, value, path, depth);
  }

  /** One matching branch is enough. Otherwise the violation comes from the first branch that has the value's type. */
  #findInUnion(
    branches: readonly SchemaNode[],
    value: unknown,
    path: LinkedPath | undefined,
    depth: number,
  ): LocatedViolation | undefined {
    let first: LocatedViolation | undefined;
    for (const branch of branches) {
      this.budget.spend(1);
      if (!hasKind(branch, value)) continue;
      const violation = this.find(branch, value, path, depth);
      if (violation === undefined) return undefined;
      first ??= violation;
    }
    return first;
  }

  #findInItems(
    schema: ArraySchema,
    items: readonly unknown[],
    parent: LinkedPath | undefined,
    depth: number,
  ): LocatedViolation | undefined {
    for (const [key, item] of items.entries()) {
      const violation = this.find(schema.prefix[key] ?? schema.items, item, { parent, key }, depth + 1);
      if (violation !== undefined) return violation;
    }
    return undefined;
  }

  #findInMembers(
    schema: ObjectSchema,
    members: Readonly<Record<string, unknown>>,
    parent: LinkedPath | undefined,
    depth: number,
  ): LocatedViolation | undefined {
    for (const [key, member] of Object.entries(members)) {
      const path = { parent, key };
      const declared = schema.fields.get(key)?.schema ?? schema.rest;
      const violation =
        (declared && this.find(declared, member, path, depth + 1)) ??
        this.#findInName(schema, key, path) ??
        this.#findByPattern(schema, member, path, depth);
      if (violation !== undefined) return violation;
    }
    return undefined;
  }

  #findInName({ names }: ObjectSchema, name: string, path: LinkedPath): LocatedViolation | undefined {
    if (names === undefined) return undefined;
    this.#path = path;
    const message = findViolation(names.source, name, this);
    return message === undefined ? undefined : { path, message: `the name ${message}` };
  }

  #findByPattern(
    { patterns }: ObjectSchema,
    member: unknown,
    path: LinkedPath,
    depth: number,
  ): LocatedViolation | undefined {
    for (const [pattern, declared] of patterns) {
      this.budget.spend(1);
      this.#path = path;
      const violation = this.matches(pattern, String(path.key)) && this.find(declared, member, path, depth + 1);
      if (typeof violation === 'object') return violation;
    }
    return undefined;
  }
}

function hasKind(schema: SchemaNode, value: unknown): boolean {
  switch (schema.kind) {
    case 'any':
    case 'union':
      return true;
    case 'enum':
      return schema.values.has(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'never':
      return false;
    default:
      return typeof value === schema.kind || (schema.kind === 'number' && typeof value === 'bigint');
  }
}
