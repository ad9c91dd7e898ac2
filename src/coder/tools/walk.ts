// Lists the entries below a folder, sorted by name. It skips tool folders at any depth, paths ignored by .gitignore, and the
// agent's own files. Links are listed but not followed; an unreadable folder counts as empty.

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { isOwnFile, isSessionParent } from '../own-files.ts';
import { IgnoreRules, loadIgnoreRules } from './ignore-rules.ts';

/** At any depth. */
export const ignoredFolders: readonly string[] = [
  '.git',
  '.hg',
  '.svn',
  '.jj',
  'node_modules',
  'target',
  '__pycache__',
  '.venv',
  'venv',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.gradle',
  '.next',
  '.nuxt',
  '.turbo',
  '.cache',
  '.terraform',
];

const ignored = new Set(ignoredFolders);

export interface WalkOptions {
  /** The topmost folder whose .gitignore applies. */
  readonly root: string;
  /** The start folder, inside the root. It is listed even if a rule ignores it. */
  readonly folder: string;
  readonly isRecursive: boolean;
  readonly signal: AbortSignal;
}

export interface WalkedEntry {
  /** Relative to the start folder, with "/" between names. */
  readonly path: string;
  readonly isFolder: boolean;
}

export async function* walk(options: WalkOptions): AsyncGenerator<WalkedEntry> {
  const base = relative(options.root, options.folder).split(sep).join('/');
  yield* walkFolder({ ...options, base, inner: '', above: await rulesAbove(options.root, base) });
}

interface Position extends WalkOptions {
  /** The start folder, relative to the root. */
  readonly base: string;
  /** The current folder, relative to the start folder. */
  readonly inner: string;
  readonly above: IgnoreRules;
}

async function* walkFolder(position: Position): AsyncGenerator<WalkedEntry> {
  const { root, base, inner, isRecursive, signal } = position;
  signal.throwIfAborted();
  const folder = joined(base, inner);
  const rules = await loadIgnoreRules(position.above, root, folder);
  for (const entry of await entriesOf(join(root, folder))) {
    const path = joined(inner, entry.name);
    const isFolder = entry.isDirectory();
    if (isFolder && ignored.has(entry.name)) continue;
    if (await isOwnEntry(root, joined(folder, entry.name))) continue;
    if (rules.ignores({ path: joined(folder, entry.name), isFolder })) continue;
    yield { path, isFolder };
    if (isFolder && isRecursive) yield* walkFolder({ ...position, inner: path, above: rules });
  }
}

/** A folder that contains nothing but own files would look empty, so it is skipped too. */
async function isOwnEntry(root: string, path: string): Promise<boolean> {
  if (isOwnFile(path)) return true;
  if (!isSessionParent(basename(path))) return false;
  const names = await readdir(join(root, path)).catch(() => []);
  return names.length > 0 && names.every((name) => isOwnFile(`${path}/${name}`));
}

async function rulesAbove(root: string, base: string): Promise<IgnoreRules> {
  const names = base === '' ? [] : base.split('/');
  let rules = IgnoreRules.none;
  for (let depth = 0; depth < names.length; depth += 1) {
    rules = await loadIgnoreRules(rules, root, names.slice(0, depth).join('/'));
  }
  return rules;
}

function joined(folder: string, name: string): string {
  return folder === '' || name === '' ? folder + name : `${folder}/${name}`;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
