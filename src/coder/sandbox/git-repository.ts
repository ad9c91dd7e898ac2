// The git repository of a workspace: where its data is, which parts git must be able to write, and which paths git executes
// or takes settings from. It only reads files and starts no process.

import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { findCalledFiles, findHookCalls } from './called-files.ts';
import { parseGitlinks } from './git-index.ts';
import { loadGitSettings, parseGitConfig, toPath, type GitSetting } from './git-config.ts';

export interface GitRepository {
  /** The folder that contains `.git`. Relative hook folders start here. */
  readonly top: string;
  /** HEAD, index and settings of this checkout. */
  readonly folder: string;
  /** Objects, refs, hooks and settings. The same as `folder`, except in a linked worktree. */
  readonly common: string;
  /** The data is outside the checkout, and the repository names this folder as its checkout. */
  readonly isLinked: boolean;
}

/** A path that git executes or takes settings from. */
export interface GitPath {
  readonly path: string;
  /** What git expects there if it does not exist yet. */
  readonly expected: 'folder' | 'file';
}

/** The paths in a git folder that git executes or takes settings from. The rest stays writable, so that commits work. */
const internals: readonly GitPath[] = [
  { path: 'hooks', expected: 'folder' },
  { path: 'config', expected: 'file' },
  { path: 'config.worktree', expected: 'file' },
  { path: 'modules', expected: 'file' },
  { path: 'commondir', expected: 'file' },
];

/** Entries that a linked worktree may write in the folder that it shares with the main checkout. */
const sharedData = new Set([
  'objects',
  'refs',
  'logs',
  'packed-refs',
  'packed-refs.lock',
  'shallow',
  'rr-cache',
  'lfs',
]);

/** Settings whose value is a command. */
const commandName =
  /^(core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|sequence\.editor|alias\..*|pager\..*|diff\.external|interactive\.difffilter|.*\.(command|cmd|program|textconv|clean|smudge|process|driver|helper|packobjectshook))$/;

/** The nearest repository at or above a folder. */
export async function findRepository(folder: string): Promise<GitRepository | undefined> {
  const path = join(folder, '.git');
  const status = await lstat(path).catch(() => undefined);
  if (status?.isFile() === true) return linkedRepository(folder, await textOf(path));
  if (status !== undefined) return { top: folder, ...(await foldersOf(path)), isLinked: false };
  if (await isGitFolder(folder)) return { top: folder, ...(await foldersOf(folder)), isLinked: false };
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}

/** A bare repository. */
async function isGitFolder(folder: string): Promise<boolean> {
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => exists(join(folder, name))));
  return parts.every(Boolean);
}

async function linkedRepository(top: string, pointer: string): Promise<GitRepository | undefined> {
  const [, named] = /^gitdir: (.+)$/m.exec(pointer) ?? [];
  if (named === undefined) return undefined;
  const folders = await foldersOf(resolve(top, named));
  return { top, ...folders, isLinked: await confirms(folders, top) };
}

async function foldersOf(path: string): Promise<Pick<GitRepository, 'folder' | 'common'>> {
  const folder = await realOf(path);
  const shared = (await textOf(join(folder, 'commondir'))).trim();
  return { folder, common: shared === '' ? folder : await realOf(resolve(folder, shared)) };
}

/**
 * Whether the repository names this folder as its checkout. A `.git` file alone proves nothing: a command could write one
 * that points to another repository, and the next command could then change that repository.
 */
async function confirms({ folder, common }: Pick<GitRepository, 'folder' | 'common'>, top: string): Promise<boolean> {
  if (folder !== common) {
    const back = (await textOf(join(folder, 'gitdir'))).trim();
    return dirname(folder) === join(common, 'worktrees') && (await realOf(resolve(folder, back))) === join(top, '.git');
  }
  const settings = parseGitConfig(await textOf(join(folder, 'config')));
  const named = settings.findLast(({ name }) => name === 'core.worktree')?.value;
  return named !== undefined && (await realOf(resolve(folder, named))) === top;
}

export interface GitSearch {
  readonly home: string;
  /** The user's settings files. */
  readonly configFiles: readonly string[];
}

/** Every path that git executes or takes settings from for this repository, wherever it is. */
export async function findGitPaths(repository: GitRepository | undefined, search: GitSearch): Promise<GitPath[]> {
  const { home, configFiles } = search;
  const folders = repository === undefined ? [] : [...new Set([repository.folder, repository.common])];
  const configs = folders.flatMap((folder) => [join(folder, 'config'), join(folder, 'config.worktree')]);
  const { settings, files } = await loadGitSettings([...configFiles, ...configs], home);
  const own = folders.flatMap((folder) => internals.map((each) => ({ ...each, path: join(folder, each.path) })));
  // A file or link that points to the git folder. The folder itself must stay writable.
  const pointer = repository === undefined ? '' : join(repository.top, '.git');
  const configPaths: GitPath[] = files.map((path) => ({ path, expected: 'file' }));
  if (repository === undefined) return configPaths;
  const hookFolders = hookFoldersOf(settings, repository.top, home);
  const called = [
    ...(await Promise.all(
      [...folders.map((folder) => join(folder, 'hooks')), ...hookFolders].map(callsIn(repository)),
    )),
    await callsOf(settings, repository.top),
  ].flat();
  const inner = await innerPaths(repository, home);
  return [
    ...own,
    ...configPaths,
    ...inner,
    ...(folders.includes(pointer) || !(await exists(pointer)) ? [] : [{ path: pointer, expected: 'file' } as const]),
    ...hookFolders.map((path): GitPath => ({ path, expected: 'folder' })),
    ...called.map((path): GitPath => ({ path, expected: 'file' })),
    ...(await otherCheckouts(repository)),
  ];
}

/** The git paths of the nested repositories; for a missing one, the path of its `.git`. */
async function innerPaths(repository: GitRepository, home: string): Promise<GitPath[]> {
  const { top } = repository;
  const paths = await Promise.all(
    (await loadGitlinks(repository)).map(async (name): Promise<GitPath[]> => {
      const nested = join(top, name);
      if (!isBelow(nested, top)) return [];
      if (!(await exists(join(nested, '.git')))) return [{ path: join(nested, '.git'), expected: 'file' }];
      const inner = await findRepository(nested);
      return inner?.top === nested ? findGitPaths(inner, { home, configFiles: [] }) : [];
    }),
  );
  return paths.flat();
}

/** The nested repositories in the index, relative to the top. */
export async function loadGitlinks({ folder, common }: GitRepository): Promise<string[]> {
  const index = await readFile(join(folder, 'index')).catch(() => undefined);
  if (index === undefined) return [];
  const settings = parseGitConfig(await textOf(join(common, 'config')));
  const isLong = settings.some(({ name, value }) => name === 'extensions.objectformat' && value === 'sha256');
  return parseGitlinks(index, isLong ? 32 : 20);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function callsIn({ top }: GitRepository): (folder: string) => Promise<string[]> {
  return (folder) => findHookCalls(folder, top);
}

function hookFoldersOf(settings: readonly GitSetting[], top: string, home: string): string[] {
  return settings
    .filter(({ name, value }) => (name === 'core.hookspath' || name === 'init.templatedir') && value !== '')
    .map(({ value }) => withCaller(toPath(value, top, home)));
}

/** Husky's stubs in `.husky/_` run the scripts in the parent folder. */
function withCaller(folder: string): string {
  return basename(folder) === '_' ? dirname(folder) : folder;
}

async function callsOf(settings: readonly GitSetting[], top: string): Promise<string[]> {
  const commands = settings.filter(({ name }) => commandName.test(name)).map(({ value }) => value.replace(/^!/, ''));
  const found = await Promise.all(commands.map((command) => findCalledFiles(command, { top, folder: top })));
  return found.flat();
}

/**
 * The pointer files of this checkout, of the repository's other checkouts, and of its submodules: git uses the settings in
 * the folders they point to. A checkout below this one stays writable, so that commands can create and remove it.
 */
async function otherCheckouts({ common, top }: GitRepository): Promise<GitPath[]> {
  const folders = (await namesIn(join(common, 'worktrees'))).map((name) => join(common, 'worktrees', name));
  const checkouts = await Promise.all(folders.map((folder) => textOf(join(folder, 'gitdir'))));
  const pointers = folders
    .filter((folder, index) => !isBelow(resolve(folder, dirname(checkouts[index]?.trim() ?? '')), top))
    .flatMap((folder) => ['commondir', 'gitdir', 'config.worktree'].map((file) => join(folder, file)));
  const submodules = await submodulesIn(join(common, 'modules'));
  const files = [...pointers, ...submodules.filter((path) => isBelow(path, top))];
  return files.map((path) => ({ path, expected: 'file' }));
}

const deepestModule = 6;

/** The `.git` files of submodules, found through their settings. Submodule names may contain slashes, and they nest. */
async function submodulesIn(folder: string, depth = 0): Promise<string[]> {
  if (depth > deepestModule) return [];
  const found = await Promise.all(
    (await namesIn(folder)).map(async (name) => {
      const module = join(folder, name);
      const config = await textOf(join(module, 'config'));
      if (config === '') return submodulesIn(module, depth + 1);
      const named = parseGitConfig(config).findLast((setting) => setting.name === 'core.worktree')?.value;
      const own = named === undefined ? [] : [join(resolve(module, named), '.git')];
      return [...own, ...(await submodulesIn(join(module, 'modules'), depth + 1))];
    }),
  );
  return found.flat();
}

/** Entries of the shared folder that must stay read-only although the folder itself is writable. */
export async function sealedEntries({ folder, common, isLinked }: GitRepository): Promise<string[]> {
  if (!isLinked || folder === common) return [];
  return (await namesIn(common)).filter((name) => !sharedData.has(name)).map((name) => join(common, name));
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
