// Whether the user trusts the hooks, the agents or the MCP servers of a repository. The repository's authors wrote them and they act with the
// user's rights, so they are used only after the user has confirmed exactly this file content in exactly this project. The
// programs that hooks start are not checked: the confirmation covers the file that names them.

import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { replaceFile } from '../atomic-file.ts';

/** Files of a repository that need the user's confirmation. */
export interface TrustSubject {
  readonly kind: 'hooks' | 'agents' | 'mcp';
  /** The project. */
  readonly folder: string;
  /** The file or folder, for messages. */
  readonly file: string;
  /** SHA-256 of the content. */
  readonly digest: string;
}

/** For messages. */
export const trustNouns: Readonly<Record<TrustSubject['kind'], string>> = {
  hooks: 'hooks',
  agents: 'agents',
  mcp: 'MCP servers',
};

/** `stateFolder` is the user's own state folder, outside any repository. */
export async function isTrusted(subject: TrustSubject, stateFolder: string): Promise<boolean> {
  const { file, project } = await trustFile(subject, stateFolder);
  try {
    const known: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isRecord(known) && known['project'] === project && known['digest'] === subject.digest;
  } catch {
    return false;
  }
}

/**
 * Stores the user's confirmation. A changed file, or the same file in another project, needs a new one. Resolves to a
 * warning if it could not be stored; the confirmation still applies to this run.
 */
export async function trust(subject: TrustSubject, stateFolder: string): Promise<string | undefined> {
  const { file, project } = await trustFile(subject, stateFolder);
  const confirmation = { project, digest: subject.digest, trustedAt: new Date().toISOString() };
  try {
    await replaceFile(file, `${JSON.stringify(confirmation, undefined, 2)}\n`);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `the trust in these ${trustNouns[subject.kind]} could not be saved: cannot write ${file} (${code ?? message})`;
  }
}

/** For a run that cannot ask the user. */
export function refuseUntrusted({ file, kind }: TrustSubject): never {
  const fix = `review them, then use --trust-${kind} to run with them or --no-${kind} to run without them`;
  throw new SimpleAgentsError(
    'configuration',
    `${file}: the ${trustNouns[kind]} of this repository are not trusted; ${fix}`,
    {
      field: kind,
    },
  );
}

/** One file per project, so that two agents never overwrite each other's. */
async function trustFile(
  { folder, kind }: TrustSubject,
  stateFolder: string,
): Promise<{ file: string; project: string }> {
  const project = await realpath(folder);
  const name = createHash('sha256').update(project).digest('hex');
  return { file: join(stateFolder, `trusted-${kind}`, `${name}.json`), project };
}
