// Compiles a JSON Schema once. Knows JSON Schema (2020-12, the parts that shape values) and our annotations `x-alias`,
// `x-enum-aliases`, `x-stream`, `x-type`; knows nothing of any text.

import { HealError } from './error.ts';
import { aliasesOf, impliedType, isRecord, isShaping, sharedKeywords, toStrings } from './keyword.ts';
import { normaliseName } from './name.ts';
import type {
  AnySchema,
  ArraySchema,
  EnumSchema,
  Field,
  JsonSchema,
  ObjectSchema,
  SchemaBase,
  SchemaNode,
  StreamRules,
  UnionSchema,
} from './schema.ts';

export function compileSchema(root: JsonSchema | boolean): SchemaNode {
  return new Compiler(root).compile(root, '#');
}

/** A schema is compiled by recursion; nobody writes one deeper than this. */
const deepest = 1000;

class Compiler {
  readonly #root: JsonSchema | boolean;
  readonly #known = new Map<unknown, SchemaNode>();
  #next = 0;
  #depth = 0;

  constructor(root: JsonSchema | boolean) {
    this.#root = root;
  }

  compile(schema: unknown, place: string): SchemaNode {
    if (schema === true) return { ...this.#base({}), kind: 'any' };
    if (schema === false) return { ...this.#base({}), kind: 'never' };
    if (!isRecord(schema)) throw invalid(place, 'must be an object or a boolean');
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (this.#depth >= deepest) throw invalid(place, `is nested deeper than ${deepest} schemas`);
    this.#depth++;
    const node = this.#compileObject(schema, place);
    this.#depth--;
    return node;
  }

  #compileObject(schema: JsonSchema, place: string): SchemaNode {
    if (schema['$ref'] !== undefined) return this.#compileReference(schema, schema['$ref'], place);
    if (Array.isArray(schema['allOf'])) {
      return this.#remember(schema, place, () => this.compile(this.#merge(schema, place), place));
    }
    const arms = schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(arms)) return this.#compileUnion(schema, arms, place);
    if (schema['nullable'] === true) {
      return this.#compileUnion(schema, [{ ...schema, nullable: false }, { type: 'null' }], place);
    }
    if ('const' in schema) return this.#compileEnum(schema, [schema['const']]);
    if (Array.isArray(schema['enum'])) return this.#compileEnum(schema, schema['enum']);
    const type = schema['type'];
    if (Array.isArray(type))
      return this.#compileUnion(
        schema,
        type.map((each) => ({ ...schema, type: each })),
        place,
      );
    return this.#compileType(schema, typeof type === 'string' ? type : impliedType(schema), place);
  }

  #compileType(schema: JsonSchema, type: string | undefined, place: string): SchemaNode {
    const base = this.#base(schema);
    switch (type) {
      case undefined:
        return this.#add(schema, { ...base, kind: 'any' });
      case 'string':
        return this.#add(schema, { ...base, kind: 'string', isDate: schema['x-type'] === 'date' });
      case 'number':
      case 'integer': {
        const big = schema['x-type'] === 'bigint';
        return this.#add(schema, { ...base, kind: 'number', integer: type === 'integer', big });
      }
      case 'boolean':
      case 'null':
        return this.#add(schema, { ...base, kind: type });
      case 'array':
        return this.#compileArray(schema, place);
      case 'object':
        return this.#compileMembers(schema, place);
      default:
        throw invalid(place, `has the unknown type ${JSON.stringify(type)}`);
    }
  }

  #compileReference(schema: JsonSchema, reference: unknown, place: string): SchemaNode {
    if (typeof reference !== 'string') throw invalid(place, 'has a $ref that is no text');
    const target = this.#resolve(reference, place);
    const siblings = Object.keys(schema).filter((key) => key !== '$ref' && isShaping(key));
    if (siblings.length > 0) {
      const { $ref: _reference, ...rest } = schema;
      const merge = () => this.#merge({ ...rest, allOf: [target] }, place);
      return this.#remember(schema, place, () => this.compile(merge(), place));
    }
    const node = this.#remember(schema, place, () => this.compile(target, reference));
    const overrides = hasDefault(schema) || 'x-stream' in schema;
    if (!overrides) return node;
    // A union of one arm says the same with annotations of its own.
    return this.#add(schema, { ...this.#base(schema), kind: 'union', arms: [node] });
  }

  #resolve(reference: string, place: string): unknown {
    if (!reference.startsWith('#'))
      throw invalid(place, `refers to ${reference}; only references within the schema are known`);
    let target: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const key = decodePointer(part);
      const isThere = (isRecord(target) || Array.isArray(target)) && Object.hasOwn(target, key);
      target = isThere ? (target as Record<string, unknown>)[key] : undefined;
    }
    if (target === undefined) throw invalid(place, `refers to ${reference}, which is not there`);
    return target;
  }

  /** One schema that says what all of them say, as far as shapes go. */
  #merge(schema: JsonSchema, place: string, depth = 0): JsonSchema {
    if (depth > deepest) throw invalid(place, 'refers to itself and nothing else');
    const merged: Record<string, unknown> = {};
    const parts = [...(schema['allOf'] as unknown[]), { ...schema, allOf: undefined }];
    for (const part of parts) {
      let resolved: unknown = part;
      for (let hops = 0; isRecord(resolved) && typeof resolved['$ref'] === 'string'; hops++) {
        if (hops > 100) throw invalid(place, 'refers to itself and nothing else');
        resolved = { ...(this.#resolve(resolved['$ref'], place) as object), ...resolved, $ref: undefined };
      }
      if (!isRecord(resolved)) continue;
      const flat = Array.isArray(resolved['allOf']) ? this.#merge(resolved, place, depth + 1) : resolved;
      for (const [key, value] of Object.entries(flat)) {
        if (value === undefined) continue;
        if (key === 'properties') merged[key] = { ...(merged[key] as object), ...(value as object) };
        else if (key === 'required') merged[key] = [...((merged[key] as unknown[]) ?? []), ...(value as unknown[])];
        else merged[key] = value;
      }
    }
    return merged;
  }

  #compileUnion(schema: JsonSchema, arms: readonly unknown[], place: string): SchemaNode {
    const node: UnionSchema = { ...this.#base(schema), kind: 'union', arms: [] };
    this.#known.set(schema, node);
    const shared = sharedKeywords(schema);
    for (const [index, arm] of arms.entries()) {
      const whole = shared !== undefined && isRecord(arm) ? { ...shared, ...arm } : arm;
      const compiled = this.compile(whole, `${place}/anyOf/${index}`);
      // An arm that is the union itself says nothing.
      if (compiled !== node) node.arms.push(compiled);
    }
    const [first] = node.arms;
    if (first === undefined && arms.length > 0) throw invalid(place, 'refers to itself and nothing else');
    if (node.arms.length > 1 && node.arms.every((arm) => arm.kind === 'enum'))
      return this.#uniteEnums(schema, node.arms);
    if (first !== undefined && node.arms.length === 1 && !node.hasDefault && !hasRules(node.stream)) {
      this.#known.set(schema, first);
      return first;
    }
    return node;
  }

  /** Several constants are one enumeration, so that two of them mentioned in a text are seen as a contradiction. */
  #uniteEnums(schema: JsonSchema, arms: readonly EnumSchema[]): SchemaNode {
    const values = arms.flatMap((arm) => arm.values);
    const aliases = new Map(arms.flatMap((arm) => [...arm.aliases]));
    return this.#add(schema, { ...this.#base(schema), kind: 'enum', values, aliases });
  }

  #compileEnum(schema: JsonSchema, values: readonly unknown[]): SchemaNode {
    const given = isRecord(schema['x-enum-aliases']) ? schema['x-enum-aliases'] : {};
    const aliases = new Map<unknown, readonly string[]>();
    for (const [value, names] of Object.entries(given)) aliases.set(value, toStrings(names));
    return this.#add(schema, { ...this.#base(schema), kind: 'enum', values, aliases });
  }

  #compileArray(schema: JsonSchema, place: string): SchemaNode {
    const any: AnySchema = { ...this.#base({}), kind: 'any' };
    const prefix: SchemaNode[] = [];
    const node: ArraySchema = { ...this.#base(schema), kind: 'array', prefix, items: any };
    this.#known.set(schema, node);
    const first = schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined);
    if (Array.isArray(first)) {
      for (const [index, item] of first.entries()) prefix.push(this.compile(item, `${place}/prefixItems/${index}`));
    }
    const items = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    if (items !== undefined) node.items = this.compile(items, `${place}/items`);
    return node;
  }

  #compileMembers(schema: JsonSchema, place: string): SchemaNode {
    const node: ObjectSchema = {
      ...this.#base(schema),
      kind: 'object',
      fields: new Map(),
      aliases: new Map(),
      similar: new Map(),
      rest: undefined,
      names: undefined,
    };
    this.#known.set(schema, node);
    const required = new Set(toStrings(schema['required']));
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    for (const [name, property] of Object.entries(properties)) {
      const field: Field = {
        name,
        schema: this.compile(property, `${place}/properties/${name}`),
        required: required.has(name),
      };
      node.fields.set(name, field);
      indexField(node, field, aliasesOf(property));
    }
    for (const name of required) {
      if (node.fields.has(name)) continue;
      const field: Field = { name, schema: { ...this.#base({}), kind: 'any' }, required: true };
      node.fields.set(name, field);
      indexField(node, field, []);
    }
    const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
    if (rest === true || isRecord(rest)) node.rest = this.compile(rest, `${place}/additionalProperties`);
    else if (rest === undefined && isRecord(schema['patternProperties']))
      node.rest = this.#compilePatterns(schema, place);
    else if (rest === undefined && node.fields.size === 0) node.rest = { ...this.#base({}), kind: 'any' };
    if (isRecord(schema['propertyNames'])) node.names = this.compile(schema['propertyNames'], `${place}/propertyNames`);
    return node;
  }

  /** Members by the pattern of their name, taken together: which pattern a name has is for the checks after coercion. */
  #compilePatterns(schema: JsonSchema, place: string): SchemaNode {
    const patterns = Object.values(schema['patternProperties'] as JsonSchema);
    return this.compile({ anyOf: patterns }, `${place}/patternProperties`);
  }

  /** For schemas that are said by another: while that is compiled, whoever comes back here gets a union of it. */
  #remember(schema: JsonSchema, place: string, compile: () => SchemaNode): SchemaNode {
    const stand: UnionSchema = { ...this.#base(schema), kind: 'union', arms: [] };
    this.#known.set(schema, stand);
    const node = compile();
    if (node === stand) throw invalid(place, 'refers to itself and nothing else');
    stand.arms.push(node);
    this.#known.set(schema, node);
    return node;
  }

  #add<T extends SchemaNode>(schema: JsonSchema, node: T): T {
    this.#known.set(schema, node);
    return node;
  }

  #base(source: JsonSchema): SchemaBase {
    const rules = toStrings(source['x-stream']);
    return {
      id: this.#next++,
      title: typeof source['title'] === 'string' ? source['title'] : undefined,
      stream: {
        done: rules.includes('done'),
        notNull: rules.includes('not-null'),
        state: rules.includes('with-state'),
      },
      default: 'x-default' in source ? source['x-default'] : source['default'],
      hasDefault: hasDefault(source),
      source,
    };
  }
}

/** `x-default` is that of a bigint, as text: JSON cannot say it otherwise. */
function hasDefault(schema: JsonSchema): boolean {
  return 'default' in schema || 'x-default' in schema;
}

function hasRules({ done, notNull, state }: StreamRules): boolean {
  return done || notNull || state;
}

/** An exact name goes before an alias, an alias before a similar name, the first declared before a later one. */
function indexField(node: ObjectSchema, field: Field, aliases: readonly string[]): void {
  for (const alias of aliases) if (!node.aliases.has(alias)) node.aliases.set(alias, field);
  for (const name of [field.name, ...aliases]) {
    const similar = normaliseName(name);
    if (!node.similar.has(similar)) node.similar.set(similar, field);
  }
}

function decodePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function invalid(place: string, problem: string): HealError {
  const short = place.length > 200 ? `${place.slice(0, 200)}…` : place;
  return new HealError('invalid-schema', `the schema at ${short} ${problem}`);
}
