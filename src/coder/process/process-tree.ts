// Kills every process that a command started, including those that left its group, session or parent (setsid, nohup, a
// double fork). /proc shows them by a marker in their environment, by their session or by their parent. Without /proc only
// the process group is killed. A process that clears its environment and also leaves session and parent is not found; in a
// sandbox it still ends with the command's PID namespace.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessTree {
  /** The first process, which leads its own session. */
  readonly pid: number;
  /** The marker in the environment of all of them. */
  readonly mark: string;
}

const markName = 'FORGEFLARE_CALL';
const mostRounds = 60;
const pause = 15;

/** An agent that runs inside a command of another agent appends its marker. */
export function withMark(environment: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  const outer = environment[markName];
  return { ...environment, [markName]: outer === undefined ? mark : `${outer}/${mark}` };
}

/** Kills synchronously before it returns its promise, and repeats until no process is left. Resolves to the number killed. */
export async function killTree(tree: ProcessTree): Promise<number> {
  const killed = new Set<number>();
  // 0 would be our own group, and -1 every process.
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
    // Already ended, or owned by another user.
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

/** Empty for a process that has ended, including zombies. */
function rowOf(pid: string): ProcessRow[] {
  const line = textOf(`/proc/${pid}/stat`);
  // The name in parentheses may contain any character.
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
