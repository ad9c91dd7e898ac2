// Lists every setting with its value and its origin: a default, a line of the file, or an environment variable. Values
// have the form they have in the file. Invariant: API keys and passwords in URLs are masked.

import { omitUndefined } from '../core/json.ts';
import type { ProviderSettings } from '../gateway/provider-settings.ts';
import { vendorNamed } from '../providers/vendors.ts';
import { readVariable, type Environment } from './environment.ts';
import { parseToml } from '../core/toml.ts';
import { displayPath, readConfigText } from './load.ts';
import { locateInToml, type KeyPath } from '../core/toml-location.ts';
import { pluginsKey } from './schema/plugins-key.ts';
import { contentOf, holdsTables, isTable, pathOf, tables, type ConfigTable } from './schema/table.ts';
import type { Settings } from './settings.ts';

export type SettingOrigin =
  | { readonly type: 'default' }
  | { readonly type: 'file'; readonly file: string; readonly line?: number }
  | { readonly type: 'environment'; readonly variable: string };

export interface ExplainedSetting {
  /** In the form that `config set` accepts. */
  readonly path: string;
  /** Undefined if the setting is not set and has no fixed default. */
  readonly value?: unknown;
  /** What applies in that case. */
  readonly otherwise?: string;
  readonly origin: SettingOrigin;
}

/** The input of the explanation. */
interface Sources {
  readonly document: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly fromFile: (path: KeyPath) => SettingOrigin;
}

export async function explainSettings(settings: Settings, env: Environment, cwd: string): Promise<ExplainedSetting[]> {
  const sources = await readSources(settings, env, cwd);
  const settingsOfTables = tables.flatMap((table) => {
    if (table.name === 'providers') return settings.providers.flatMap((provider) => explainProvider(provider, sources));
    return table.form === 'single' ? explainTable(table, sources) : explainEntries(table, sources);
  });
  return [...explainPlugins(sources), ...settingsOfTables];
}

function explainPlugins({ document, fromFile }: Sources): ExplainedSetting[] {
  const value = document[pluginsKey];
  return value === undefined ? [] : [{ path: pluginsKey, value, origin: fromFile([pluginsKey]) }];
}

async function readSources({ file }: Settings, env: Environment, cwd: string): Promise<Sources> {
  const text = file === undefined ? '' : await readConfigText(file, cwd);
  const shown = file === undefined ? '' : displayPath(file, cwd);
  const locate = locateInToml(text);
  return {
    document: await parseToml(text, shown),
    env,
    fromFile: (path) => omitUndefined({ type: 'file', file: shown, line: locate(path) }),
  };
}

function explainTable({ name, fields }: ConfigTable, { document, env, fromFile }: Sources): ExplainedSetting[] {
  const content = document[name];
  return fields.flatMap(({ key, default: fixed, otherwise = 'none' }) => {
    const path = `${name}.${key}`;
    const variable = proxyVariable(path, env);
    if (variable !== undefined) {
      const value = withoutPassword(readVariable(variable, env) ?? '');
      return { path, value, origin: { type: 'environment', variable } };
    }
    // Listed as a separate table.
    if (isTable(content) && holdsTables(content[key])) return [];
    if (isTable(content) && key in content) return { path, value: content[key], origin: fromFile([name, key]) };
    const origin = { type: 'default' } as const;
    return fixed === undefined ? { path, otherwise, origin } : { path, value: fixed, origin };
  });
}

/** The environment variable that overrides the file, if it is set. */
function proxyVariable(path: string, env: Environment): string | undefined {
  const names: Readonly<Record<string, string>> = {
    'proxy.http': 'HTTP_PROXY',
    'proxy.https': 'HTTPS_PROXY',
    'proxy.no_proxy': 'NO_PROXY',
  };
  const name = names[path];
  return [name?.toLowerCase(), name].find((variable) => readVariable(variable, env) !== undefined);
}

function withoutPassword(address: string): string {
  return address.replace(/^([a-z]+:\/\/)?[^/@]*@/i, '$1…@');
}

/** Entries of tables that only the file can define. */
function explainEntries(table: ConfigTable, sources: Sources): ExplainedSetting[] {
  const { name, form } = table;
  // The keys of a list are its indexes.
  return Object.entries(contentOf(table, sources.document) ?? {}).flatMap(([entry, content]: [string, unknown]) => {
    const isListed = form === 'list';
    const named = isListed && isTable(content) ? content['name'] : undefined;
    const shown = typeof named === 'string' ? named : entry;
    return explainContent(`${name}.${shown}`, [...pathOf(table), isListed ? Number(entry) : entry], content, sources);
  });
}

function explainContent(prefix: string, path: KeyPath, content: unknown, { fromFile }: Sources): ExplainedSetting[] {
  if (!isTable(content)) return [];
  return Object.entries(content).map(([key, value]) => ({
    path: `${prefix}.${key}`,
    value,
    origin: fromFile([...path, key]),
  }));
}

function explainProvider(provider: ProviderSettings, sources: Sources): ExplainedSetting[] {
  const { name, type, baseUrl } = provider;
  const prefix = `providers.${name}`;
  const vendor = vendorNamed(type);
  const entries = (sources.document['providers'] ?? []) as Readonly<Record<string, unknown>>[];
  const ordinal = entries.findIndex((entry) => (entry['name'] ?? entry['type']) === name);
  const isInFile = ordinal !== -1;
  const found = presenceOf(vendor?.keyEnv ?? vendor?.baseUrlEnv, sources);
  const fileRows = isInFile
    ? explainContent(prefix, ['providers', ordinal], entries[ordinal], sources)
    : [{ path: `${prefix}.type`, value: type, origin: found }];
  const isUrlOverridden = baseUrl !== undefined && entries[ordinal]?.['base_url'] !== baseUrl;
  const path = `${prefix}.base_url`;
  const overridden = isUrlOverridden ? [{ path, value: baseUrl, origin: presenceOf(vendor?.baseUrlEnv, sources) }] : [];
  return [...fileRows.filter((row) => !isUrlOverridden || row.path !== path), ...overridden, ...explainKey(provider)];
}

function presenceOf(variable: string | undefined, { env }: Sources): SettingOrigin {
  const isSet = variable !== undefined && readVariable(variable, env) !== undefined;
  return isSet ? { type: 'environment', variable } : { type: 'default' };
}

/** The API key is not a setting of the file, but users look for it here. */
function explainKey({ name, type, apiKey, needsNoKey, keyEnv: variable }: ProviderSettings): ExplainedSetting[] {
  const path = `providers.${name}.api_key`;
  if (variable === undefined) return [];
  if (apiKey !== undefined) return [{ path, value: maskKey(apiKey), origin: { type: 'environment', variable } }];
  const need = vendorNamed(type)?.needsKey && needsNoKey !== true ? 'it is required' : 'no key is sent';
  return [{ path, otherwise: `${variable} is not set; ${need}`, origin: { type: 'default' } }];
}

/** Enough to distinguish two keys: `sk-…abcd`. Shows nothing of a short key. */
export function maskKey(key: string): string {
  const start = /^[a-z]{1,4}[-_]/i.exec(key)?.[0] ?? '';
  return key.length < 16 ? '…' : `${start}…${key.slice(-4)}`;
}
