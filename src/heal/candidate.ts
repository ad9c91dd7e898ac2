// The schemas a place in the text may have to satisfy. A node is measured against every candidate at once, from the
// leaves up, so that a union's arms, a wrapped value or a lone item need no second look and nothing recurses.
// Sets are made once per compiled schema and shared: what a key leads to depends on the set, not on the text.

import type { Expectation } from './tree.ts';
import { normaliseName } from './name.ts';
import type { Field, ObjectSchema, SchemaNode } from './schema.ts';

export class CandidateSet implements Expectation {
  /** Each after those it is made from: arms before their union, items before their array. */
  readonly schemas: readonly SchemaNode[];
  readonly #places: ReadonlyMap<SchemaNode, number>;
  readonly #family: Family;
  readonly #members = new Map<string, CandidateSet>();
  #items: CandidateSet | undefined;

  constructor(schemas: readonly SchemaNode[], family: Family) {
    this.schemas = schemas;
    this.#family = family;
    this.#places = new Map(schemas.map((schema, index) => [schema, index]));
  }

  /** Where a schema stands in `schemas`; -1 when it is no candidate. */
  placeOf(schema: SchemaNode): number {
    return this.#places.get(schema) ?? -1;
  }

  member(key: string): CandidateSet {
    let set = this.#members.get(key);
    if (set === undefined) {
      set = this.#family.of(this.schemas.flatMap((schema) => memberSchemas(schema, key)));
      // Keys come from the text; a map of thousands of names must not be remembered.
      if (this.#members.size < 256) this.#members.set(key, set);
    }
    return set;
  }

  item(): CandidateSet {
    this.#items ??= this.#family.of(this.schemas.flatMap(itemSchemas));
    return this.#items;
  }

  knows(key: string): boolean | undefined {
    let open = false;
    for (const schema of this.schemas) {
      if (schema.kind === 'object' && fieldOf(schema, key) !== undefined) return true;
      if (schema.kind === 'any' || (schema.kind === 'object' && schema.rest !== undefined)) open = true;
    }
    return open ? undefined : false;
  }

  get wantsText(): boolean {
    return this.schemas.every((schema) => schema.kind === 'string');
  }

  get wantsArray(): boolean {
    return this.schemas.some((schema) => schema.kind === 'array');
  }

  get wantsObject(): boolean {
    return this.schemas.some((schema) => schema.kind === 'object');
  }
}

/** All sets of one compiled schema, each made once. */
export class Family {
  readonly #sets = new Map<string, CandidateSet>();

  of(schemas: readonly SchemaNode[]): CandidateSet {
    const closed = close(schemas);
    const key = closed.map((schema) => schema.id).join(' ');
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = new CandidateSet(closed, this);
      this.#sets.set(key, set);
    }
    return set;
  }
}

/** The schemas and all those they can be made from at the same place. */
function close(schemas: readonly SchemaNode[]): SchemaNode[] {
  const ordered = new Set<SchemaNode>();
  const entered = new Set<SchemaNode>();
  const stack: { readonly schema: SchemaNode; leave: boolean }[] = schemas
    .toReversed()
    .map((schema) => ({ schema, leave: false }));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.leave) ordered.add(top.schema);
    else if (!entered.has(top.schema)) {
      entered.add(top.schema);
      stack.push({ schema: top.schema, leave: true });
      for (const part of partsOf(top.schema).toReversed()) stack.push({ schema: part, leave: false });
    }
  }
  return [...ordered];
}

/** What a schema can be made from without going into the node: arms, a lone item, the only field. */
function partsOf(schema: SchemaNode): readonly SchemaNode[] {
  if (schema.kind === 'union') return schema.arms;
  if (schema.kind === 'array') return [schema.items];
  const only = onlyField(schema);
  return only === undefined ? [] : [only.schema];
}

/** The field of an object that has just one, which a bare value may be meant for. */
export function onlyField(schema: SchemaNode): Field | undefined {
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
export function fieldOf(schema: ObjectSchema, key: string): Field | undefined {
  return schema.fields.get(key) ?? schema.aliases.get(key) ?? schema.similar.get(normaliseName(key));
}
