// CPU time and resident memory of a process and its children, read from Linux's /proc.

import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Microseconds of user and system time, all threads, of the process and its living children. */
export function cpuOf(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + ownCpu(member), 0);
}

/** Resident memory in megabytes. */
export function memoryOf(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + ownMemory(member), 0);
}

/** The limit of open files for this process and its children. Node raises the soft limit to the hard limit at start. */
export function fileLimit(): number {
  const [, soft = '1024'] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(soft);
}

function ownCpu(pid: number): number {
  // schedstat counts nanoseconds, in one file per thread. The ticks in `stat` are 10 ms long.
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => {
      const [nanoseconds = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      return sum + Number(nanoseconds) / 1000;
    }, 0);
  } catch {
    return ownTicks(pid) * (1_000_000 / ticksPerSecond);
  }
}

function ownTicks(pid: number): number {
  const fields = statOf(pid);
  return Number(fields[11]) + Number(fields[12]);
}

function ownMemory(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => familyOf(Number(child))))];
}

/** The fields after the process name, which may contain spaces. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
