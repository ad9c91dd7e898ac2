// Rewrites references by `$id`, `$anchor` and URI to JSON pointers from the root, so that the compiler and the validator
// have to follow only those. A schema that has nothing but pointers is returned as it is.

import type { HealBudget } from '../budget.ts';
import { followPointer, invalid, maxSchemaDepth } from './schema-resolver.ts';
import type { JsonSchema } from './schema.ts';
import { replaceSubschemas, subschemasOf, type Subschema } from './subschema.ts';
import { resolveUri, splitFragment } from './uri.ts';

/** Costs of looking at a schema for identifiers, and of copying it with its references resolved. */
const stepsPerSchema = 4;
const stepsPerCopy = 60;

export function localiseReferences(root: JsonSchema, budget: HealBudget): JsonSchema {
  const identifiers = new Identifiers();
  const start = { schema: root, pointer: '#', base: '', depth: 0, isKnown: true };
  let isLocal = true;
  for (const pending = [start]; pending.length > 0;) {
    const place = pending.pop() as SchemaPlace;
    budget.spend(stepsPerSchema);
    if (place.depth > maxSchemaDepth) continue;
    const base = identifiers.add(place);
    isLocal &&= (place.depth === 0 || base === place.base) && hasOnlyPointers(place.schema);
    for (const inner of subschemasOf(place.schema)) pending.push(placeOf(inner, { ...place, base }));
  }
  if (isLocal) return root;
  return new Rewriter(identifiers, root, budget).rewrite(start);
}

/** A schema, the pointer to it, and the URI that its references are relative to. */
interface SchemaPlace {
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly base: string;
  readonly depth: number;
  readonly isKnown: boolean;
}

function placeOf({ schema, keys, isKnown }: Subschema, outer: SchemaPlace): SchemaPlace {
  const pointer = [outer.pointer, ...keys.map(encodePointer)].join('/');
  return { schema, pointer, base: outer.base, depth: outer.depth + 1, isKnown: isKnown && outer.isKnown };
}

function encodePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25');
}

function hasOnlyPointers(schema: JsonSchema): boolean {
  const { $ref: reference } = schema;
  if ('$dynamicRef' in schema || '$recursiveRef' in schema) return false;
  return typeof reference !== 'string' || reference === '#' || reference.startsWith('#/');
}

/** The URIs and anchors of a schema, each with the pointer to what it names. */
class Identifiers {
  readonly #resources = new Map<string, string>();
  readonly #anchors = new Map<string, string>();
  /** How many dynamic anchors have the same name, and where they are. */
  readonly #dynamic = new Map<string, Set<string>>();

  /** Registers the identifiers of a schema and returns the URI that its references are relative to. */
  add({ schema, pointer, base: outer, depth, isKnown }: SchemaPlace): string {
    const base = isKnown ? baseOf(schema, outer, depth) : outer;
    if (!isKnown) return base;
    if ((depth === 0 || base !== outer) && !this.#resources.has(base)) this.#resources.set(base, pointer);
    for (const name of [schema['$anchor'], schema['$dynamicAnchor'], fragmentId(schema)])
      if (typeof name === 'string') this.#anchors.set(`${base}#${name}`, pointer);
    const { $dynamicAnchor: dynamic } = schema;
    if (typeof dynamic === 'string') this.#dynamic.set(dynamic, (this.#dynamic.get(dynamic) ?? new Set()).add(pointer));
    return base;
  }

  /** The pointer to what a reference names; `undefined` if it is not in the schema. */
  find(reference: string, base: string): string | undefined {
    const [uri, fragment] = splitFragment(reference);
    const absolute = resolveUri(base, uri);
    const resource = this.#resources.get(absolute);
    if (resource === undefined) return undefined;
    if (fragment === '' || fragment.startsWith('/')) return resource + fragment;
    return this.#anchors.get(`${absolute}#${fragment}`);
  }

  /** Whether what a dynamic reference names depends on the way that leads to it. */
  isAmbiguous(reference: string, pointer: string | undefined): boolean {
    const places = this.#dynamic.get(splitFragment(reference)[1]);
    return places !== undefined && places.size > 1 && pointer !== undefined && places.has(pointer);
  }

  get resources(): number {
    return this.#resources.size;
  }
}

function baseOf(schema: JsonSchema, outer: string, depth: number): string {
  // Draft 4 has `id`. Generators wrote it into every subschema, without meaning a base, so only the root's counts.
  const id = schema['$id'] ?? (depth === 0 ? schema['id'] : undefined);
  return typeof id === 'string' && !id.startsWith('#') ? resolveUri(outer, splitFragment(id)[0]) : outer;
}

/** Draft 4 has `"id": "#name"` instead of `$anchor`, drafts 6 and 7 have `"$id": "#name"`. */
function fragmentId({ $id, id = $id }: JsonSchema): string | undefined {
  return typeof id === 'string' && id.startsWith('#') && !id.startsWith('#/') ? id.slice(1) : undefined;
}

class Rewriter {
  readonly #identifiers: Identifiers;
  readonly #root: JsonSchema;
  readonly #budget: HealBudget;

  constructor(identifiers: Identifiers, root: JsonSchema, budget: HealBudget) {
    this.#identifiers = identifiers;
    this.#root = root;
    this.#budget = budget;
  }

  rewrite(place: SchemaPlace): JsonSchema {
    this.#budget.spend(stepsPerCopy);
    const base = place.isKnown ? baseOf(place.schema, place.base, place.depth) : place.base;
    if (place.depth > maxSchemaDepth) throw invalid(place.pointer, `is nested more than ${maxSchemaDepth} levels deep`);
    const inner = subschemasOf(place.schema).map((each) => this.rewrite(placeOf(each, { ...place, base })));
    const copy = replaceSubschemas(place.schema, inner);
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) this.#rewriteReference(copy, keyword, place, base);
    return copy;
  }

  #rewriteReference(
    copy: Record<string, unknown>,
    keyword: string,
    { pointer: location }: SchemaPlace,
    base: string,
  ): void {
    const reference = copy[keyword];
    if (typeof reference !== 'string') return;
    const pointer = this.#find(reference, base);
    if (keyword === '$ref') {
      // A reference that leads out of the schema stays: the compiler rejects it if the schema uses it.
      copy['$ref'] = pointer ?? reference;
      return;
    }
    if (this.#isDynamic(keyword, reference, pointer) || '$ref' in copy)
      throw invalid(location, `uses ${keyword} where its target depends on the path to it; use $ref`);
    delete copy[keyword];
    copy['$ref'] = pointer ?? reference;
  }

  /**
   * Generators write an `$id` into every subschema without meaning that its references are relative to it. So a pointer
   * that leads nowhere stays, and counts from the root.
   */
  #find(reference: string, base: string): string | undefined {
    const pointer = this.#identifiers.find(reference, base);
    return pointer !== undefined && followPointer(this.#root, pointer) !== undefined ? pointer : undefined;
  }

  #isDynamic(keyword: string, reference: string, pointer: string | undefined): boolean {
    if (keyword === '$recursiveRef') return this.#identifiers.resources > 1;
    return this.#identifiers.isAmbiguous(reference, pointer);
  }
}
