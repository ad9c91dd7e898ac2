// The running processes with a marker in their environment, other than this one. Linux only.

import { readdirSync, readFileSync } from 'node:fs';

/** Their commands. */
export function markedProcesses(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(mark) && !isZombie(pid))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
}

function isZombie(pid: string): boolean {
  const status = read(`/proc/${pid}/stat`);
  return status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
