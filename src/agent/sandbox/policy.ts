// What a sandboxed command may do, as plain data, and what of it is on this machine: the files a policy is about are
// looked up here, once, so that building the arguments is a pure function.

import { lstat, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownPaths } from '../own-files.ts';

/** `workspace`: reads the system, writes the workspace. `strict`: sees no home, and never the network. */
export type SandboxMode = 'off' | 'workspace' | 'strict';

export interface SandboxPolicy {
  readonly mode: Exclude<SandboxMode, 'off'>;
  /** The one folder that may be written. Absolute. */
  readonly workspace: string;
  readonly home: string;
  /** Never in strict mode. */
  readonly allowsNetwork: boolean;
  /** Further folders that may be written. */
  readonly writable?: readonly string[];
  /** Further paths that may only be read, though they are in a writable folder. */
  readonly protectedPaths?: readonly string[];
}

/** A path of a policy as it is on the disk. */
export interface Entry {
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'absent';
}

export interface Layout {
  readonly policy: SandboxPolicy;
  /** Mounted writable, in this order. */
  readonly writable: readonly string[];
  /** Mounted over themselves, so that nobody can move them away with what is protected in them. */
  readonly pinned: readonly string[];
  readonly protectedEntries: readonly Entry[];
  /** Not there before: what a command makes of them is taken away (see aftermath.ts). */
  readonly forbiddenPaths: readonly string[];
  /** Replaced by nothing. */
  readonly hiddenEntries: readonly Entry[];
  /** The agent's own files, replaced by nothing, read-only; mounted last, because some are in a protected folder. */
  readonly ownEntries: readonly Entry[];
}

/** What git runs or obeys. `.git` is left writable for the rest, or nothing could be committed. */
const gitInternals = ['hooks', 'config', 'config.worktree', 'modules', 'commondir'];

/** The settings of this and other agents, in lower case: what is written there is obeyed later, outside the sandbox. */
export const agentSettings = ['.forgeflare', '.claude', '.codex', '.mcp.json'];

/** Folders that are put there empty when missing, so that the command cannot make them. */
const madeWhenAbsent = new Set(['.forgeflare', 'hooks']);

const secretFolders = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.password-store',
  '.config/gh',
  '.config/gcloud',
  '.config/op',
  '.config/rclone',
  '.config/simple-agents',
  '.config/forgeflare',
  '.local/share/keyrings',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
];
const secretFiles = [
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.vault-token',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
];

export async function toLayout(policy: SandboxPolicy): Promise<Layout> {
  const workspace = await realpath(policy.workspace);
  const resolved = { ...policy, workspace, home: await realpath(policy.home).catch(() => policy.home) };
  const git = await entryAt(join(workspace, '.git'));
  const inGit =
    git.kind === 'folder' ? gitInternals.map((name) => join(git.path, name)) : git.kind === 'file' ? [git.path] : [];
  const settings = agentSettings.map((name) => join(workspace, name));
  const own = await ownEntriesIn(workspace);
  const extra = policy.protectedPaths ?? [];
  const sensitive = await entriesAt([...inGit, ...settings, ...extra]);
  return {
    policy: resolved,
    writable: [workspace, ...(policy.writable ?? [])],
    pinned: [...(git.kind === 'folder' ? [git.path] : []), ...parentsOf(own)],
    protectedEntries: sensitive.filter((entry) => entry.kind !== 'absent' || isMade(entry)),
    forbiddenPaths: sensitive.filter((entry) => entry.kind === 'absent' && !isMade(entry)).map(({ path }) => path),
    hiddenEntries: (await entriesAt(secretPaths(resolved.home))).filter(({ kind }) => kind !== 'absent'),
    ownEntries: own,
  };
}

/** Only what no link leads to: a repository could bring one that would have another folder covered. */
async function ownEntriesIn(workspace: string): Promise<Entry[]> {
  const paths = ownPaths(workspace);
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return entriesAt(paths.filter((path, index) => path === real[index]));
}

/** The folders above session folders: moving one away would move the sessions with it. */
function parentsOf(own: readonly Entry[]): string[] {
  return own.filter(({ kind }) => kind === 'folder').map(({ path }) => dirname(path));
}

function isMade({ path }: Entry): boolean {
  return madeWhenAbsent.has(path.slice(path.lastIndexOf('/') + 1));
}

export function secretPaths(home: string): string[] {
  const system = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/ssl/private', '/root/.ssh'];
  return [...[...secretFolders, ...secretFiles].map((name) => join(home, name)), ...system];
}

function entriesAt(paths: readonly string[]): Promise<Entry[]> {
  return Promise.all(Array.from(new Set(paths), entryAt));
}

/** A link is protected as what it is, a file: following it would protect something else. */
async function entryAt(path: string): Promise<Entry> {
  try {
    const status = await lstat(path);
    return { path, kind: status.isDirectory() ? 'folder' : 'file' };
  } catch {
    return { path, kind: 'absent' };
  }
}
