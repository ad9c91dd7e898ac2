// What a sandboxed command may do, as plain data, and what of it is on this machine: the files a policy is about are
// looked up here, once, so that building the arguments is a pure function.

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
  /** The user's settings files of git; left out, those below the home. */
  readonly gitConfigFiles?: readonly string[];
}

/** A path of a policy as it is on the disk. */
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
  /** Absent files, which no mount can keep absent: what a command makes of them is moved aside (see cleanup.ts). */
  readonly forbiddenPaths: readonly string[];
  /** Links on the way to a protected path, which no mount can hold: restored afterwards when a command changed them. */
  readonly links: readonly GuardedLink[];
  /** The repository of the workspace, with the repositories inside it before the command. */
  readonly git?: { readonly repository: GitRepository; readonly gitlinks: readonly string[] };
  /** Replaced by nothing. */
  readonly hiddenEntries: readonly DiskEntry[];
  /** The agent's own files, replaced by nothing, read-only; mounted last, because some are in a protected folder. */
  readonly ownEntries: readonly DiskEntry[];
}

/** The settings of this and other agents, in lower case: what is written there is obeyed later, outside the sandbox. */
export const agentSettings = ['.forgeflare', '.claude', '.codex', '.mcp.json'];

/** Put there empty when missing, so that the command cannot make it. */
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
  // Where the workspace is below the top of a checkout, the repository is outside, and stays read-only.
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

/** Only what no link leads to: a repository could bring one that would have another folder covered. */
async function ownEntriesIn(workspace: string): Promise<DiskEntry[]> {
  const paths = ownPaths(workspace);
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return entriesAt(paths.filter((path, index) => path === real[index]));
}

/** The folders above it are then held in place as well: moving one away would move the sessions with it. */
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
