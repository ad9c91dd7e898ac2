// Whether the user trusts the hooks of a repository. The repository's authors wrote them and they run with the user's
// rights, so they run only after the user has confirmed exactly this file content in exactly this project. The programs that
// hooks start are not checked: the confirmation covers the file that names them.

import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { replaceFile } from '../atomic-file.ts';
import type { HookTable } from './hook.ts';

/** `stateFolder` is the user's own state folder, outside any repository. */
export async function isTrusted(table: HookTable, stateFolder: string): Promise<boolean> {
  const { file, project } = await trustFile(table, stateFolder);
  try {
    const known: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isRecord(known) && known['project'] === project && known['digest'] === table.digest;
  } catch {
    return false;
  }
}

/**
 * Stores the user's confirmation. A changed file, or the same file in another project, needs a new one. Resolves to a
 * warning if it could not be stored; the confirmation still applies to this run.
 */
export async function trustHooks(table: HookTable, stateFolder: string): Promise<string | undefined> {
  const { file, project } = await trustFile(table, stateFolder);
  const confirmation = { project, digest: table.digest, trustedAt: new Date().toISOString() };
  try {
    await replaceFile(file, `${JSON.stringify(confirmation, undefined, 2)}\n`);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `the trust in these hooks could not be saved: cannot write ${file} (${code ?? message})`;
  }
}

/** For a run that cannot ask the user. */
export function refuseUntrusted({ file }: HookTable): never {
  const fix = 'review them, then use --trust-hooks to run with them or --no-hooks to run without them';
  throw new SimpleAgentsError('configuration', `${file}: the hooks of this repository are not trusted; ${fix}`, {
    field: 'hooks',
  });
}

/** One file per project, so that two agents never overwrite each other's. */
async function trustFile({ folder }: HookTable, stateFolder: string): Promise<{ file: string; project: string }> {
  const project = await realpath(folder);
  const name = createHash('sha256').update(project).digest('hex');
  return { file: join(stateFolder, 'trusted-hooks', `${name}.json`), project };
}
