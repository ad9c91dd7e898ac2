// A compiled schema: the graph that coercion walks. References are resolved, unions flattened and names indexed. A
// recursive schema is a cycle in the graph.

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
  /** Unique within a compiled schema. */
  readonly id: number;
  readonly title: string | undefined;
  readonly stream: StreamRules;
  /** Set if `hasDefault` is true; a default may be null. */
  readonly default: unknown;
  readonly hasDefault: boolean;
}

/** When a value appears in the partial value. */
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
/** Formats into which written dates are converted. */
export type DateFormat = 'date' | 'date-time';

export interface StringSchema extends SchemaBase {
  readonly kind: 'string';
  /** The value is a `Date`. */
  readonly isDate: boolean;
  /** The value is a text in this format. */
  readonly dateFormat: DateFormat | undefined;
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
  /** Alternative names, by value. */
  readonly aliases: ReadonlyMap<unknown, readonly string[]>;
}
export interface ArraySchema extends SchemaBase {
  readonly kind: 'array';
  /** Schemas of the first items, if each item has its own. */
  readonly prefix: readonly SchemaNode[];
  items: SchemaNode;
}
export interface ObjectSchema extends SchemaBase {
  readonly kind: 'object';
  readonly fields: Map<string, SchemaField>;
  /** Fields by alias. */
  readonly aliases: Map<string, SchemaField>;
  /** Fields by normalised name. */
  readonly similar: Map<string, SchemaField>;
  /** Schema of undeclared members. If undefined, they are left out of the value. */
  rest: SchemaNode | undefined;
  /** Schema of the names of undeclared members. */
  names: SchemaNode | undefined;
}
export interface SchemaField {
  readonly name: string;
  schema: SchemaNode;
  readonly required: boolean;
}
export interface UnionSchema extends SchemaBase {
  readonly kind: 'union';
  readonly branches: SchemaNode[];
  /** All branches, with nested unions flattened. Set at the end of compilation. */
  flat: readonly SchemaNode[];
}

/** Whether the schema takes every string as it is. */
export function isPlainString(schema: SchemaNode): boolean {
  return schema.kind === 'string' && !schema.isDate && schema.dateFormat === undefined;
}

/** All branches of a union, with nested unions flattened. For other schemas, the schema itself. */
export function branchesOf(schema: SchemaNode): readonly SchemaNode[] {
  return schema.kind === 'union' ? schema.flat : [schema];
}
