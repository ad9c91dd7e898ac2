// The processes that a test run has started, also those that have left their parent: members of its process groups,
// processes with its mark in their environment, and the descendants of all of them. Without /proc, only process groups
// are known.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessOwner {
  /** Text in the environment of its processes, and of no others. */
  readonly mark: string;
  /** The ids of its process groups. */
  readonly groups: readonly number[];
}

export interface RunningProcess {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  /** Distinguishes it from a later process with the same id. */
  readonly started: string;
  readonly isMarked: boolean;
}

/** Milliseconds. A killed process may still wait for a disk, which is no reason to hang. */
const patience = 5_000;

/**
 * Resolves when all have ended, with a line for each. `known` are processes that were found before their ancestors ended.
 * Several rounds, because they may start others meanwhile.
 */
export async function killProcesses(owner: ProcessOwner, known: readonly RunningProcess[] = []): Promise<string[]> {
  if (!existsSync('/proc/self')) return killGroups(owner.groups);
  const commands = new Map<number, string>();
  const deadline = Date.now() + patience;
  for (let found = findProcesses(owner, known); found.length > 0 && Date.now() < deadline;) {
    for (const { id } of found) {
      commands.set(id, commands.get(id) ?? commandOf(id));
      kill(id);
    }
    await sleep(10);
    found = findProcesses(owner, known);
  }
  return Array.from(commands, ([id, command]) => `${id} ${command}`);
}

export function findProcesses({ mark, groups }: ProcessOwner, known: readonly RunningProcess[] = []): RunningProcess[] {
  const running = listProcesses(mark);
  const isKnown = ({ id, started }: RunningProcess): boolean =>
    known.some((process) => process.id === id && process.started === started);
  const found = new Set(running.filter((one) => one.isMarked || groups.includes(one.group) || isKnown(one)));
  // The loop also visits what it adds.
  for (const { id } of found) {
    for (const one of running) if (one.parent === id && one.id !== process.pid) found.add(one);
  }
  return [...found];
}

function listProcesses(mark: string): RunningProcess[] {
  if (!existsSync('/proc/self')) return [];
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return ids.flatMap((id) => {
    const status = read(`/proc/${id}/stat`);
    // The fields after the name, which may contain anything. The 20th of them is the time of the start.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, group] = fields;
    if (['', 'Z', 'X'].includes(state)) return [];
    const isMarked = read(`/proc/${id}/environ`).includes(mark);
    return [{ id: Number(id), parent: Number(parent), group: Number(group), started: fields[19] ?? '', isMarked }];
  });
}

function commandOf(id: number): string {
  return read(`/proc/${id}/cmdline`).replaceAll('\0', ' ').trim();
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function killGroups(groups: readonly number[]): string[] {
  for (const group of groups) kill(-group);
  return [];
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
