// Whether the user trusts a repository's hooks. Whoever wrote the repository wrote them, and they run with the user's
// rights, so they run only after a yes to exactly this file in exactly this place.

import { SimpleAgentsError } from '../../core/error.ts';
import type { HookTable } from './hook.ts';

/** `stateFolder` is the user's own folder of state, outside any repository. */
export async function isTrusted(_table: HookTable, _stateFolder: string): Promise<boolean> {
  return false;
}

/** Remembers the user's yes. A changed file is asked about anew. */
export async function trustHooks(_table: HookTable, _stateFolder: string): Promise<void> {}

/** For a run in which nobody can be asked. */
export function refuseUntrusted({ file }: HookTable): never {
  const fix = 'look at them, then use --trust-hooks to run with them, or --no-hooks to run without';
  throw new SimpleAgentsError('configuration', `${file}: the hooks of this repository are not trusted; ${fix}`, {
    field: 'hooks',
  });
}
