// The schemas a place in the text may have to satisfy. A node is measured against every candidate at once, from the
// leaves up, so that a union's branches, a wrapped value or a lone item need no second look and nothing recurses.
// Sets are made once per compiled schema and shared: what a key leads to depends on the set, not on the text.

import type { HealBudget } from '../budget.ts';
import type { Expectation } from '../parse/frame.ts';
import { normaliseName } from '../schema/name.ts';
import type { Node } from '../parse/node.ts';
import type { SchemaField, ObjectSchema, SchemaNode } from '../schema/schema.ts';

export class CandidateSet implements Expectation {
  /** Each after those it is made from: branches before their union, items before their array. */
  readonly schemas: readonly SchemaNode[];
  readonly #indices: ReadonlyMap<SchemaNode, number>;
  readonly #cache: CandidateSetCache;
  readonly #members = new Map<string, CandidateSet>();
  #items: CandidateSet | undefined;
  #names: FieldNames | undefined;
  /** How many of the schemas are lists and objects, and how many fields the objects have together. */
  readonly lists: number;
  readonly objects: number;
  readonly fields: number;
  /** A text is wanted, and nothing else. */
  readonly wantsText: boolean;
  readonly wantsArray: boolean;
  readonly wantsObject: boolean;

  constructor(schemas: readonly SchemaNode[], cache: CandidateSetCache) {
    this.schemas = schemas;
    this.#cache = cache;
    this.#indices = new Map(schemas.map((schema, index) => [schema, index]));
    const objects = schemas.filter((schema) => schema.kind === 'object');
    this.objects = objects.length;
    this.fields = objects.reduce((sum, { fields }) => sum + fields.size, 0);
    this.wantsText = schemas.every((schema) => schema.kind === 'string');
    this.lists = schemas.filter((schema) => schema.kind === 'array').length;
    this.wantsArray = this.lists > 0;
    this.wantsObject = objects.length > 0;
  }

  /** Where a schema stands in `schemas`; -1 when it is no candidate. */
  indexOf(schema: SchemaNode): number {
    return this.#indices.get(schema) ?? -1;
  }

  member(key: string): CandidateSet {
    let set = this.#members.get(key);
    if (set === undefined) {
      this.#cache.budget?.spend(this.schemas.length);
      set = this.#cache.of(this.schemas.flatMap((schema) => memberSchemas(schema, key)));
      // Keys come from the text; a map of thousands of names must not be remembered.
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

/** The names of all fields that a set's objects have. */
interface FieldNames {
  readonly exact: ReadonlySet<string>;
  readonly similar: ReadonlySet<string>;
  /** Other names will do too. */
  readonly isOpen: boolean;
}

/** All sets of one compiled schema, each made once. */
export class CandidateSetCache {
  readonly #sets = new Map<string, CandidateSet>();
  /** Of the call that is at work: what it makes others find ready. */
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

/** To put it in the set, and the set among the others. */
const stepsPerCandidate = 4;

/** The schemas and all those they can be made from at the same place. */
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

/** What a schema can be made from without going into the node: branches, a lone item, the only field. */
function partsOf(schema: SchemaNode): readonly SchemaNode[] {
  if (schema.kind === 'union') return schema.branches;
  if (schema.kind === 'array') return [schema.items];
  const only = onlyField(schema);
  return only === undefined ? [] : [only.schema];
}

/** The field of an object that has just one, which a bare value may be meant for. */
export function onlyField(schema: SchemaNode): SchemaField | undefined {
  if (schema.kind !== 'object' || schema.fields.size !== 1 || schema.rest !== undefined) return undefined;
  return schema.fields.values().next().value;
}

function memberSchemas(schema: SchemaNode, key: string): SchemaNode[] {
  if (schema.kind === 'any') return [schema];
  // A list may be wrapped in an object, and a scalar be its only member.
  if (schema.kind !== 'object') return isScalar(schema) || schema.kind === 'array' ? [schema] : [];
  const field = fieldOf(schema, key);
  if (field !== undefined) return [field.schema];
  // A member we do not know may be a wrapper around the whole.
  return schema.rest === undefined ? [schema] : [schema.rest, schema];
}

function itemSchemas(schema: SchemaNode): SchemaNode[] {
  if (schema.kind === 'array') return [...schema.prefix, schema.items];
  // A list where one is wanted: any of its items may be it.
  return [schema];
}

function isScalar(schema: SchemaNode): boolean {
  return schema.kind === 'number' || schema.kind === 'boolean' || schema.kind === 'enum' || schema.kind === 'null';
}

/** The field a key of the text means: by name, by alias, by similar name. */
export function fieldOf(schema: ObjectSchema, key: string): SchemaField | undefined {
  return schema.fields.get(key) ?? schema.aliases.get(key) ?? schema.similar.get(normaliseName(key));
}

/** The field that a child of an object means. Its key is normalised once, however many schemas it is held against. */
export function fieldAt(schema: ObjectSchema, node: Node, index: number): SchemaField | undefined {
  const key = node.keys[index] ?? '';
  const exact = schema.fields.get(key) ?? schema.aliases.get(key);
  if (exact !== undefined) return exact;
  node.similar ??= [];
  return schema.similar.get((node.similar[index] ??= normaliseName(key)));
}
