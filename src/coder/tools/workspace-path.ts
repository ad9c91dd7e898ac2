// Where a path of the model really is: links followed, also for what does not exist yet, and refused when that is outside
// the allowed roots, holds keys of the user, or is to be written and is something that would be obeyed later.
// What is opened afterwards is checked once more through its handle (file-handle.ts), for links can change in between.

import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isOwnFile } from '../own-files.ts';
import { userGitConfigs } from '../sandbox/git-config.ts';
import { findGitPaths, findRepository } from '../sandbox/git-repository.ts';
import { agentSettings, secretPaths } from '../sandbox/policy.ts';
import { codeOf, explain, fail } from './failure.ts';
import type { Workspace } from './workspace.ts';

export type Purpose = 'read' | 'write';

export interface WorkspacePath {
  /** Absolute and without links, as far as it exists. */
  readonly path: string;
  /** As messages call it: relative to the workspace where it is in it. */
  readonly shown: string;
  readonly borders: Borders;
}

/** What may be touched, with the roots' own links followed. */
export interface Borders {
  readonly roots: readonly string[];
  readonly secrets: readonly string[];
  readonly protectedPaths: readonly string[];
  /** What git executes or obeys; only where something is to be written. */
  readonly gitPaths: readonly string[];
}

export interface RequestedPath {
  /** The name of the argument, for messages. */
  readonly field: string;
  readonly path: string;
  readonly purpose: Purpose;
}

export async function resolveWorkspacePath(
  workspace: Workspace,
  { field, path, purpose }: RequestedPath,
): Promise<WorkspacePath> {
  refuseOddPath(field, path);
  const asked = resolve(workspace.root, path);
  try {
    const borders = await bordersOf(workspace, purpose);
    const real = await follow(asked);
    const objection = objectionTo(real, borders, purpose);
    if (objection !== undefined) fail(`${field}: ${toShown(path, asked, real)} ${objection}.`);
    return { path: real, shown: shownIn(borders.roots[0] ?? real, real), borders };
  } catch (error) {
    throw explain(error, `${field}: ${printable(path)}`);
  }
}

function refuseOddPath(field: string, path: string): void {
  if (path.trim() === '') fail(`${field}: must not be empty.`);
  if (path.includes('\0')) fail(`${field}: must not hold a NUL character.`);
  if (/^~(\/|$)/.test(path)) fail(`${field}: "~" is not expanded; give a path relative to the workspace.`);
}

async function bordersOf(workspace: Workspace, purpose: Purpose): Promise<Borders> {
  const { root, extraRoots = [], protectedPaths = [] } = workspace;
  return {
    roots: await Promise.all([root, ...extraRoots].map((path) => follow(path))),
    secrets: await secretsOf(workspace),
    protectedPaths: await Promise.all(protectedPaths.map(followIfAllowed)),
    gitPaths: purpose === 'write' ? await gitPathsOf(workspace) : [],
  };
}

async function gitPathsOf({ root, home, gitConfigFiles }: Workspace): Promise<readonly string[]> {
  const configFiles = gitConfigFiles ?? (home === undefined ? [] : userGitConfigs(home));
  const repository = await findRepository(await follow(root));
  const found = await findGitPaths(repository, { home: home ?? '/', configFiles });
  return Promise.all(found.map(({ path }) => followIfAllowed(path)));
}

/** By workspace, once: there are dozens, and what a command could change about them it could read as well. */
const knownSecrets = new WeakMap<Workspace, Promise<readonly string[]>>();

function secretsOf(workspace: Workspace): Promise<readonly string[]> {
  const known = knownSecrets.get(workspace) ?? findSecrets(workspace);
  knownSecrets.set(workspace, known);
  return known;
}

/** Where they are said to be, and where links lead from there. */
async function findSecrets({ home }: Workspace): Promise<readonly string[]> {
  const secrets = home === undefined ? [] : secretPaths(home);
  return [...secrets, ...(await Promise.all(secrets.map(followIfAllowed)))];
}

/** What may not even be looked at stays under its own name. */
function followIfAllowed(path: string): Promise<string> {
  return follow(path).catch(() => path);
}

/** What speaks against a real path; nothing when it may be used. */
export function objectionTo(real: string, borders: Borders, purpose: Purpose): string | undefined {
  const root = borders.roots.find((each) => isWithin(real, each));
  if (root === undefined) return `is outside the workspace (${borders.roots.join(', ')})`;
  if (borders.secrets.some((secret) => isWithin(real, secret))) {
    return 'is where the user keeps keys and tokens, which no tool opens';
  }
  if (isOwnFile(relative(root, real)))
    return 'is a record the agent keeps about itself, which no tool opens or changes';
  return purpose === 'write' ? objectionToWriting(real, root, borders) : undefined;
}

function objectionToWriting(real: string, root: string, borders: Borders): string | undefined {
  const { protectedPaths, gitPaths } = borders;
  // Some file systems take no notice of case.
  const names = relative(root, real).toLowerCase().split(sep);
  if (names.includes('.git')) return 'belongs to git itself; change it with git commands';
  const settings = agentSettings.find((name) => names.includes(name));
  if (settings !== undefined)
    return `is protected: ${settings} holds settings that agents obey; only the user changes it`;
  if (protectedPaths.some((path) => isWithin(real, path))) return 'is protected: it belongs to the agent itself';
  if (gitPaths.some((path) => isWithin(real.toLowerCase(), path.toLowerCase())))
    return 'is protected: git runs or obeys it (a hook, a script a hook calls, or a settings file); only the user changes it';
  return undefined;
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** As the kernel would, but what is missing keeps its name: it may be created. */
async function follow(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error;
    const target = await readlink(path).catch(() => undefined);
    if (target === undefined) return join(await follow(parent, links), basename(path));
    if (links >= mostLinks) throw Object.assign(new Error('too many links'), { code: 'ELOOP' }, { cause: error });
    return follow(resolve(await follow(parent, links), target), links + 1);
  }
}

const mostLinks = 40;

export function shownIn(root: string, path: string): string {
  const short = relative(root, path);
  return printable(
    short === '' ? '.' : short === '..' || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short,
  );
}

function toShown(path: string, asked: string, real: string): string {
  return asked === real ? printable(path) : `${printable(path)} leads to ${printable(real)}, which`;
}

/** A name with line breaks must not look like two. */
export function printable(path: string): string {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}
