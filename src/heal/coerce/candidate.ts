// The schemas that a node may have to match. A node is scored against all its candidates at once, from the leaves up,
// so union branches, wrapped values and single items need no second pass and no recursion. Candidate sets are created
// once per compiled schema and shared, because the set behind a key depends only on the parent set, not on the text.

import type { HealBudget } from '../budget.ts';
import type { Expectation } from '../parse/frame.ts';
import { normaliseName } from '../schema/name.ts';
import type { Node } from '../parse/node.ts';
import type { SchemaField, ObjectSchema, SchemaNode } from '../schema/schema.ts';

export class CandidateSet implements Expectation {
  /** Ordered by dependency: branches come before their union, items before their array. */
  readonly schemas: readonly SchemaNode[];
  readonly #indices: ReadonlyMap<SchemaNode, number>;
  readonly #cache: CandidateSetCache;
  readonly #members = new Map<string, CandidateSet>();
  #items: CandidateSet | undefined;
  #names: FieldNames | undefined;
  /** Number of array and object schemas, and the total number of fields of the objects. */
  readonly arrays: number;
  readonly objects: number;
  readonly fields: number;
  /** Only a string can match. */
  readonly wantsString: boolean;
  readonly wantsArray: boolean;
  readonly wantsObject: boolean;

  constructor(schemas: readonly SchemaNode[], cache: CandidateSetCache) {
    this.schemas = schemas;
    this.#cache = cache;
    this.#indices = new Map(schemas.map((schema, index) => [schema, index]));
    const objects = schemas.filter((schema) => schema.kind === 'object');
    this.objects = objects.length;
    this.fields = objects.reduce((sum, { fields }) => sum + fields.size, 0);
    this.wantsString = schemas.every((schema) => schema.kind === 'string');
    this.arrays = schemas.filter((schema) => schema.kind === 'array').length;
    this.wantsArray = this.arrays > 0;
    this.wantsObject = objects.length > 0;
  }

  /** Index of a schema in `schemas`; -1 if it is not a candidate. */
  indexOf(schema: SchemaNode): number {
    return this.#indices.get(schema) ?? -1;
  }

  member(key: string): CandidateSet {
    let set = this.#members.get(key);
    if (set === undefined) {
      this.#cache.budget?.spend(this.schemas.length);
      set = this.#cache.of(this.schemas.flatMap((schema) => memberSchemas(schema, key)));
      // Keys come from the text, so the number of cached ones is limited.
      if (this.#members.size < 256) this.#members.set(key, set);
    }
    return set;
  }

  item(): CandidateSet {
    this.#items ??= this.#cache.of(this.schemas.flatMap(itemSchemas));
    return this.#items;
  }

  knows(key: string): boolean | undefined {
    this.#names ??= this.#indexNames();
    const { exact, similar, isOpen } = this.#names;
    if (exact.has(key) || similar.has(normaliseName(key))) return true;
    return isOpen ? undefined : false;
  }

  #indexNames(): FieldNames {
    const names = { exact: new Set<string>(), similar: new Set<string>(), isOpen: false };
    this.#cache.budget?.spend(this.schemas.length + this.fields);
    for (const schema of this.schemas) {
      if (schema.kind === 'any' || (schema.kind === 'object' && schema.rest !== undefined)) names.isOpen = true;
      if (schema.kind !== 'object') continue;
      for (const name of schema.fields.keys()) names.exact.add(name);
      for (const name of schema.aliases.keys()) names.exact.add(name);
      for (const name of schema.similar.keys()) names.similar.add(name);
    }
    return names;
  }
}

/** The field names of all objects in a set. */
interface FieldNames {
  readonly exact: ReadonlySet<string>;
  readonly similar: ReadonlySet<string>;
  /** Other names are allowed too. */
  readonly isOpen: boolean;
}

/** All candidate sets of one compiled schema. Each is created once. */
export class CandidateSetCache {
  readonly #sets = new Map<string, CandidateSet>();
  /** The budget of the current call. It pays for sets that later calls reuse. */
  budget: HealBudget | undefined;

  constructor(budget?: HealBudget) {
    this.budget = budget;
  }

  of(schemas: readonly SchemaNode[]): CandidateSet {
    const closed = close(schemas, this.budget);
    const key = closed.map((schema) => schema.id).join(' ');
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = new CandidateSet(closed, this);
      this.#sets.set(key, set);
    }
    return set;
  }
}

/** Cost of adding a schema to a set and of looking the set up. */
const stepsPerCandidate = 4;

/** Adds all schemas whose results for the same node are needed to score the given ones. */
function close(schemas: readonly SchemaNode[], budget: HealBudget | undefined): SchemaNode[] {
  const ordered = new Set<SchemaNode>();
  const entered = new Set<SchemaNode>();
  const stack: { readonly schema: SchemaNode; leave: boolean }[] = schemas
    .toReversed()
    .map((schema) => ({ schema, leave: false }));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    budget?.spend(stepsPerCandidate);
    if (top.leave) ordered.add(top.schema);
    else if (!entered.has(top.schema)) {
      entered.add(top.schema);
      stack.push({ schema: top.schema, leave: true });
      for (const part of partsOf(top.schema).toReversed()) stack.push({ schema: part, leave: false });
    }
  }
  return [...ordered];
}

/** The schemas that this one is built from for the same node: union branches, the single item, the only field. */
function partsOf(schema: SchemaNode): readonly SchemaNode[] {
  if (schema.kind === 'union') return schema.branches;
  if (schema.kind === 'array') return [schema.items];
  const only = onlyField(schema);
  return only === undefined ? [] : [only.schema];
}

/** The only field of an object that has exactly one. A bare value may be meant for it. */
export function onlyField(schema: SchemaNode): SchemaField | undefined {
  if (schema.kind !== 'object' || schema.fields.size !== 1 || schema.rest !== undefined) return undefined;
  return schema.fields.values().next().value;
}

function memberSchemas(schema: SchemaNode, key: string): SchemaNode[] {
  if (schema.kind === 'any') return [schema];
  // An array may be wrapped in an object, and a scalar may be the only member of one.
  if (schema.kind !== 'object') return isScalar(schema) || schema.kind === 'array' ? [schema] : [];
  const field = fieldOf(schema, key);
  if (field !== undefined) return [field.schema];
  // An unknown member may be a wrapper around the object itself.
  return schema.rest === undefined ? [schema] : [schema.rest, schema];
}

function itemSchemas(schema: SchemaNode): SchemaNode[] {
  if (schema.kind === 'array') return [...schema.prefix, schema.items];
  // The text has an array where a single value is wanted: any item may be that value.
  return [schema];
}

function isScalar(schema: SchemaNode): boolean {
  return schema.kind === 'number' || schema.kind === 'boolean' || schema.kind === 'enum' || schema.kind === 'null';
}

/** Finds the field for a key: by name, then by alias, then by similar name. */
export function fieldOf(schema: ObjectSchema, key: string): SchemaField | undefined {
  return schema.fields.get(key) ?? schema.aliases.get(key) ?? schema.similar.get(normaliseName(key));
}

/** Finds the field for a child of an object. The key is normalised once, even if it is compared with many schemas. */
export function fieldAt(schema: ObjectSchema, node: Node, index: number): SchemaField | undefined {
  const key = node.keys[index] ?? '';
  const exact = schema.fields.get(key) ?? schema.aliases.get(key);
  if (exact !== undefined) return exact;
  node.similar ??= [];
  return schema.similar.get((node.similar[index] ??= normaliseName(key)));
}
