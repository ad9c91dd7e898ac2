// The sandbox: whether it works on this machine, which mode applies, and what to spawn to run a command in it. This file
// starts only the probe; the caller spawns the command.

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

/** Tried once per program, because containers often have bubblewrap but forbid the namespaces it needs. */
export function probeSandbox(searchPath: string, platform: string = process.platform): Promise<Availability> {
  if (platform !== 'linux')
    return Promise.resolve(
      unavailable(`sandboxing is not supported on ${platform}`, 'Use --sandbox off, or run on Linux.'),
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
    'The kernel or the container forbids user namespaces. Allow them (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces; kernel.apparmor_restrict_unprivileged_userns=0; in Docker --security-opt seccomp=unconfined), or use --sandbox off.',
  );
}

/** Resolves to the error message, or undefined on success. */
function run(program: string, argv: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, [...argv], { timeout: 5_000, env: {} }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr.trim().split('\n').at(-1) || error.message);
    });
  });
}

export interface SandboxChoice {
  readonly mode: SandboxMode;
  /** Shown once at the start. */
  readonly warning?: string;
}

/** Throws if a requested sandbox is not available. Without a request, its absence is only a warning. */
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
 * What to spawn instead of the command. Spawn it detached and kill its process group: until bubblewrap has set up its
 * namespaces, killing bubblewrap alone would miss the other processes.
 */
export interface SandboxedCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** For `cleanUpAfter`, after the command has ended. */
  readonly layout: Layout;
}

/** The caller must scrub the environment before spawning (see environment.ts). */
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
