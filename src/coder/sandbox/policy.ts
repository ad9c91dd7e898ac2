// What a sandboxed command may do, as plain data (`SandboxPolicy`), and the same resolved against the disk (`Layout`). All
// files are looked up here, so that building the bubblewrap arguments is a pure function.

import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ownPaths } from '../own-files.ts';
import { userGitConfigs } from './git-config.ts';
import {
  findGitPaths,
  findRepository,
  loadGitlinks,
  sealedEntries,
  type GitPath,
  type GitRepository,
} from './git-repository.ts';
import { toMounts, type GuardedLink, type Mount } from './mounts.ts';

/** `workspace`: can read the system and write the workspace. `strict`: also no home folder and no network. */
export type SandboxMode = 'off' | 'workspace' | 'strict';

export interface SandboxPolicy {
  readonly mode: Exclude<SandboxMode, 'off'>;
  /** The writable folder. Absolute. */
  readonly workspace: string;
  readonly home: string;
  /** Ignored in strict mode, which has no network. */
  readonly allowsNetwork: boolean;
  /** Further writable folders. */
  readonly writable?: readonly string[];
  /** Further paths that stay read-only inside writable folders. */
  readonly protectedPaths?: readonly string[];
  /** The user's git settings files. Default: those in the home folder. */
  readonly gitConfigFiles?: readonly string[];
}

/** A path and what is there on the disk. */
export interface DiskEntry {
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'absent';
}

export interface Layout {
  readonly policy: SandboxPolicy;
  /** Mounted writable, in this order. */
  readonly writable: readonly string[];
  /** Mounted over the writable folders, in this order. */
  readonly mounts: readonly Mount[];
  /** Absent files. No mount can keep them absent, so files that a command creates there are moved aside (see cleanup.ts). */
  readonly forbiddenPaths: readonly string[];
  /** Links on the way to a protected path. No mount can protect them, so they are restored if a command changed them. */
  readonly links: readonly GuardedLink[];
  /** The repository of the workspace, and its nested repositories before the command. */
  readonly git?: { readonly repository: GitRepository; readonly gitlinks: readonly string[] };
  /** Mounted empty. */
  readonly hiddenEntries: readonly DiskEntry[];
  /** The agent's own files, mounted empty and read-only. Mounted last, because some are in a protected folder. */
  readonly ownEntries: readonly DiskEntry[];
}

/** Settings of this and other agents, in lower case. They take effect later, outside the sandbox. */
export const agentSettings = ['.forgeflare', '.claude', '.codex', '.mcp.json'];

/** Mounted empty if missing, so that the command cannot create it. */
const ownSettings = '.forgeflare';

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
  const repository = await findRepository(workspace);
  // If the workspace is below the top of a checkout, the repository is outside and stays read-only.
  const isOwn = repository?.isLinked === true && repository.top === workspace;
  const data = isOwn ? [repository.common, repository.folder] : [];
  const further = await Promise.all((policy.writable ?? []).map((path) => realpath(path)));
  const writable = [...new Set([workspace, ...further, ...data])];
  const settings = agentSettings.map((name): GitPath => {
    return { path: join(workspace, name), expected: name === ownSettings ? 'folder' : 'file' };
  });
  const extra = (policy.protectedPaths ?? []).map((path): GitPath => ({ path, expected: 'file' }));
  const sealed = isOwn ? await sealedEntries(repository) : [];
  const configFiles = policy.gitConfigFiles ?? userGitConfigs(resolved.home);
  const own = await ownEntriesIn(workspace);
  const git = await findGitPaths(repository, { home: resolved.home, configFiles });
  return {
    policy: resolved,
    writable,
    ...toMounts({ writable, protectedPaths: [...git, ...settings, ...extra, ...own.map(toProtected)], sealed }),
    ...(repository === undefined ? {} : { git: { repository, gitlinks: await loadGitlinks(repository) } }),
    hiddenEntries: (await entriesAt(secretPaths(resolved.home))).filter(({ kind }) => kind !== 'absent'),
    ownEntries: own,
  };
}

/** Only paths without links: a repository could contain a link that makes the sandbox hide another folder. */
async function ownEntriesIn(workspace: string): Promise<DiskEntry[]> {
  const paths = ownPaths(workspace);
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return entriesAt(paths.filter((path, index) => path === real[index]));
}

/** Protecting it also pins the folders above it, because moving one of them would move the sessions too. */
function toProtected({ path, kind }: DiskEntry): GitPath {
  return { path, expected: kind === 'folder' ? 'folder' : 'file' };
}

export function secretPaths(home: string): string[] {
  const system = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/ssl/private', '/root/.ssh'];
  return [...[...secretFolders, ...secretFiles].map((name) => join(home, name)), ...system];
}

function entriesAt(paths: readonly string[]): Promise<DiskEntry[]> {
  return Promise.all(Array.from(new Set(paths), entryAt));
}

async function entryAt(path: string): Promise<DiskEntry> {
  try {
    const status = await lstat(path);
    return { path, kind: status.isDirectory() ? 'folder' : 'file' };
  } catch {
    return { path, kind: 'absent' };
  }
}
