// A compiled schema: the graph the coercion walks. References are resolved, unions flattened, names indexed; recursive
// schemas are cycles in it.

export type JsonSchema = Readonly<Record<string, unknown>>;

export type SchemaNode =
  | AnySchema
  | StringSchema
  | NumberSchema
  | BooleanSchema
  | NullSchema
  | EnumSchema
  | ArraySchema
  | ObjectSchema
  | UnionSchema
  | NeverSchema;

export interface SchemaBase {
  /** Unique within a compiled schema, in the order of first sight. */
  readonly id: number;
  readonly title: string | undefined;
  readonly stream: StreamRules;
  /** Present with `hasDefault`; a default may be null. */
  readonly default: unknown;
  readonly hasDefault: boolean;
  /** The schema as written, for the checks that come after coercion. */
  readonly source: JsonSchema;
}

/** When a place shows up in a partial value. */
export interface StreamRules {
  readonly done: boolean;
  readonly notNull: boolean;
  readonly state: boolean;
}

export interface AnySchema extends SchemaBase {
  readonly kind: 'any';
}
export interface NeverSchema extends SchemaBase {
  readonly kind: 'never';
}
export interface StringSchema extends SchemaBase {
  readonly kind: 'string';
  readonly isDate: boolean;
}
export interface NumberSchema extends SchemaBase {
  readonly kind: 'number';
  readonly integer: boolean;
  readonly big: boolean;
}
export interface BooleanSchema extends SchemaBase {
  readonly kind: 'boolean';
}
export interface NullSchema extends SchemaBase {
  readonly kind: 'null';
}
export interface EnumSchema extends SchemaBase {
  readonly kind: 'enum';
  readonly values: ReadonlySet<unknown>;
  /** Further names of a value, by the value. */
  readonly aliases: ReadonlyMap<unknown, readonly string[]>;
}
export interface ArraySchema extends SchemaBase {
  readonly kind: 'array';
  /** The first items, where each has a schema of its own. */
  readonly prefix: readonly SchemaNode[];
  items: SchemaNode;
}
export interface ObjectSchema extends SchemaBase {
  readonly kind: 'object';
  readonly fields: Map<string, SchemaField>;
  /** Fields by alias and by normalised name. */
  readonly aliases: Map<string, SchemaField>;
  readonly similar: Map<string, SchemaField>;
  /** What other members are; nothing: they are left out. */
  rest: SchemaNode | undefined;
  /** What the names of other members must be. */
  names: SchemaNode | undefined;
  /** What members are by a pattern of their names. */
  readonly patterns: Map<string, SchemaNode>;
}
export interface SchemaField {
  readonly name: string;
  schema: SchemaNode;
  readonly required: boolean;
}
export interface UnionSchema extends SchemaBase {
  readonly kind: 'union';
  readonly branches: SchemaNode[];
  /** The branches, with those of the unions among them in their place. Set when the schema is compiled. */
  flat: readonly SchemaNode[];
}

/** The branches of a union and of the unions in it; else the schema itself. */
export function branchesOf(schema: SchemaNode): readonly SchemaNode[] {
  return schema.kind === 'union' ? schema.flat : [schema];
}
