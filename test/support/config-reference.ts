// Renders the reference of every setting from the schema, for docs/configuration.md.

import type { ConfigField } from '../../src/config/schema/definition.ts';
import { headingOf, tables } from '../../src/config/schema/table.ts';

export function renderReference(): string {
  return tables
    .map((table) => {
      const rows = table.fields.map((field) => `| ${cells(field).join(' | ')} |`);
      const head = ['| key | type | default | meaning |', '|---|---|---|---|'];
      return [`### \`${headingOf(table)}\``, '', table.description, '', ...head, ...rows].join('\n');
    })
    .join('\n\n');
}

function cells(field: ConfigField): string[] {
  const choices = field.choices?.map((choice) => `\`${choice}\``).join(', ');
  const meaning = choices === undefined ? field.description : `${field.description} One of ${choices}.`;
  return [`\`${field.key}\``, field.type, defaultOf(field), meaning];
}

function defaultOf({ required, default: value, otherwise = 'none' }: ConfigField): string {
  if (required) return 'required';
  return value === undefined ? otherwise : `\`${JSON.stringify(value)}\``;
}
