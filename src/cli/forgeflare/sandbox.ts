// How Bash is held in this run: which mode, what is spawned in place of a command, and how the model is told of it.

import { tidyAfter } from '../../coder/sandbox/aftermath.ts';
import { DeniedWrites } from '../../coder/sandbox/denied-writes.ts';
import type { SandboxPolicy } from '../../coder/sandbox/policy.ts';
import { chooseSandbox, enterSandbox, probeSandbox, type Availability } from '../../coder/sandbox/sandbox.ts';
import { outsidePath } from '../../coder/sandbox/search-path.ts';
import type { EnteredCommand, Workspace } from '../../coder/tools/workspace.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { RunFlags } from './flags.ts';

export interface SandboxPlace {
  readonly root: string;
  readonly home: string;
  /** What commands may not write, wherever it is. */
  readonly protectedPaths: readonly string[];
  readonly gitConfigFiles: readonly string[];
}

export interface RunSandbox {
  readonly enter?: NonNullable<Workspace['enter']>;
  /** For the system prompt. */
  readonly description: string;
  readonly warning?: string;
}

type SandboxFlags = Pick<RunFlags, 'sandbox' | 'allowNetwork'>;

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
      return tidyAfter(layout);
    },
  };
}

/** Throws `configuration` when the sandbox that was asked for is not to be had. */
export async function openSandbox(flags: SandboxFlags, place: SandboxPlace, { env }: Terminal): Promise<RunSandbox> {
  if (flags.sandbox === 'off') return { description: 'no sandbox' };
  if (flags.sandbox === 'strict' && flags.allowNetwork) {
    throw new SimpleAgentsError('bad-request', '--allow-network: --sandbox strict has no network; use workspace');
  }
  const availability = await probeSandbox(outsidePath(env['PATH'] ?? '', place.root));
  const { mode, warning } = chooseSandbox(flags.sandbox, availability);
  if (mode === 'off') return { description: 'no sandbox', ...(warning === undefined ? {} : { warning }) };
  const allowsNetwork = mode === 'workspace' && flags.allowNetwork === true;
  const { root, ...rest } = place;
  const policy: SandboxPolicy = { mode, workspace: root, allowsNetwork, ...rest };
  return {
    enter: (command) => enter(command, policy, availability),
    description: `in a sandbox: only the working directory can be written, ${allowsNetwork ? 'the network can be used' : 'there is no network'}`,
  };
}
