// The sandbox for the Bash commands of one run: its mode, the command to spawn, and its description in the system prompt.

import { cleanUpAfter } from './cleanup.ts';
import { DeniedWrites } from './denied-writes.ts';
import type { SandboxMode, SandboxPolicy } from './policy.ts';
import { chooseSandbox, enterSandbox, probeSandbox, type Availability } from './sandbox.ts';
import { outsidePath } from './search-path.ts';
import type { EnteredCommand, Workspace } from '../tools/workspace.ts';
import { SimpleAgentsError } from '../../core/error.ts';

export interface SandboxPaths {
  readonly root: string;
  readonly home: string;
  /** Paths that commands may not write, inside the workspace or outside. */
  readonly protectedPaths: readonly string[];
  readonly gitConfigFiles: readonly string[];
}

export interface RunSandbox {
  readonly enter?: NonNullable<Workspace['enter']>;
  /** For the system prompt. */
  readonly description: string;
  readonly warning?: string;
}

export interface SandboxOptions {
  /** Undefined: `workspace` if the machine has a sandbox, else none and a warning. */
  readonly mode?: SandboxMode | undefined;
  readonly allowsNetwork?: boolean | undefined;
  /** Where to look for bubblewrap: a value of PATH. */
  readonly searchPath: string;
}

async function enter(
  command: readonly string[],
  policy: SandboxPolicy,
  availability: Availability,
): Promise<EnteredCommand> {
  const { program, args, layout } = await enterSandbox(command, policy, availability);
  const denied = new DeniedWrites(layout);
  return {
    program,
    args,
    findDenied: (output) => denied.find(output),
    leave() {
      denied.close();
      return cleanUpAfter(layout);
    },
  };
}

/** Throws `configuration` if the requested sandbox is not available. */
export async function openSandbox(options: SandboxOptions, paths: SandboxPaths): Promise<RunSandbox> {
  if (options.mode === 'off') return { description: 'no sandbox' };
  if (options.mode === 'strict' && options.allowsNetwork) {
    throw new SimpleAgentsError('bad-request', '--allow-network: --sandbox strict has no network; use workspace');
  }
  const availability = await probeSandbox(outsidePath(options.searchPath, paths.root));
  const { mode, warning } = chooseSandbox(options.mode, availability);
  if (mode === 'off') return { description: 'no sandbox', ...(warning === undefined ? {} : { warning }) };
  const allowsNetwork = mode === 'workspace' && options.allowsNetwork === true;
  const { root, ...rest } = paths;
  const policy: SandboxPolicy = { mode, workspace: root, allowsNetwork, ...rest };
  return {
    enter: (command) => enter(command, policy, availability),
    description: `in a sandbox: only the working directory can be written, ${allowsNetwork ? 'the network can be used' : 'there is no network'}`,
  };
}
