// Identifies a process so that another process can check later whether it still runs. A process id alone is not enough: ids
// are reused, machines restart, and a folder may be shared between machines and containers.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Changes with every boot of the machine. Linux only. */
  readonly boot?: string;
  /** The PID namespace, in which process ids are unique. Linux only. */
  readonly namespace?: string;
  /** The start time of the process, in clock ticks since boot. Linux only. */
  readonly started?: string;
}

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    host: hostname(),
    ...entry('boot', readOrNothing('/proc/sys/kernel/random/boot_id')),
    ...entry('namespace', linkOrNothing('/proc/self/ns/pid')),
    ...entry('started', statusOf(process.pid)?.started),
  };
  return own;
}

/** `unknown`: it belongs to another machine or container, which this process cannot inspect. */
export type Liveness = 'running' | 'ended' | 'unknown';

export function livenessOf(other: ProcessIdentity): Liveness {
  const here = ownIdentity();
  const isKnownBoot = other.boot !== undefined && here.boot !== undefined;
  const isSameBoot = isKnownBoot ? other.boot === here.boot : other.host === here.host;
  if (!isSameBoot) return other.host === here.host ? 'ended' : 'unknown';
  if (other.namespace !== here.namespace) return 'unknown';
  return isRunning(other) ? 'running' : 'ended';
}

function isRunning({ pid, started }: ProcessIdentity): boolean {
  if (!isAlive(pid)) return false;
  const status = statusOf(pid);
  // /proc may hide the processes of other users.
  if (status === undefined) return true;
  return !status.isDead && (started === undefined || started === status.started);
}

/** Whether a process with this id exists, including zombies. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

interface ProcessStatus {
  readonly isDead: boolean;
  readonly started: string | undefined;
}

/** Index in /proc/PID/stat, counted after the program's name, which may contain spaces and parentheses. */
const startTimeIndex = 19;

function statusOf(pid: number): ProcessStatus | undefined {
  const text = readOrNothing(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { isDead: fields[0] === 'Z' || fields[0] === 'X', started: fields[startTimeIndex] };
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function linkOrNothing(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function entry(name: keyof ProcessIdentity, value: string | undefined): Partial<ProcessIdentity> {
  return value === undefined ? {} : { [name]: value };
}
