// What the user has allowed permanently, per project: one file in the user's state folder. It is never in a repository,
// because a repository could then grant itself anything. A file that is damaged or writable by others is reported, ignored
// and not overwritten. Writes are atomic, and grants that another run added in the meantime are kept.

import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Grant } from './grant.ts';
import { noGrants, parseRecord, withGrant, type MemoryRecord } from './memory-record.ts';

export interface PermissionMemory {
  allows(grant: Grant): boolean;
  /**
   * The grant applies to this run in any case, and to later runs unless the scope is `run`. Resolves to a warning if it could
   * not be stored for them.
   */
  remember(grant: Grant, scope?: 'project' | 'run'): Promise<string | undefined>;
}

export interface MemoryLocation {
  /** The absolute path of the file. Its folder is created if needed. */
  readonly path: string;
  /** The project's real path. */
  readonly project: string;
}

export interface OpenedMemory {
  readonly memory: PermissionMemory;
  /** A warning to show: the file cannot be used, and why. */
  readonly problem?: string;
}

export async function openPermissionMemory(location: MemoryLocation): Promise<OpenedMemory> {
  try {
    return { memory: new FileMemory(location, await load(location.path)) };
  } catch (error) {
    const problem = `${messageOf(error)}; it is ignored and not changed. Repair or delete it.`;
    return { memory: createRunMemory(problem), problem };
  }
}

/** Remembers grants for this run only. */
export function createRunMemory(problem?: string): PermissionMemory {
  const grants = new Set<string>();
  return {
    allows: (grant) => grants.has(JSON.stringify(grant)),
    remember: async (grant, scope) => {
      grants.add(JSON.stringify(grant));
      return scope === 'run' ? undefined : problem;
    },
  };
}

class FileMemory implements PermissionMemory {
  readonly #location: MemoryLocation;
  readonly #run = createRunMemory();
  #record: MemoryRecord;
  /** Serialises writes. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(location: MemoryLocation, record: MemoryRecord) {
    this.#location = location;
    this.#record = record;
  }

  allows(grant: Grant): boolean {
    const { edit, commands, tools } = this.#record.get(this.#location.project) ?? noGrants;
    if (this.#run.allows(grant)) return true;
    if (grant.kind === 'edit') return edit;
    return grant.kind === 'command' ? commands.includes(grant.command) : tools.includes(grant.name);
  }

  async remember(grant: Grant, scope: 'project' | 'run' = 'project'): Promise<string | undefined> {
    await this.#run.remember(grant);
    if (scope === 'run') return undefined;
    const written = this.#writing.then(() => this.#write(grant));
    this.#writing = written.catch(() => undefined);
    try {
      await written;
      return undefined;
    } catch (error) {
      return `${messageOf(error)}; the permission applies to this run only`;
    }
  }

  async #write(grant: Grant): Promise<void> {
    const { path, project } = this.#location;
    this.#record = withGrant(await load(path), project, grant);
    await save(path, this.#record);
  }
}

async function load(path: string): Promise<MemoryRecord> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`the permissions file ${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (status === undefined) return new Map();
  const owner = process.getuid?.();
  if ((status.mode & 0o022) !== 0 || (owner !== undefined && status.uid !== owner && status.uid !== 0)) {
    throw new Error(`the permissions file ${path} is writable by other users (chmod 600 fixes that)`);
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
