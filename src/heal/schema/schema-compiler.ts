// Compiles a JSON Schema to a graph of schema nodes. Supports the parts of JSON Schema 2020-12 that shape values, and
// the annotations `x-alias`, `x-enum-aliases`, `x-stream` and `x-type`.

import { HealBudget } from '../budget.ts';
import { aliasesOf, impliedType, isRecord, isShaping, sharedKeywords, toStrings } from './keyword.ts';
import { localiseReferences } from './local-reference.ts';
import { normaliseName } from './name.ts';
import { hasType } from '../validate/scalar-keyword.ts';
import { maxSchemaDepth, invalid, needsMerge, SchemaResolver } from './schema-resolver.ts';
import { maxSchemaNodes, tooComplex, checkSchemaSize } from './schema-size.ts';
import type {
  AnySchema,
  ArraySchema,
  EnumSchema,
  SchemaField,
  JsonSchema,
  ObjectSchema,
  SchemaBase,
  SchemaNode,
  StreamRules,
  StringSchema,
  UnionSchema,
} from './schema.ts';

export interface CompiledSchema {
  readonly node: SchemaNode;
  /** The schema as it was compiled: all its references are JSON pointers. */
  readonly root: JsonSchema | boolean;
}

export function compileSchema(schema: JsonSchema | boolean, budget = new HealBudget()): CompiledSchema {
  checkSchemaSize(schema);
  checkDialect(schema);
  const root = isRecord(schema) ? localiseReferences(schema, budget) : schema;
  return { node: new Compiler(root, budget).compileRoot(root), root };
}

/** The dialects that are read: the drafts of JSON Schema, and OpenAPI's, which differs by a few annotations. */
const dialects = /^https?:\/\/(?:json-schema\.org\/|spec\.openapis\.org\/oas\/)/;

function checkDialect(schema: JsonSchema | boolean): void {
  const dialect = isRecord(schema) ? schema['$schema'] : undefined;
  if (typeof dialect === 'string' && dialect !== '' && !dialects.test(dialect))
    throw invalid(
      '#',
      `has the $schema ${dialect.slice(0, 200)}, whose keywords are unknown; remove it if the schema uses only those of JSON Schema`,
    );
}

/** A subschema may need several nodes: an array has one for its items, a nullable type is a union of two. */
const maxCompiledNodes = 3 * maxSchemaNodes;

const stepsPerNode = 2;

/** Cost of normalising and indexing a name. */
const stepsPerName = 4;

class Compiler {
  readonly #budget: HealBudget;
  readonly #resolver: SchemaResolver;
  readonly #known = new Map<unknown, SchemaNode>();
  readonly #unions: UnionSchema[] = [];
  readonly #any: AnySchema;
  #next = 0;
  #depth = 0;

  constructor(root: JsonSchema | boolean, budget: HealBudget) {
    this.#budget = budget;
    this.#resolver = new SchemaResolver(root, budget);
    this.#any = { ...this.#base({}), kind: 'any' };
  }

  compileRoot(root: JsonSchema | boolean): SchemaNode {
    const compiled = this.compile(root, '#');
    for (const union of this.#unions) union.flat = this.#flatten(union);
    return compiled;
  }

  compile(schema: unknown, location: string): SchemaNode {
    if (schema === true) return this.#newAny();
    if (schema === false) return { ...this.#base({}), kind: 'never' };
    if (!isRecord(schema)) throw invalid(location, 'must be an object or a boolean');
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (this.#depth >= maxSchemaDepth) throw invalid(location, `is nested more than ${maxSchemaDepth} levels deep`);
    this.#depth++;
    const node = this.#compileObject(schema, location);
    this.#depth--;
    return node;
  }

  #compileObject(schema: JsonSchema, location: string): SchemaNode {
    if (schema['$ref'] !== undefined) return this.#compileReference(schema, schema['$ref'], location);
    if (needsMerge(schema)) {
      return this.#remember(schema, location, () => this.compile(this.#resolver.merge(schema, location), location));
    }
    if (schema['nullable'] === true) {
      return this.#compileUnion(schema, [this.#with(schema, { nullable: false }), { type: 'null' }], location);
    }
    const branches = schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(branches)) return this.#compileUnion(schema, this.#complete(schema, branches), location);
    if ('const' in schema) return this.#compileEnum(schema, [schema['const']]);
    if (Array.isArray(schema['enum'])) return this.#compileEnum(schema, schema['enum']);
    const type = schema['type'];
    if (Array.isArray(type)) {
      if (type.length === 1) return this.compile(this.#with(schema, { type: type[0] as unknown }), location);
      const each = Array.from(new Set<unknown>(type), (one) => this.#with(schema, { type: one }));
      return this.#compileUnion(schema, each, location);
    }
    return this.#compileType(schema, typeof type === 'string' ? type : impliedType(schema), location);
  }

  #compileType(schema: JsonSchema, type: string | undefined, location: string): SchemaNode {
    const base = this.#base(schema);
    switch (type) {
      case undefined:
        return this.#add(schema, { ...base, kind: 'any' });
      case 'string':
        return this.#add(schema, { ...base, ...stringTraits(schema), kind: 'string' });
      case 'number':
      case 'integer': {
        const big = schema['x-type'] === 'bigint';
        return this.#add(schema, { ...base, kind: 'number', integer: type === 'integer', big });
      }
      case 'boolean':
      case 'null':
        return this.#add(schema, { ...base, kind: type });
      case 'array':
        return this.#compileArray(schema, location);
      case 'object':
        return this.#compileMembers(schema, location);
      default:
        throw invalid(location, `has the unknown type ${JSON.stringify(type)}`);
    }
  }

  #compileReference(schema: JsonSchema, reference: unknown, location: string): SchemaNode {
    const target = this.#resolver.resolve(reference, location);
    if (Object.keys(schema).some((key) => key !== '$ref' && isShaping(key))) {
      return this.#remember(schema, location, () => this.compile(this.#resolver.merge(schema, location), location));
    }
    const node = this.#remember(schema, location, () => this.compile(target, String(reference)));
    const overrides = hasDefault(schema) || 'x-stream' in schema;
    if (!overrides) return node;
    // Wraps the node in a union with a single branch, which carries the annotations.
    return this.#add(schema, this.#union(schema, [node]));
  }

  #with(schema: JsonSchema, keywords: JsonSchema): JsonSchema {
    return this.#resolver.derive({ ...schema, ...keywords });
  }

  #union(schema: JsonSchema, branches: SchemaNode[]): UnionSchema {
    const node: UnionSchema = { ...this.#base(schema), kind: 'union', branches, flat: [] };
    this.#unions.push(node);
    return node;
  }

  #flatten(union: UnionSchema): readonly SchemaNode[] {
    const branches = new Set<SchemaNode>([union]);
    for (const branch of branches) {
      if (branch.kind !== 'union') continue;
      this.#budget.spend(branch.branches.length);
      for (const inner of branch.branches) branches.add(inner);
    }
    return [...branches].filter((branch) => branch.kind !== 'union');
  }

  /** The branches of a union, each with the keywords beside the union. */
  #complete(schema: JsonSchema, branches: readonly unknown[]): readonly unknown[] {
    const shared = sharedKeywords(schema);
    if (shared === undefined) return branches;
    const beside = this.#resolver.derive(shared);
    return branches.map((branch) => {
      if (branch === true) return beside;
      return isRecord(branch) ? this.#resolver.derive({ allOf: this.#resolver.derive([beside, branch]) }) : branch;
    });
  }

  #compileUnion(schema: JsonSchema, branches: readonly unknown[], location: string): SchemaNode {
    const node = this.#union(schema, []);
    this.#known.set(schema, node);
    this.#budget.spend(branches.length);
    for (const [index, branch] of branches.entries()) {
      const compiled = this.compile(branch, `${location}/anyOf/${index}`);
      // A branch that is the union itself adds nothing.
      if (compiled !== node) node.branches.push(compiled);
    }
    const [first] = node.branches;
    if (first === undefined && branches.length > 0) throw invalid(location, 'only refers to itself');
    if (node.branches.length > 1 && node.branches.every((branch) => branch.kind === 'enum'))
      return this.#uniteEnums(schema, node.branches);
    if (first !== undefined && node.branches.length === 1 && !node.hasDefault && !hasStreamRule(node.stream)) {
      this.#known.set(schema, first);
      return first;
    }
    return node;
  }

  /** Merges several constants into one enum, so that a text that mentions two of them is seen as ambiguous. */
  #uniteEnums(schema: JsonSchema, branches: readonly EnumSchema[]): SchemaNode {
    const values = new Set(branches.flatMap((branch) => [...branch.values]));
    const aliases = new Map(branches.flatMap((branch) => [...branch.aliases]));
    this.#budget.spend(values.size + aliases.size);
    return this.#add(schema, { ...this.#base(schema), kind: 'enum', values, aliases });
  }

  #compileEnum(schema: JsonSchema, values: readonly unknown[]): SchemaNode {
    const given = isRecord(schema['x-enum-aliases']) ? schema['x-enum-aliases'] : {};
    const aliases = new Map<unknown, readonly string[]>();
    for (const [value, names] of Object.entries(given)) aliases.set(value, toStrings(names));
    this.#budget.spend(values.length + aliases.size);
    const types = toStrings(schema['type']);
    const fitting = values.filter((value) => types.length === 0 || types.some((type) => hasType(value, type)));
    return this.#add(schema, { ...this.#base(schema), kind: 'enum', values: new Set(fitting), aliases });
  }

  #compileArray(schema: JsonSchema, location: string): SchemaNode {
    const prefix: SchemaNode[] = [];
    const node: ArraySchema = { ...this.#base(schema), kind: 'array', prefix, items: this.#any };
    this.#known.set(schema, node);
    const first = schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined);
    if (Array.isArray(first)) {
      for (const [index, item] of first.entries()) prefix.push(this.compile(item, `${location}/prefixItems/${index}`));
    }
    const items = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    if (items !== undefined) node.items = this.compile(items, `${location}/items`);
    return node;
  }

  #compileMembers(schema: JsonSchema, location: string): SchemaNode {
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
      const compiled = this.compile(property, `${location}/properties/${name}`);
      this.#addField(node, { name, schema: compiled, required: required.has(name) }, aliasesOf(property));
    }
    for (const name of required) {
      if (!node.fields.has(name)) this.#addField(node, { name, schema: this.#newAny(), required: true }, []);
    }
    this.#compileOthers(node, schema, location);
    return node;
  }

  #addField(node: ObjectSchema, field: SchemaField, aliases: readonly string[]): void {
    node.fields.set(field.name, field);
    for (const name of [field.name, ...aliases]) this.#budget.spend(stepsPerName + name.length / 16);
    indexField(node, field, aliases);
  }

  /** Compiles the schemas of members that are not declared as properties, and of their names. */
  #compileOthers(node: ObjectSchema, schema: JsonSchema, location: string): void {
    const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
    const patterns = isRecord(schema['patternProperties']) ? Object.values(schema['patternProperties']) : [];
    // Which pattern applies to a name is checked by validation.
    if (rest !== undefined && rest !== false && patterns.length > 0) patterns.push(rest);
    if (patterns.length > 0)
      node.rest = this.compile(this.#resolver.derive({ anyOf: patterns }), `${location}/patternProperties`);
    else if (rest === true || isRecord(rest)) node.rest = this.compile(rest, `${location}/additionalProperties`);
    else if (rest === undefined && node.fields.size === 0) node.rest = this.#newAny();
    if (isRecord(schema['propertyNames']))
      node.names = this.compile(schema['propertyNames'], `${location}/propertyNames`);
  }

  /**
   * Compiles a schema that resolves to another one. A reference back to it, found during compilation, gets a union with
   * that one as its only branch.
   */
  #remember(schema: JsonSchema, location: string, compile: () => SchemaNode): SchemaNode {
    const placeholder = this.#union(schema, []);
    this.#known.set(schema, placeholder);
    const node = compile();
    if (node === placeholder) throw invalid(location, 'only refers to itself');
    placeholder.branches.push(node);
    this.#known.set(schema, node);
    return node;
  }

  #add<T extends SchemaNode>(schema: JsonSchema, node: T): T {
    this.#known.set(schema, node);
    return node;
  }

  #newAny(): AnySchema {
    return { ...this.#base({}), kind: 'any' };
  }

  #base(source: JsonSchema): SchemaBase {
    const rules = toStrings(source['x-stream']);
    this.#budget.spend(stepsPerNode);
    if (this.#next >= maxCompiledNodes)
      throw tooComplex(`has more than ${maxCompiledNodes} nodes with its references resolved`);
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
    };
  }
}

function stringTraits({ format, 'x-type': type }: JsonSchema): Pick<StringSchema, 'isDate' | 'dateFormat'> {
  const isDate = type === 'date';
  return { isDate, dateFormat: !isDate && (format === 'date' || format === 'date-time') ? format : undefined };
}

/** `x-default` is the default of a bigint as a string, because JSON has no bigint. */
function hasDefault(schema: JsonSchema): boolean {
  return 'default' in schema || 'x-default' in schema;
}

function hasStreamRule({ done, notNull, state }: StreamRules): boolean {
  return done || notNull || state;
}

/** Precedence: exact name, then alias, then similar name. The field declared first wins. */
function indexField(node: ObjectSchema, field: SchemaField, aliases: readonly string[]): void {
  for (const alias of aliases) if (!node.aliases.has(alias)) node.aliases.set(alias, field);
  for (const name of [field.name, ...aliases]) {
    const similar = normaliseName(name);
    if (!node.similar.has(similar)) node.similar.set(similar, field);
  }
}
