// The mounts that keep paths read-only inside writable folders.
// Invariants:
//   1. The nearest decision wins: mounts are sorted by path, so a child comes after its parent.
//   2. A folder on the way to a protected path is mounted over itself. Otherwise a command could rename it and put another
//      one in its place, because the kernel allows a folder to be moved together with the mounts in it.
//   3. Nothing can be mounted over a symbolic link, so links are recorded and compared after the command.

import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { GitPath } from './git-repository.ts';

export interface Mount {
  readonly path: string;
  readonly access: 'write' | 'read' | 'read-if-there' | 'absent';
}

export interface GuardedLink {
  readonly path: string;
  readonly target: string;
}

export interface MountRequest {
  /** Real paths. */
  readonly writable: readonly string[];
  readonly protectedPaths: readonly GitPath[];
  /** Read-only while they exist. */
  readonly sealed: readonly string[];
}

export interface MountPlan {
  readonly mounts: readonly Mount[];
  readonly forbiddenPaths: readonly string[];
  readonly links: readonly GuardedLink[];
}

export function toMounts({ writable, protectedPaths, sealed }: MountRequest): MountPlan {
  const decisions = new Map<string, Mount['access']>(writable.map((path) => [path, 'write']));
  for (const path of sealed) if (!decisions.has(path)) decisions.set(path, 'read-if-there');
  const traces = protectedPaths.map(({ path, expected }) => ({ ...tracePath(path), expected }));
  const forbidden = new Set<string>();
  for (const { path, kind, rest, expected } of traces) {
    if (kind !== 'absent') decisions.set(path, 'read');
    else if (expected === 'folder') decisions.set(path, 'absent');
    else forbidden.add(join(path, ...rest));
  }
  const links = traces.flatMap((trace) => trace.links);
  const isOpen = (path: string): boolean => accessAt(decisions, dirname(path)) === 'write';
  const isClosed = (path: string): boolean => !isOpen(path) && accessAt(decisions, dirname(path)) !== undefined;
  // A writable folder needs a mount of its own only inside a read-only one.
  const mounts = [...decisions].filter(([path, access]) => (access === 'write' ? isClosed(path) : isOpen(path)));
  const forbiddenPaths = [...forbidden].filter(isOpen);
  const pins = [...mounts.map(([path]) => path), ...forbiddenPaths].flatMap((path) => wayTo(path, decisions));
  const all = new Map<string, Mount['access']>([...pins.map((path) => [path, 'write'] as const), ...mounts]);
  return {
    mounts: [...all].map(([path, access]) => ({ path, access })).toSorted(byPath),
    forbiddenPaths,
    links: [...new Map(links.filter(({ path }) => isOpen(path)).map((link) => [link.path, link])).values()],
  };
}

function byPath(left: Mount, right: Mount): number {
  return left.path < right.path ? -1 : 1;
}

/** The decision about the nearest folder at or above a path. */
function accessAt(decisions: ReadonlyMap<string, Mount['access']>, path: string): Mount['access'] | undefined {
  const known = decisions.get(path);
  const parent = dirname(path);
  return known ?? (parent === path ? undefined : accessAt(decisions, parent));
}

/** The folders between a path and the nearest decision above it. */
function wayTo(path: string, decisions: ReadonlyMap<string, Mount['access']>): string[] {
  const parent = dirname(path);
  if (decisions.has(parent) || parent === path || accessAt(decisions, parent) !== 'write') return [];
  return [...wayTo(parent, decisions), ...(isFolder(parent) ? [parent] : [])];
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

interface PathTrace {
  /** The links on the way. */
  readonly links: readonly GuardedLink[];
  /** The real path, or its topmost missing part. */
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'absent';
  /** The path segments below a missing part. */
  readonly rest: readonly string[];
}

const mostLinks = 40;

/** Follows a path as the kernel does, and records the links. */
function tracePath(path: string): PathTrace {
  const links: GuardedLink[] = [];
  const rest = partsOf(path);
  let here = '/';
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(here, name);
    const status = statusOf(next);
    if (status === undefined || links.length > mostLinks) return { links, path: next, kind: 'absent', rest };
    if (!status.isSymbolicLink()) {
      here = next;
      continue;
    }
    const target = readlinkSync(next);
    links.push({ path: next, target });
    rest.unshift(...partsOf(resolve(here, target)));
    here = '/';
  }
  return { links, path: here, kind: isFolder(here) ? 'folder' : 'file', rest };
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

/** A path that cannot be inspected counts as missing. */
function statusOf(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
