// The types of a configuration file's values, derived from the schema. Keys are camelCase here.

import type { FieldType, FieldValues } from './definition.ts';
import type { schema } from './schema.ts';
import type { TableName } from './table.ts';

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export function toCamelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type Fields<T extends TableName> = (typeof schema)[T]['fields'];
type KeysWith<F, Property> = { [K in keyof F]: F[K] extends Property ? K : never }[keyof F];
type ValuesOf<F, Keys extends keyof F> = {
  readonly [K in Keys & string as CamelCase<K>]: F[K] extends { readonly type: infer T extends FieldType }
    ? FieldValues[T]
    : never;
};
type RequiredKeys<F> = KeysWith<F, { readonly required: true }>;

/** The values of one table of a valid file. */
export type TableValues<T extends TableName> = ValuesOf<Fields<T>, RequiredKeys<Fields<T>>> &
  Partial<ValuesOf<Fields<T>, Exclude<keyof Fields<T>, RequiredKeys<Fields<T>>>>>;

/** The values of the fields of a table that have a default. */
export type TableDefaults<T extends TableName> = ValuesOf<
  Fields<T>,
  KeysWith<Fields<T>, { readonly default: string | number | boolean }>
>;

type InForm<T extends TableName, Entry> = {
  single: Entry;
  list: readonly Entry[];
  named: Readonly<Record<string, Entry>>;
}[(typeof schema)[T]['form']];

/** The values of a valid file. */
export type FileValues = { readonly [T in TableName]: InForm<T, TableValues<T>> };

/** The values of a file that may still be invalid: any field can be missing. */
export type FileDraft = { readonly [T in TableName]: InForm<T, Partial<TableValues<T>>> };
