// Changes one setting in a file's text and preserves everything else, including comments. A new key is inserted into its
// table; a new table or entry is appended to the file.

import { isDeepStrictEqual } from 'node:util';
import { SimpleAgentsError } from '../core/error.ts';
import { parseToml } from '../core/toml.ts';
import { locateInToml, type KeyPath } from '../core/toml-location.ts';
import { providerTypes } from './schema/provider-type.ts';
import { headingOf, isTable } from './schema/table.ts';
import type { SettingPath } from './setting-path.ts';

type Content = Record<string, unknown>;

/** Returns the text with the setting. The caller checks whether the result is a valid file. */
export async function editSetting(text: string, path: SettingPath, value: unknown, shown: string): Promise<string> {
  const document = toPlain(await parseToml(text, shown)) as Content;
  const wanted = structuredClone(document);
  const found = findParent(wanted, path)?.content;
  const parent = found ?? createParent(wanted, path, value);
  assign(parent, path, value);
  const drafts = found === undefined ? [append(text, path, parent)] : insertions(text, document, path, parent);
  for (const draft of drafts) if (await parsesTo(draft, wanted, shown)) return draft;
  const patched = await patch(text, wanted);
  if (await parsesTo(patched, wanted, shown)) return patched;
  throw new SimpleAgentsError('internal', `${shown}: the setting could not be added automatically; add it by hand`);
}

/** The parser's tables have no prototype; plain objects are needed to compare them. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member)]));
}

interface Parent {
  readonly path: KeyPath;
  readonly content: Content;
}

/** The table or entry that contains the setting, if it exists. */
function findParent(document: Content, { table, entry = '' }: SettingPath): Parent | undefined {
  const path = table.form === 'single' ? [table.name] : [table.name, entryKey(document[table.name], entry)];
  const content = path.reduce<unknown>((value, key) => (value as Content | undefined)?.[key], document);
  return isTable(content) ? { path, content } : undefined;
}

/** Finds an entry of a list by its name, its type or its index. */
function entryKey(content: unknown, entry: string): string | number {
  if (!Array.isArray(content)) return entry;
  const ordinal = content.findIndex((each: Content) => (each['name'] ?? each['type']) === entry);
  return ordinal === -1 && /^\d+$/.test(entry) ? Number(entry) : ordinal;
}

function createParent(document: Content, { table, entry = '', field }: SettingPath, value: unknown): Content {
  const parent: Content = {};
  if (table.form === 'single') document[table.name] = parent;
  else if (table.form === 'named') document[table.name] = { ...(document[table.name] as Content), [entry]: parent };
  else document[table.name] = [...((document[table.name] as unknown[] | undefined) ?? []), parent];
  return table.form === 'list' ? Object.assign(parent, identityOf(table.name, entry, field.key, value)) : parent;
}

/** The keys by which a new entry of a list is found again. */
function identityOf(table: string, entry: string, key: string, value: unknown): Content {
  if (table !== 'providers') return { name: entry };
  if (key === 'type') return entry === value ? {} : { name: entry };
  if (providerTypes.includes(entry)) return { type: entry };
  const advice = `first set providers.${entry}.type to one of ${providerTypes.join(', ')}`;
  throw new SimpleAgentsError('configuration', `the file has no provider ${JSON.stringify(entry)}; ${advice}`);
}

function assign(parent: Content, { field, member }: SettingPath, value: unknown): void {
  if (member === undefined) parent[field.key] = value;
  else parent[field.key] = { ...(parent[field.key] as Content | undefined), [member]: value };
}

/**
 * Candidates for inserting a new key into a table with a heading: in place of its commented example, below the last key,
 * or below the heading, because the last value may span several lines.
 */
function insertions(text: string, document: Content, path: SettingPath, parent: Content): string[] {
  const { key } = path.field;
  const found = findParent(document, path);
  const locate = locateInToml(text);
  const heading = (found && locate(found.path)) ?? 0;
  const lines = text.split('\n');
  if (found === undefined || key in found.content || !lines[heading - 1]?.startsWith('[')) return [];
  const below = lines.slice(heading);
  const end = below.findIndex((line) => /^\s*#?\s*\[/.test(line));
  const example = below.slice(0, end === -1 ? undefined : end).findIndex((line) => isExample(line, key));
  const lastKey = Math.max(heading, ...Object.keys(found.content).map((each) => locate([...found.path, each]) ?? 0));
  const line = `${key} = ${toToml(parent[key])}${text.includes('\r\n') ? '\r' : ''}`;
  const at = (index: number, replaced: number) => lines.toSpliced(index, replaced, line).join('\n');
  return [...(example === -1 ? [] : [at(heading + example, 1)]), at(lastKey, 0), at(heading, 0)];
}

function isExample(line: string, key: string): boolean {
  return new RegExp(`^#\\s*${key}\\s*=`).test(line);
}

function append(text: string, { table, entry }: SettingPath, parent: Content): string {
  const lines = Object.entries(parent).map(([key, value]) => `${key} = ${toToml(value)}`);
  const gap = text.trim() === '' ? text : `${text.trimEnd()}\n\n`;
  const block = `${gap}${[headingOf(table, entry), ...lines].join('\n')}\n`;
  return text.includes('\r\n') ? block.replaceAll(/\r?\n/g, '\r\n') : block;
}

function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(', ')}]`;
  if (!isTable(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)} = ${toToml(member)}`)
    .join(', ')} }`;
}

async function patch(text: string, wanted: Content): Promise<string> {
  const toml = await import('@decimalturn/toml-patch');
  return toml.patch(text, wanted);
}

/** Guards against an edit that changes anything else. */
async function parsesTo(text: string, wanted: Content, shown: string): Promise<boolean> {
  const document = await parseToml(text, shown).catch(() => undefined);
  return isDeepStrictEqual(toPlain(document), wanted);
}
