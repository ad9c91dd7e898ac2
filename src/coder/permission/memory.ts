// What the user allowed for good, by project: one file in the user's own folder of state, never in a repository, which
// could then allow itself anything. A file that is damaged, or that others may write, is told of, not obeyed and not
// overwritten. Written whole and put in place at once; what another run added in the meantime is kept.

import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Grant } from './grant.ts';
import { noGrants, parseRecord, withGrant, type MemoryRecord } from './memory-record.ts';

export interface PermissionMemory {
  allows(grant: Grant): boolean;
  /** Holds for this run in any case. Gives what went wrong when it could not be kept for the next. */
  remember(grant: Grant): Promise<string | undefined>;
}

export interface MemoryLocation {
  /** The file; its folder is made when needed. Absolute. */
  readonly path: string;
  /** The project's real path. */
  readonly project: string;
}

export interface OpenedMemory {
  readonly memory: PermissionMemory;
  /** To be shown: the file cannot be used, and why. */
  readonly problem?: string;
}

export async function openPermissionMemory(place: MemoryLocation): Promise<OpenedMemory> {
  try {
    return { memory: new FileMemory(place, await load(place.path)) };
  } catch (error) {
    const problem = `${messageOf(error)}; nothing in it is obeyed, and nothing is added to it. Mend or delete it.`;
    return { memory: createRunMemory(problem), problem };
  }
}

/** Forgets everything with the run. */
export function createRunMemory(problem?: string): PermissionMemory {
  const grants = new Set<string>();
  return {
    allows: (grant) => grants.has(JSON.stringify(grant)),
    remember: async (grant) => {
      grants.add(JSON.stringify(grant));
      return problem;
    },
  };
}

class FileMemory implements PermissionMemory {
  readonly #place: MemoryLocation;
  readonly #run = createRunMemory();
  #record: MemoryRecord;
  /** One write after the other. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(place: MemoryLocation, record: MemoryRecord) {
    this.#place = place;
    this.#record = record;
  }

  allows(grant: Grant): boolean {
    const { edit, commands, tools } = this.#record.get(this.#place.project) ?? noGrants;
    if (this.#run.allows(grant)) return true;
    if (grant.kind === 'edit') return edit;
    return grant.kind === 'command' ? commands.includes(grant.command) : tools.includes(grant.name);
  }

  async remember(grant: Grant): Promise<string | undefined> {
    await this.#run.remember(grant);
    const written = this.#writing.then(() => this.#write(grant));
    this.#writing = written.catch(() => undefined);
    try {
      await written;
      return undefined;
    } catch (error) {
      return `${messageOf(error)}; what was allowed holds for this run only`;
    }
  }

  async #write(grant: Grant): Promise<void> {
    const { path, project } = this.#place;
    this.#record = withGrant(await load(path), project, grant);
    await save(path, this.#record);
  }
}

async function load(path: string): Promise<MemoryRecord> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`the memory of permissions ${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (status === undefined) return new Map();
  const owner = process.getuid?.();
  if ((status.mode & 0o022) !== 0 || (owner !== undefined && status.uid !== owner && status.uid !== 0)) {
    throw new Error(`the memory of permissions ${path} can be written by others (chmod 600 makes it yours)`);
  }
  return parseRecord(await readFile(path, 'utf8'), path);
}

async function save(path: string, record: MemoryRecord): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(`${JSON.stringify({ version: 1, projects: Object.fromEntries(record) }, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
