// What the user allowed for good, by project: one file in the user's own folder of state, never in a repository, which
// could then allow itself anything. A file that is damaged is told of, not obeyed and not overwritten.

import type { Grant } from './grant.ts';

export interface PermissionMemory {
  allows(grant: Grant): boolean;
  /** Resolves also when it could not be written: then it holds for this run. */
  remember(grant: Grant): Promise<void>;
}

export interface MemoryPlace {
  /** The file; its folder is made when needed. */
  readonly path: string;
  /** The project's real path. */
  readonly project: string;
}

export interface OpenedMemory {
  readonly memory: PermissionMemory;
  /** To be shown: the file cannot be used, and why. */
  readonly problem?: string;
}

export async function openPermissionMemory(_place: MemoryPlace): Promise<OpenedMemory> {
  return { memory: createRunMemory() };
}

/** Forgets everything with the run. */
export function createRunMemory(): PermissionMemory {
  const grants = new Set<string>();
  return {
    allows: (grant) => grants.has(JSON.stringify(grant)),
    remember: async (grant) => void grants.add(JSON.stringify(grant)),
  };
}
