// The sandbox: whether it works here, which mode holds, and how a command is started in it. It starts nothing but the
// probe; whoever runs commands spawns what `enter` gives.

import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { systemMounts, toBubblewrapArguments, type BubblewrapFeatures } from './bubblewrap.ts';
import { toLayout, type Layout, type SandboxMode, type SandboxPolicy } from './policy.ts';

export type Availability =
  | { readonly isAvailable: true; readonly program: string; readonly features: BubblewrapFeatures }
  | { readonly isAvailable: false; readonly reason: string; readonly remedy: string };

const install = 'Install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap).';

const probes = new Map<string, Promise<Availability>>();

/** Tried once for each program: containers often have bubblewrap and forbid what it needs. */
export function probeSandbox(searchPath: string, platform: string = process.platform): Promise<Availability> {
  if (platform !== 'linux')
    return Promise.resolve(
      unavailable(`there is no sandbox for ${platform} yet`, 'Use --sandbox off, or run on Linux.'),
    );
  const program = findProgram(searchPath);
  if (program === undefined) return Promise.resolve(unavailable('bubblewrap (bwrap) is not installed', install));
  const known = probes.get(program) ?? probe(program);
  probes.set(program, known);
  return known;
}

function unavailable(reason: string, remedy: string): Availability {
  return { isAvailable: false, reason, remedy };
}

function findProgram(searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, 'bwrap'))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function probe(program: string): Promise<Availability> {
  const essential = [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--cap-drop',
    'ALL',
    ...systemMounts,
    '--tmpfs',
    '/tmp',
  ];
  if ((await run(program, ['--disable-userns', ...essential, 'true'])) === undefined) {
    return { isAvailable: true, program, features: { canDisableUserNamespaces: true } };
  }
  const failure = await run(program, [...essential, 'true']);
  if (failure === undefined) return { isAvailable: true, program, features: { canDisableUserNamespaces: false } };
  return unavailable(
    `bubblewrap does not work here: ${failure}`,
    'The kernel or the container forbids user namespaces: allow them (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces; kernel.apparmor_restrict_unprivileged_userns=0; in Docker --security-opt seccomp=unconfined), or use --sandbox off.',
  );
}

/** What went wrong, if anything. */
function run(program: string, argv: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [...argv], { timeout: 5_000, env: {} }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr.trim().split('\n').at(-1) || error.message);
    });
  });
}

export interface SandboxChoice {
  readonly mode: SandboxMode;
  /** To be shown once. */
  readonly warning?: string;
}

/** Asked for and not available is an error; not asked for and not available is told. */
export function chooseSandbox(requested: SandboxMode | undefined, availability: Availability): SandboxChoice {
  if (requested === 'off') return { mode: 'off' };
  if (availability.isAvailable) return { mode: requested ?? 'workspace' };
  const { reason, remedy } = availability;
  if (requested !== undefined) {
    throw new SimpleAgentsError('configuration', `--sandbox ${requested}: ${reason}. ${remedy}`, { field: 'sandbox' });
  }
  return { mode: 'off', warning: `Commands run without a sandbox: ${reason}. ${remedy}` };
}

/**
 * What to spawn in place of the command: detached, and killed with its group. Until bubblewrap has tied the processes
 * to itself, a kill of it alone would miss them.
 */
export interface SandboxedCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** For `tidyAfter`, when the command has ended. */
  readonly layout: Layout;
}

/** The environment must be scrubbed by whoever spawns this (see environment.ts). */
export async function enterSandbox(
  command: readonly string[],
  policy: SandboxPolicy,
  availability: Availability,
): Promise<SandboxedCommand> {
  if (!availability.isAvailable) {
    throw new SimpleAgentsError('configuration', `${availability.reason}. ${availability.remedy}`, {
      field: 'sandbox',
    });
  }
  const layout = await toLayout(policy);
  const args = [...toBubblewrapArguments(layout, availability.features), ...command];
  return { program: availability.program, args, layout };
}
