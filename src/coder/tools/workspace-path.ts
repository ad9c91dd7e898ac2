// Resolves a path from the model to its real path, following links, also for a path that does not exist yet. It rejects paths
// outside the allowed roots, the user's keys and tokens, and, for writing, files that are executed or used as settings later.
// file-handle.ts checks the open handle again, because links can change in between.

import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { omitUndefined } from '../../core/json.ts';
import { isOwnFile } from '../own-files.ts';
import { userGitConfigs } from '../sandbox/git-config.ts';
import { findGitPaths, findRepository } from '../sandbox/git-repository.ts';
import { agentSettings, secretPaths } from '../sandbox/policy.ts';
import { codeOf, explain, fail } from './failure.ts';
import type { EditorFiles, Workspace } from './workspace.ts';

export type Purpose = 'read' | 'write';

export interface WorkspacePath {
  /** Absolute; links are resolved as far as the path exists. */
  readonly path: string;
  /** For messages: relative to the workspace if inside it. */
  readonly shown: string;
  readonly limits: AccessLimits;
  readonly editor?: EditorFiles;
}

/** What may be accessed. All paths are real paths. */
export interface AccessLimits {
  readonly roots: readonly string[];
  readonly secrets: readonly string[];
  readonly protectedPaths: readonly string[];
  /** Paths that git executes or takes settings from; only for writing. */
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
  checkPath(field, path);
  const requested = resolve(workspace.root, path);
  try {
    const limits = await limitsOf(workspace, purpose);
    const real = await follow(requested);
    const objection = objectionTo(real, limits, purpose);
    if (objection !== undefined) fail(`${field}: ${toShown(path, requested, real)} ${objection}.`);
    const { editor } = workspace;
    return { path: real, shown: shownIn(limits.roots[0] ?? real, real), limits, ...omitUndefined({ editor }) };
  } catch (error) {
    throw explain(error, `${field}: ${printable(path)}`);
  }
}

function checkPath(field: string, path: string): void {
  if (path.trim() === '') fail(`${field}: must not be empty.`);
  if (path.includes('\0')) fail(`${field}: must not contain a NUL character.`);
  if (/^~(\/|$)/.test(path)) fail(`${field}: "~" is not expanded; pass a path relative to the workspace.`);
}

async function limitsOf(workspace: Workspace, purpose: Purpose): Promise<AccessLimits> {
  const { root, extraRoots = [], protectedPaths = [] } = workspace;
  return {
    roots: await Promise.all([root, ...extraRoots].map((path) => follow(path))),
    secrets: await secretsOf(workspace),
    protectedPaths: await Promise.all(protectedPaths.map(followIfAllowed)),
    gitPaths: purpose === 'write' ? await gitPathsOf(workspace) : [],
  };
}

async function gitPathsOf({ root, extraRoots = [], home, gitConfigFiles }: Workspace): Promise<readonly string[]> {
  const configFiles = gitConfigFiles ?? (home === undefined ? [] : userGitConfigs(home));
  const findIn = async (folder: string) =>
    findGitPaths(await findRepository(await follow(folder)), { home: home ?? '/', configFiles });
  const found = await Promise.all([root, ...extraRoots].map(findIn));
  return Promise.all(found.flat().map(({ path }) => followIfAllowed(path)));
}

/** Looked up once per workspace, because there are dozens of paths. */
const knownSecrets = new WeakMap<Workspace, Promise<readonly string[]>>();

function secretsOf(workspace: Workspace): Promise<readonly string[]> {
  const known = knownSecrets.get(workspace) ?? findSecrets(workspace);
  knownSecrets.set(workspace, known);
  return known;
}

/** The usual paths, and the real paths of those that are links. */
async function findSecrets({ home }: Workspace): Promise<readonly string[]> {
  const secrets = home === undefined ? [] : secretPaths(home);
  return [...secrets, ...(await Promise.all(secrets.map(followIfAllowed)))];
}

/** A path that cannot be inspected keeps its name. */
function followIfAllowed(path: string): Promise<string> {
  return follow(path).catch(() => path);
}

/** Why a real path may not be used; undefined if it may. */
export function objectionTo(real: string, limits: AccessLimits, purpose: Purpose): string | undefined {
  const root = limits.roots.find((each) => isWithin(real, each));
  if (root === undefined) return `is outside the workspace (${limits.roots.join(', ')})`;
  if (limits.secrets.some((secret) => isWithin(real, secret))) {
    return 'contains keys or tokens of the user, which no tool opens';
  }
  if (isOwnFile(relative(root, real))) return "is one of the agent's own records, which no tool opens or changes";
  return purpose === 'write' ? objectionToWriting(real, root, limits) : undefined;
}

function objectionToWriting(real: string, root: string, limits: AccessLimits): string | undefined {
  const { protectedPaths, gitPaths } = limits;
  // Some file systems ignore case.
  const names = relative(root, real).toLowerCase().split(sep);
  if (names.includes('.git')) return 'belongs to git; change it with git commands';
  const settings = agentSettings.find((name) => names.includes(name));
  if (settings !== undefined)
    return `is protected: ${settings} contains settings of agents, which only the user may change`;
  if (protectedPaths.some((path) => isWithin(real, path))) return 'is protected: it belongs to the agent itself';
  if (gitPaths.some((path) => isWithin(real.toLowerCase(), path.toLowerCase())))
    return 'is protected: git executes it or takes settings from it (a hook, a script that a hook calls, or a settings file); only the user may change it';
  return undefined;
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Resolves links as the kernel does. A missing part keeps its name, because it may be created. */
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

function toShown(path: string, requested: string, real: string): string {
  return requested === real ? printable(path) : `${printable(path)} points to ${printable(real)}, which`;
}

/** Quotes a name with control characters, so that it cannot look like two lines. */
export function printable(path: string): string {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}
