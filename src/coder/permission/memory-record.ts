// The content of the permissions file: {"version": 1, "projects": {"/path": {"edit", "commands", "tools"}}}. Parsing is
// strict: a file of another shape was not written by this program.

import { isRecord } from '../../core/json.ts';
import type { Grant } from './grant.ts';

export interface ProjectGrants {
  readonly edit: boolean;
  readonly commands: readonly string[];
  readonly tools: readonly string[];
}

/** By the real path of the project. */
export type MemoryRecord = ReadonlyMap<string, ProjectGrants>;

export const noGrants: ProjectGrants = { edit: false, commands: [], tools: [] };

export function parseRecord(text: string, path: string): MemoryRecord {
  const value = parseJson(text);
  const projects = isRecord(value) && value['version'] === 1 ? value['projects'] : undefined;
  if (!isRecord(projects)) return damaged(path, 'it must be JSON with {"version": 1, "projects"}');
  return new Map(
    Object.entries(projects).map(([project, grants]) =>
      isGrants(grants) ? [project, grants] : damaged(path, `projects: ${JSON.stringify(project)} is malformed`),
    ),
  );
}

export function withGrant(record: MemoryRecord, project: string, grant: Grant): MemoryRecord {
  const known = record.get(project) ?? noGrants;
  return new Map(record).set(project, extended(known, grant));
}

function extended(known: ProjectGrants, grant: Grant): ProjectGrants {
  switch (grant.kind) {
    case 'edit':
      return { ...known, edit: true };
    case 'command':
      return { ...known, commands: [...new Set([...known.commands, grant.command])] };
    default:
      return { ...known, tools: [...new Set([...known.tools, grant.name])] };
  }
}

function isGrants(value: unknown): value is ProjectGrants {
  if (!isRecord(value) || typeof value['edit'] !== 'boolean') return false;
  return [value['commands'], value['tools']].every(
    (list) => Array.isArray(list) && list.every((each) => typeof each === 'string'),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(path: string, problem: string): never {
  throw new Error(`the permissions file ${path} is damaged: ${problem}`);
}
