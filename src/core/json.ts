// JSON types, and guards for data whose shape is not known.

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  /** An `undefined` member counts as absent, as in `JSON.stringify`. */
  readonly [key: string]: JsonValue | undefined;
}
/** A JSON Schema document: data we pass on, not data we own. */
export type JsonSchema = JsonObject;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type WithoutUndefined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * The object without its `undefined` members. Members are copied rather than deleted, because V8 turns an object with a
 * deleted member into a slow hash table.
 */
export function omitUndefined<const T extends object>(value: T): WithoutUndefined<T> {
  const result = {} as T;
  // oxlint-disable-next-line guard-for-in -- these are literals, and `Object.keys` makes an array first
  for (const key in value) if (value[key] !== undefined) result[key] = value[key];
  return result;
}

/** The table's own entry. A name from outside may be `constructor`, which every object inherits. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
