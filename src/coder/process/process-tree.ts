// Ends every process a command started, also those that left its group, session and parent (setsid, nohup, a double
// fork): they are known by a mark in their environment, by their session or by their parent, in /proc. Where there is
// none, only the group is killed. A process that clears its environment and leaves session and parent is not found;
// inside a sandbox there is a namespace that ends with the command.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessTree {
  /** The first process, which leads a session of its own. */
  readonly pid: number;
  /** Stands in the environment of all of them. */
  readonly mark: string;
}

const markName = 'FORGEFLARE_CALL';
const mostRounds = 60;
const pause = 15;

/** An agent inside a command of an agent adds its mark to the one that is there. */
export function withMark(environment: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  const outer = environment[markName];
  return { ...environment, [markName]: outer === undefined ? mark : `${outer}/${mark}` };
}

/** Kills at once, before it gives back a promise, and goes on until none is left. Gives how many there were. */
export async function killTree(tree: ProcessTree): Promise<number> {
  const killed = new Set<number>();
  // 0 would be our own group, -1 everybody.
  if (tree.pid <= 1) return 0;
  for (let round = 0; round < mostRounds; round += 1) {
    const found = findProcesses(tree);
    kill(-tree.pid);
    if (found.length === 0) break;
    for (const pid of found) kill(pid);
    for (const pid of found) killed.add(pid);
    await sleep(pause);
  }
  return killed.size;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, or not ours.
  }
}

function findProcesses({ pid: first, mark }: ProcessTree): number[] {
  const all = listProcesses();
  const members = new Set(
    all
      .filter(({ pid, session, group }) => pid === first || session === first || group === first || hasMark(pid, mark))
      .map(({ pid }) => pid),
  );
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of all) if (members.has(parent)) members.add(pid);
  }
  members.delete(process.pid);
  return [...members];
}

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

function listProcesses(): ProcessRow[] {
  return entriesOf('/proc').flatMap((name) => (/^\d+$/.test(name) ? rowOf(name) : []));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Nothing for one that has ended, also when nobody has taken note of it yet. */
function rowOf(pid: string): ProcessRow[] {
  const line = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything.
  const [state, parent, group, session] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if (line === '' || state === 'Z' || state === 'X') return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) }];
}

function hasMark(pid: number, mark: string): boolean {
  return textOf(`/proc/${pid}/environ`).includes(mark);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
