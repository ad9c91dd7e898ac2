// Resolves `$ref` and merges schemas: a reference with its sibling keywords, the parts of an `allOf`, the keywords of a
// union with those of a branch, and the properties that depend on a condition.
// A merged schema describes the shape of the values: where keywords interact, it may allow more than the original.
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

/** The keywords of a schema and of all schemas that always apply with it. */
interface GatheredKeywords {
  readonly keywords: JsonSchema;
  /** The schemas that apply only to some values. */
  readonly optional: ReadonlySet<unknown>;
}

interface KeywordDraft {
  readonly keywords: Record<string, unknown>;
  readonly optional: Set<unknown>;
}

const noSchemas: ReadonlySet<unknown> = new Set();

export class SchemaResolver {
  readonly #root: unknown;
  readonly #budget: HealBudget;
  readonly #targets = new Map<string, unknown>();
  readonly #merged = new Map<JsonSchema, JsonSchema>();
  /** By schema; `undefined` while the keywords of a schema are being gathered. */
  readonly #gathered = new Map<JsonSchema, GatheredKeywords | undefined>();
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
    this.#budget.spend(reference.length);
    return resolvePointer(this.#root, reference, location);
  }

  /** Returns one schema without `$ref`, `allOf` and conditions that describes the same shape. */
  merge(schema: JsonSchema, location: string): JsonSchema {
    let merged = this.#merged.get(schema);
    if (merged === undefined) {
      merged = this.#withOptional(this.#gather(schema, location), location);
      this.#merged.set(schema, merged);
    }
    return merged;
  }

  #gather(schema: JsonSchema, location: string): GatheredKeywords {
    if (!needsMerge(schema)) return { keywords: schema, optional: noSchemas };
    const known = this.#gathered.get(schema);
    if (known !== undefined) return known;
    if (this.#gathered.has(schema)) throw invalid(location, 'only refers to itself');
    if (this.#depth >= maxSchemaDepth) throw invalid(location, `is nested more than ${maxSchemaDepth} levels deep`);
    this.#gathered.set(schema, undefined);
    this.#depth++;
    const gathered = this.#gatherParts(schema, location);
    this.#depth--;
    this.#gathered.set(schema, gathered);
    return gathered;
  }

  #gatherParts(schema: JsonSchema, location: string): GatheredKeywords {
    const { $ref: reference, allOf, ...own } = schema;
    const referred = reference === undefined ? [] : [this.resolve(reference, location)];
    const parts: unknown[] = Array.isArray(allOf) ? referred.concat(allOf) : referred;
    const gathered = { keywords: {}, optional: new Set<unknown>() };
    for (const part of parts) {
      const { keywords, optional } = isRecord(part)
        ? this.#gather(part, location)
        : { keywords: {}, optional: noSchemas };
      this.#budget.spend(1 + optional.size);
      for (const each of optional) gathered.optional.add(each);
      this.#overlay(gathered, keywords);
    }
    this.#overlay(gathered, own);
    return { ...gathered, keywords: this.derive(gathered.keywords) };
  }

  #overlay({ keywords, optional }: KeywordDraft, schema: JsonSchema): void {
    for (const [keyword, value] of Object.entries(schema)) {
      this.#budget.spend(1);
      if (value === undefined) continue;
      // Only one union can be compiled to branches.
      const isSecondUnion = isUnion(keyword) && Array.isArray(value) && Object.keys(keywords).some(isUnion);
      if (isSecondUnion || isConditional(keyword))
        for (const each of conditionalSchemas(keyword, value)) optional.add(each);
      else keywords[keyword] = keyword in keywords ? this.#unite(keyword, keywords[keyword], value) : value;
    }
  }

  /** Two values of one keyword that both apply. */
  #unite(keyword: string, before: unknown, value: unknown): unknown {
    switch (keyword) {
      case 'properties':
      case 'patternProperties':
        return isRecord(before) && isRecord(value) ? this.#uniteProperties(before, value) : value;
      case 'items':
      case 'additionalProperties':
      case 'unevaluatedProperties':
      case 'propertyNames':
        return this.#both(before, value);
      case 'required':
        return this.derive([...new Set([...toStrings(before), ...toStrings(value)])]);
      case 'type':
        return this.derive(commonTypes(toStrings(before), toStrings(value)));
      case 'enum':
        return this.derive(commonValues(before, value));
      default:
        return value;
    }
  }

  #uniteProperties(before: JsonSchema, after: JsonSchema): JsonSchema {
    const united = new Map(Object.entries(before));
    for (const [name, schema] of Object.entries(after)) {
      this.#budget.spend(1);
      united.set(name, united.has(name) ? this.#both(united.get(name), schema) : schema);
    }
    return this.derive(Object.fromEntries(united));
  }

  #both(before: unknown, after: unknown): unknown {
    if (before === after || allowsAll(before) || after === false) return after;
    return allowsAll(after) || before === false ? before : this.derive({ allOf: this.derive([before, after]) });
  }

  /**
   * Adds the properties that only some values have, such as those of `then`, as optional ones, so that they are not left
   * out as undeclared. Validation checks when they are allowed.
   */
  #withOptional({ keywords, optional }: GatheredKeywords, location: string): JsonSchema {
    if (optional.size === 0 || keywords['additionalProperties'] === false) return keywords;
    const declared = new Map(Object.entries(isRecord(keywords['properties']) ? keywords['properties'] : {}));
    const added = new Map<string, Set<unknown>>();
    for (const [name, schema] of this.#propertiesOf(optional, location)) {
      if (declared.has(name) && !allowsAll(declared.get(name))) continue;
      added.set(name, (added.get(name) ?? new Set()).add(schema));
    }
    if (added.size === 0) return keywords;
    for (const [name, schemas] of added) {
      const [first] = schemas;
      declared.set(name, schemas.size === 1 ? first : this.derive({ anyOf: this.derive([...schemas]) }));
    }
    return this.derive({ ...keywords, properties: this.derive(Object.fromEntries(declared)) });
  }

  /** The properties that any of the schemas declares, also inside unions and conditions. */
  #propertiesOf(schemas: ReadonlySet<unknown>, location: string): (readonly [string, unknown])[] {
    const properties: (readonly [string, unknown])[] = [];
    const reached = new Set(schemas);
    for (const schema of reached) {
      if (!isRecord(schema) || this.#isGathering(schema)) continue;
      const { keywords, optional } = this.#gather(schema, location);
      const own = isRecord(keywords['properties']) ? Object.entries(keywords['properties']) : [];
      this.#budget.spend(1 + own.length);
      properties.push(...own);
      const branches = keywords['anyOf'] ?? keywords['oneOf'];
      for (const inner of Array.isArray(branches) ? branches : []) reached.add(inner);
      for (const inner of optional) reached.add(inner);
    }
    return properties;
  }

  /** Whether the keywords of the schema are being gathered, so that gathering them again would lead back to itself. */
  #isGathering(schema: JsonSchema): boolean {
    return this.#gathered.has(schema) && this.#gathered.get(schema) === undefined;
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

/** Whether a schema has keywords that `merge` resolves, apart from a reference alone. */
export function needsMerge(schema: JsonSchema): boolean {
  if ('$ref' in schema || Array.isArray(schema['allOf'])) return true;
  if (Array.isArray(schema['anyOf']) && Array.isArray(schema['oneOf'])) return true;
  return conditionals.some((keyword) => keyword in schema);
}

const conditionals: readonly string[] = ['if', 'then', 'else', 'dependentSchemas', 'dependencies'];

function isConditional(keyword: string): boolean {
  return conditionals.includes(keyword);
}

/** The schemas of a keyword that apply to some values. The condition itself declares nothing. */
function conditionalSchemas(keyword: string, value: unknown): readonly unknown[] {
  if (keyword === 'if') return [];
  if (keyword === 'then' || keyword === 'else') return [value];
  if (Array.isArray(value)) return value as unknown[];
  return isRecord(value) ? Object.values(value) : [];
}

function isUnion(keyword: string): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function allowsAll(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
}

/** If no type fits both, no value is valid, and the later type decides how a text is read. */
function commonTypes(before: readonly string[], after: readonly string[]): readonly string[] {
  const wanted = new Set(before.includes('number') ? [...before, 'integer'] : before);
  const common = after.flatMap((type) => {
    if (wanted.has(type)) return [type];
    return type === 'number' && wanted.has('integer') ? ['integer'] : [];
  });
  return common.length > 0 ? common : after;
}

function commonValues(before: unknown, after: unknown): readonly unknown[] {
  const [first, second]: (readonly unknown[])[] = [before, after].map((list) => (Array.isArray(list) ? list : []));
  const common = second?.filter((value) => first?.includes(value)) ?? [];
  return common.length > 0 ? common : (second ?? []);
}

/** Follows a reference such as `#/$defs/name`. */
export function resolvePointer(root: unknown, reference: string, location: string): unknown {
  if (!reference.startsWith('#'))
    throw invalid(location, `has the $ref ${shorten(reference)}; only references within the schema are supported`);
  // Without a slash, the fragment is the name of an anchor that does not exist.
  const isPointer = reference === '#' || reference.startsWith('#/');
  const target = isPointer ? followPointer(root, reference) : undefined;
  if (target === undefined) throw invalid(location, `has the $ref ${shorten(reference)}, which does not exist`);
  return target;
}

export function followPointer(root: unknown, pointer: string): unknown {
  let target = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = decodePointer(part);
    const isThere = (isRecord(target) || Array.isArray(target)) && Object.hasOwn(target, key);
    target = isThere ? (target as Record<string, unknown>)[key] : undefined;
  }
  return target;
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
