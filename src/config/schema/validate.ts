// Validates a parsed file against the schema: tables, keys and types. `consistency.ts` checks across fields. Reports every
// problem, not only the first.

import type { KeyPath } from '../../core/toml-location.ts';
import type { PluginRegistry } from '../../gateway/plugin/registry.ts';
import { pluginsKey } from './plugins-key.ts';
import { problemAt, type ConfigProblem } from './problem.ts';
import type { ConfigField } from './definition.ts';
import { toCamelCase, type TableDefaults, type FileDraft } from './file-values.ts';
import {
  adviceAgainst,
  contentOf,
  fieldsOf,
  headingOf,
  holdsTables,
  isTable,
  pathOf,
  tables,
  type ConfigTable,
  type TableName,
} from './table.ts';
import { didYouMean, suggest } from '../../core/suggest.ts';
import { checkValue } from './value.ts';

type Report = (problem: ConfigProblem) => void;

export function validate(
  document: Record<string, unknown>,
  plugins?: PluginRegistry,
): { draft: FileDraft; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const report: Report = (problem) => problems.push(problem);
  for (const [name, value] of Object.entries(document)) {
    if (name !== pluginsKey && !tables.some((table) => table.name === name)) report(unknownTable(name, value));
  }
  const draft = Object.fromEntries(
    tables.map((each) => {
      const table = withAddedChoices(each, plugins);
      return [table.name, readTable(table, contentOf(table, document), report)];
    }),
  );
  // Safe because the types are derived from the schema that `readFields` follows.
  return { draft: draft as unknown as FileDraft, problems };
}

function withAddedChoices(table: ConfigTable, plugins: PluginRegistry | undefined): ConfigTable {
  if (plugins === undefined) return table;
  const fields = table.fields.map((field) => {
    const { choices = [], addedBy } = field;
    return addedBy === undefined ? field : { ...field, choices: [...choices, ...plugins[addedBy].keys()] };
  });
  return { ...table, fields };
}

/** The defaults of one table, parsed like its values. */
export function defaultsOf<T extends TableName>(table: T): TableDefaults<T> {
  const defaults = fieldsOf(table).flatMap((field) => {
    if (field.default === undefined) return [];
    const checked = checkValue(field.default, field);
    return 'value' in checked ? [[toCamelCase(field.key), checked.value] as const] : [];
  });
  return Object.fromEntries(defaults) as TableDefaults<T>;
}

function readTable(table: ConfigTable, value: unknown, report: Report): unknown {
  const path = pathOf(table);
  const wrongForm = () => report({ path, field: headingOf(table), message: formAdvice(table) });
  if (table.form === 'list') {
    const entries = value ?? [];
    if (!Array.isArray(entries) || !entries.every(isTable)) return (wrongForm(), []);
    return entries.map((entry, ordinal) => readFields(table, entry, [...path, ordinal], report));
  }
  const content = value ?? {};
  if (!isTable(content)) return (wrongForm(), {});
  if (table.form === 'single') return readFields(table, content, [table.name], report);
  const named = Object.entries(content).map(([name, entry]) => [name, readNamed(table, name, entry, report)] as const);
  return Object.fromEntries(named);
}

function readNamed(table: ConfigTable, name: string, entry: unknown, report: Report): unknown {
  const path = [table.name, name];
  if (isTable(entry)) return readFields(table, entry, path, report);
  report({ path, field: headingOf(table, name), message: formAdvice(table, name) });
  return {};
}

function readFields(
  table: ConfigTable,
  content: Record<string, unknown>,
  path: KeyPath,
  report: Report,
): Record<string, unknown> {
  for (const key of Object.keys(content)) {
    if (!table.fields.some((field) => field.key === key)) report(problemAt([...path, key], unknownKey(table, key)));
  }
  const values: Record<string, unknown> = {};
  for (const field of table.fields) {
    const value = content[field.key];
    // Read as a separate table.
    if (holdsTables(value) && tables.some(({ name }) => name === `${table.name}.${field.key}`)) continue;
    if (value === undefined) {
      if (field.required) report(problemAt([...path, field.key], `is required: ${requirement(field)}`));
      continue;
    }
    const checked = checkValue(value, field);
    if ('problem' in checked) report(problemAt([...path, field.key], checked.problem));
    else values[toCamelCase(field.key)] = checked.value;
  }
  return values;
}

function requirement({ type, choices }: ConfigField): string {
  return choices === undefined ? `a ${type}` : `one of ${choices.join(', ')}`;
}

function unknownKey(table: ConfigTable, key: string): string {
  const advice = adviceAgainst(key, table);
  if (advice !== undefined) return advice;
  const here = table.fields.map((field) => field.key);
  const hint = didYouMean(key, here) || `${belongsElsewhere(key)}; ${headingOf(table)} has ${here.join(', ')}`;
  return `unknown key${hint}`;
}

/** A valid key under the wrong heading is the most common mistake in TOML. */
function belongsElsewhere(key: string): string {
  if (key === pluginsKey) return '; it belongs at the top of the file, before the first [table]';
  const table = tables.find(({ fields }) => fields.some((field) => field.key === key));
  return table === undefined ? '' : `; it belongs in ${headingOf(table)}`;
}

function unknownTable(name: string, value: unknown): ConfigProblem {
  const path = [name];
  const isList = Array.isArray(value) && value.some(isTable);
  const all = `the tables are ${tables.map((table) => headingOf(table)).join(', ')}`;
  if (!isTable(value) && !isList) {
    return { path, field: name, message: `unknown key outside of any table${belongsElsewhere(name) || `; ${all}`}` };
  }
  const meant = suggest(
    name,
    tables.map((table) => table.name),
  );
  const table = tables.find((candidate) => candidate.name === meant);
  const hint = table === undefined ? all : `did you mean ${headingOf(table)}?`;
  return { path, field: isList ? `[[${name}]]` : `[${name}]`, message: `unknown table; ${hint}` };
}

function formAdvice(table: ConfigTable, entry?: string): string {
  const [first] = table.fields;
  return `write ${headingOf(table, entry)} on its own line and its keys, such as ${first?.key}, below it`;
}
