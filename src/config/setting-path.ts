// A setting on a command line: its path, such as `retry.max_attempts`, `providers.openai.model` or `models.fast.targets`,
// and its value. The name of an entry may contain dots (`prices.openai/gpt-5.4.input`) or be quoted: everything between
// table and key is the name.

import { SimpleAgentsError } from '../core/error.ts';
import { didYouMean } from '../core/suggest.ts';
import { parseToml } from '../core/toml.ts';
import type { ConfigField, FieldType } from './schema/definition.ts';
import { adviceAgainst, tables, type ConfigTable } from './schema/table.ts';

export interface SettingPath {
  readonly table: ConfigTable;
  /** The name of the entry, if the table has entries. */
  readonly entry?: string;
  readonly field: ConfigField;
  /** The key inside a field that is a map, such as one header. */
  readonly member?: string;
}

export function parseSettingPath(text: string): SettingPath {
  const [name = '', ...rest] = text.split('.');
  const table = tables.find((candidate) => candidate.name === name);
  if (table === undefined) throw settingPathError(text, `unknown table${didYouMean(text, allPaths()) || tableNames()}`);
  return table.form === 'single' ? inTable(text, table, rest) : inEntry(text, table, rest);
}

function inTable(text: string, table: ConfigTable, rest: readonly string[]): SettingPath {
  const [key = '', ...member] = rest;
  const field = table.fields.find((candidate) => candidate.key === key);
  if (field === undefined || (member.length > 0 && !isMap(field)))
    throw settingPathError(text, unknown(text, table, key));
  return { table, field, ...memberOf(text, field, member) };
}

/** The last known key in the path is the field; everything before it is the entry's name. */
function inEntry(text: string, table: ConfigTable, rest: readonly string[]): SettingPath {
  for (let index = rest.length - 1; index > 0; index--) {
    const field = table.fields.find(({ key }) => key === rest[index]);
    const member = rest.slice(index + 1);
    if (field === undefined || (member.length > 0 && !isMap(field))) continue;
    return { table, entry: unquote(rest.slice(0, index).join('.')), field, ...memberOf(text, field, member) };
  }
  if (rest.length < 2)
    throw settingPathError(text, `add the name of an entry and a key, as in ${table.name}.${placeholder(table)}`);
  throw settingPathError(text, unknown(text, table, rest.at(-1) ?? ''));
}

function memberOf(text: string, field: ConfigField, member: readonly string[]): { readonly member?: string } {
  if (!isMap(field)) return {};
  if (member.length === 0) throw settingPathError(text, `add the name of the key to set, as in ${text}.x-team`);
  return { member: unquote(member.join('.')) };
}

function isMap({ type }: ConfigField): boolean {
  return type === 'map of strings';
}

function unquote(name: string): string {
  return /^(["']).*\1$/.test(name) ? name.slice(1, -1) : name;
}

function placeholder(table: ConfigTable): string {
  return `${table.entry ?? 'NAME'}.${table.fields[0]?.key ?? ''}`;
}

function unknown(text: string, table: ConfigTable, key: string): string {
  const advice = adviceAgainst(key, table);
  if (advice !== undefined) return advice;
  const { name, form, fields } = table;
  const here = fields.map((field) => field.key);
  const prefix = form === 'single' ? `${name}.` : text.slice(0, text.length - key.length);
  const paths = here.map((known) => `${prefix}${known}`);
  return `unknown setting${(key !== '' && didYouMean(text, paths)) || `; ${name} has ${here.join(', ')}`}`;
}

/** Paths to suggest. Tables with entries are listed by name only, because the names of entries are free. */
function allPaths(): string[] {
  const single = tables.filter(({ form }) => form === 'single');
  return [
    ...tables.map(({ name }) => name),
    ...single.flatMap(({ name, fields }) => fields.map(({ key }) => `${name}.${key}`)),
  ];
}

function tableNames(): string {
  return `; the tables are ${tables.map(({ name }) => name).join(', ')}`;
}

function settingPathError(path: string, problem: string): SimpleAgentsError {
  return new SimpleAgentsError('configuration', `${path}: ${problem}`, { field: path });
}

/** Types whose values are strings in the file. */
const texts: ReadonlySet<FieldType> = new Set(['string', 'URL', 'path', 'choice', 'duration', 'map of strings']);

/**
 * The value that the arguments stand for. A text that cannot be parsed is left as it is, and the validation of the file
 * reports what is wrong with it.
 */
export async function parseCliValue(words: readonly string[], { type }: ConfigField): Promise<unknown> {
  const text = words.join(' ');
  if (texts.has(type)) return text;
  if (type === 'list of strings' && !text.trim().startsWith('[')) {
    return words.flatMap((word) => word.split(',')).map((word) => word.trim());
  }
  try {
    return (await parseToml(`value = ${text}`, 'value'))['value'];
  } catch {
    return text;
  }
}
