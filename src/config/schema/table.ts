// The tables of the schema with their fields, and where each table is in a parsed file.

import type { ConfigField, TableDefinition } from './definition.ts';
import { schema } from './schema.ts';

export type TableName = keyof typeof schema;

export interface ConfigTable extends Omit<TableDefinition, 'fields'> {
  readonly name: TableName;
  readonly fields: readonly ConfigField[];
}

const definitions: Readonly<Record<TableName, TableDefinition>> = schema;

export const tables: readonly ConfigTable[] = (Object.keys(schema) as TableName[]).map((name) => ({
  ...definitions[name],
  name,
  fields: fieldsOf(name),
}));

export function fieldsOf(table: TableName): readonly ConfigField[] {
  return Object.entries(definitions[table].fields).map(([key, definition]) => ({ key, ...definition }));
}

/** What to do instead of setting a key that is not allowed in this table. */
export function adviceAgainst(key: string, { refused = {} }: ConfigTable): string | undefined {
  return Object.hasOwn(refused, key) ? refused[key] : undefined;
}

export function headingOf({ name, form, entry: placeholder = 'NAME' }: ConfigTable, entry = placeholder): string {
  if (form === 'list') return `[[${name}]]`;
  if (form === 'single') return `[${name}]`;
  return `[${name}.${/^[\w-]+$/.test(entry) ? entry : JSON.stringify(entry)}]`;
}

/** The path of a table in a parsed file: `server.keys` is inside `server`. */
export function pathOf({ name }: ConfigTable): string[] {
  return name.split('.');
}

/** The content of a table in a parsed file. A value that may also be a plain list counts only if it contains tables. */
export function contentOf(table: ConfigTable, document: Readonly<Record<string, unknown>>): unknown {
  const [name = '', key] = pathOf(table);
  const content = document[name];
  if (key === undefined) return content;
  const value = isTable(content) ? content[key] : undefined;
  return holdsTables(value) ? value : undefined;
}

/** Also true for `[server.keys]`, a common mistake for `[[server.keys]]`. */
export function holdsTables(value: unknown): boolean {
  return isTable(value) || (Array.isArray(value) && value.some(isTable));
}

/** A TOML table, as opposed to a list or a date. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
