// Whether the user trusts a repository's hooks. Whoever wrote the repository wrote them, and they run with the user's
// rights, so they run only after a yes to exactly this file in exactly this place. Programs the hooks start are not
// looked at: the yes is to the file that names them.

import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { replaceFile } from '../atomic-file.ts';
import type { HookTable } from './hook.ts';

/** `stateFolder` is the user's own folder of state, outside any repository. */
export async function isTrusted(table: HookTable, stateFolder: string): Promise<boolean> {
  const place = await placeOf(table, stateFolder);
  try {
    const known: unknown = JSON.parse(await readFile(place.file, 'utf8'));
    return isRecord(known) && known['project'] === place.project && known['digest'] === table.digest;
  } catch {
    return false;
  }
}

/**
 * Remembers the user's yes. A changed file, or the same in another place, is asked about anew. Gives a line to show when it
 * could not be remembered: the yes holds for this run all the same.
 */
export async function trustHooks(table: HookTable, stateFolder: string): Promise<string | undefined> {
  const { file, project } = await placeOf(table, stateFolder);
  const yes = { project, digest: table.digest, trustedAt: new Date().toISOString() };
  try {
    await replaceFile(file, `${JSON.stringify(yes, undefined, 2)}\n`);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `${file} cannot be written (${code ?? message}), so the trust in the hooks is not remembered`;
  }
}

/** For a run in which nobody can be asked. */
export function refuseUntrusted({ file }: HookTable): never {
  const fix = 'look at them, then use --trust-hooks to run with them, or --no-hooks to run without';
  throw new SimpleAgentsError('configuration', `${file}: the hooks of this repository are not trusted; ${fix}`, {
    field: 'hooks',
  });
}

/** A file for each project, so that two agents never overwrite each other's. */
async function placeOf({ folder }: HookTable, stateFolder: string): Promise<{ file: string; project: string }> {
  const project = await realpath(folder);
  const name = createHash('sha256').update(project).digest('hex');
  return { file: join(stateFolder, 'trusted-hooks', `${name}.json`), project };
}
