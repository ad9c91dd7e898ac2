// Ends a process with all it started, also what left its group and session or lost its parent. Where there is a /proc,
// they are known by their ancestry and by a mark in their environment, which children inherit; elsewhere only the
// process's group is reached. A process that lost its parent and cleaned its environment is not found.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const markName = 'FORGEFLARE_PROCESS';
/** Against something that forks faster than it can be killed. */
const mostRounds = 50;

/** To be put into the environment of the first process. */
export interface ProcessMark {
  readonly name: string;
  readonly value: string;
}

export function createMark(): ProcessMark {
  return { name: markName, value: randomUUID() };
}

/** `pid` must lead its own group (`detached`). What was forked meanwhile is met in the next round. */
export function killTree(pid: number, mark: ProcessMark): void {
  const killed = new Set<number>();
  kill(-pid);
  for (let round = 0; round < mostRounds; round++) {
    const fresh = [...findTree(pid, mark)].filter((each) => !killed.has(each));
    if (fresh.length === 0) return;
    for (const each of fresh) {
      kill(each);
      killed.add(each);
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

function findTree(root: number, { name, value }: ProcessMark): Set<number> {
  const entries = readEntries();
  const inside = new Set<number>();
  for (const { pid, group, session } of entries) {
    if (pid === root || group === root || session === root || hasMark(pid, `${name}=${value}`)) inside.add(pid);
  }
  for (let size = -1; size !== inside.size;) {
    size = inside.size;
    for (const { pid, parent } of entries) if (inside.has(parent)) inside.add(pid);
  }
  return inside;
}

function readEntries(): ProcessEntry[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readEntry(Number(name)) ?? []);
  } catch {
    return [];
  }
}

/** Nothing for a process that is gone, or dead and not yet buried. */
function readEntry(pid: number): ProcessEntry | undefined {
  const status = readProcess(pid, 'stat');
  // The program's name stands in parentheses and may contain anything.
  const [state, parent, group, session] = status.slice(status.lastIndexOf(')') + 2).split(' ');
  if (session === undefined || state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
}

function hasMark(pid: number, mark: string): boolean {
  return readProcess(pid, 'environ').split('\0').includes(mark);
}

function readProcess(pid: number, file: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
