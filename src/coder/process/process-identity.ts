// Which process this is, in words another process can check later: process ids are reused, machines restart, and a folder
// may be shared between machines and containers.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Differs after every start of the machine. Linux. */
  readonly boot?: string;
  /** Process ids mean something only within it. Linux. */
  readonly namespace?: string;
  /** When the process started, in clock ticks since the machine did. Linux. */
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

/** `unknown`: it runs where this process cannot look, on another machine or in another container. */
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
  // Other users' processes may be hidden in /proc.
  if (status === undefined) return true;
  return !status.isDead && (started === undefined || started === status.started);
}

/** Whether a process of this id exists, also as one whose end nobody has looked at yet. */
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

/** Places in /proc/PID/stat, counted after the program's name, which may hold spaces and parentheses. */
const startedPlace = 19;

function statusOf(pid: number): ProcessStatus | undefined {
  const text = readOrNothing(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { isDead: fields[0] === 'Z' || fields[0] === 'X', started: fields[startedPlace] };
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
