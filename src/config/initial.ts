// The text of the file that `config init` writes: the chosen settings, and every other setting of the schema with its
// default in a comment, so that the file is also a reference.

import { ownModel } from '../gateway/routing/resolve.ts';
import type { ConfigField } from './schema/definition.ts';
import { headingOf, tables, type ConfigTable } from './schema/table.ts';

export interface InitialChoices {
  readonly defaultModel?: string;
  readonly providers: readonly InitialProvider[];
}

export interface InitialProvider {
  readonly type: string;
  readonly name?: string;
  readonly model?: string;
  readonly baseUrl?: string;
}

export function renderInitialConfig(choices: InitialChoices): string {
  const parts = tables.map((table) => renderTable(table, choices));
  return [
    '# The configuration of SimpleAgents. Commented lines show the defaults and examples: remove the # to change a setting.',
    '# API keys are never written here; they are read from the environment. `simple-agents config validate` checks this file.',
    ...parts.flatMap((lines) => ['', ...lines]),
    '',
  ].join('\n');
}

type Chosen = Readonly<Record<string, string | undefined>>;

function renderTable(table: ConfigTable, { defaultModel, providers }: InitialChoices): string[] {
  const title = `# ${table.description}`;
  if (table.name === 'client')
    return [title, headingOf(table), ...renderFields(table, { 'default_model': defaultModel })];
  if (table.form === 'single') return [title, headingOf(table), ...renderFields(table, {})];
  if (table.name === 'providers' && providers.length > 0) {
    return [
      title,
      ...providers.flatMap((provider, index) => [...(index > 0 ? [''] : []), ...renderProvider(provider)]),
    ];
  }
  return [title, `# ${headingOf(table)}`, ...renderFields(table, {})];
}

function renderFields({ fields }: ConfigTable, chosen: Chosen): string[] {
  return fields.flatMap((field) => {
    const value = chosen[field.key];
    const line =
      value === undefined ? `# ${field.key} = ${exampleOf(field)}` : `${field.key} = ${JSON.stringify(value)}`;
    return [`# ${describe(field)}`, line.trimEnd()];
  });
}

function renderProvider({ type, name, model, baseUrl }: InitialProvider): string[] {
  const usual = ownModel({ name: type, type });
  return [
    '[[providers]]',
    `type = ${JSON.stringify(type)}`,
    ...(name === undefined ? [] : [`name = ${JSON.stringify(name)}`]),
    ...(baseUrl === undefined ? [] : [`base_url = ${JSON.stringify(baseUrl)}`]),
    ...(model === undefined ? [] : [`model = ${JSON.stringify(model)}`]),
    ...(model === undefined && usual !== undefined ? [`# model = ${JSON.stringify(usual)}`] : []),
  ];
}

function describe({ description, required, default: fixed, otherwise = 'none' }: ConfigField): string {
  if (required || fixed !== undefined) return description;
  return `${description} Default: ${otherwise}.`;
}

function exampleOf({ default: fixed }: ConfigField): string {
  return fixed === undefined ? '' : JSON.stringify(fixed);
}
