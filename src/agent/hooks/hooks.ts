// The hooks of one agent: a policy around its tools, and what is run when a turn has ended.

import type { TurnEnd } from '../event.ts';
import type { ToolPolicy } from '../policy.ts';
import type { HookTable } from './hook.ts';

export interface HookOptions {
  readonly table: HookTable;
  /** Where hooks run, and what they are told as `cwd`. */
  readonly cwd: string;
  /** Secrets are taken out before a hook sees it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Such as the provider's key: what holds one is taken out as well. */
  readonly secrets?: readonly string[];
  /** A line to show: an observer failed, a file could not be written. */
  readonly warn: (line: string) => void;
  /** What hooks write to stderr; left out, it goes to this process's own. */
  readonly stderr?: (chunk: string) => void;
}

export interface Hooks {
  /** A new one for each turn, for blocks are counted by the turn. To stand before the policy that asks the user. */
  readonly policy: () => ToolPolicy;
  /** Once, when the agent starts: forgets what the last run converged to. */
  begin(): Promise<void>;
  /** After every `turn-end`. Never throws. */
  end(end: TurnEnd, signal?: AbortSignal): Promise<void>;
}

export function createHooks(_options: HookOptions): Hooks {
  return { policy: () => ({}), begin: async () => undefined, end: async () => undefined };
}
