// A lock on a session's folder: one process writes a session at a time. The lock is a file, `lock`, that says who has it.
// Invariants, on one machine and for file systems with hard links:
//   1. At most one running process has it, however many try at once.
//   2. The lock of a process that has ended is free.
//
// A lock appears whole, by a hard link that fails where one exists. To take over the lock of an ended process, a process
// links its own as `lock.after-{token}`, where the token is that lock's. Tokens are never reused, so only one process can
// follow each lock, and the owner is the end of the chain that begins at `lock`. A claim that the chain does not lead to
// came too late: the lock it follows was released in the meantime.

import { randomUUID } from 'node:crypto';
import { closeSync, constants, linkSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../core/json.ts';
import { livenessOf, ownIdentity, type ProcessIdentity } from '../process/process-identity.ts';

export interface LockHolder extends ProcessIdentity {
  readonly token: string;
  /** ISO 8601. */
  readonly since: string;
}

/** Got, or why not: another process has it, or the folder cannot be written. */
export type LockOutcome =
  | { readonly kind: 'locked'; readonly lock: SessionLock }
  | { readonly kind: 'busy'; readonly holder: LockHolder }
  | { readonly kind: 'failed'; readonly problem: string };

export interface SessionLock {
  /** Takes it again if its file was deleted. Gives the process that has it by now, if another does. */
  confirm(): LockHolder | undefined;
  /** Never throws. */
  release(): void;
}

export function lockFile(folder: string): string {
  return join(folder, 'lock');
}

export function takeLock(folder: string): LockOutcome {
  const own = { token: randomUUID(), since: new Date().toISOString(), ...ownIdentity() };
  return take(lockFile(folder), own);
}

/** `process 4711`, and the host where it is another one. */
export function describeHolder({ pid, host }: LockHolder): string {
  return host === ownIdentity().host ? `process ${pid}` : `process ${pid} on ${host}`;
}

/** Nothing when it is known that the process runs; otherwise the user may know better. */
export function adviceAbout(holder: LockHolder, folder: string): string {
  return livenessOf(holder) === 'running' ? '' : `; if that process has ended, delete ${lockFile(folder)}`;
}

function take(path: string, own: LockHolder): LockOutcome {
  const draft = `${path}.${process.pid}-${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const holder = tryOnce(path, draft, own);
      if (holder === own) return { kind: 'locked', lock: new FileLock(path, own) };
      if (holder !== undefined) return { kind: 'busy', holder };
    }
    return { kind: 'failed', problem: 'the lock changes all the time' };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'failed', problem: code ?? message };
  } finally {
    remove(draft);
  }
}

/** Each is needed only when another process moved at the same moment. */
const mostAttempts = 100;

/** Gives who has the lock; nothing when that changed meanwhile. */
function tryOnce(path: string, draft: string, own: LockHolder): LockHolder | undefined {
  const chain = chainFrom(path);
  const last = chain.at(-1);
  if (last === undefined) return linkNew(draft, path) ? own : undefined;
  if (last.token === own.token) return own;
  if (last !== nobody && livenessOf(last) !== 'ended') return last;
  const claim = claimAfter(path, last);
  if (!linkNew(draft, claim)) return undefined;
  if (chainFrom(path).at(-1)?.token !== own.token) {
    remove(claim);
    return undefined;
  }
  // The chain becomes short again. A process that still follows the old one finds that it leads nowhere.
  renameSync(draft, path);
  for (const each of chain) remove(claimAfter(path, each));
  return own;
}

class FileLock implements SessionLock {
  readonly #path: string;
  readonly #own: LockHolder;

  constructor(path: string, own: LockHolder) {
    this.#path = path;
    this.#own = own;
  }

  confirm(): LockHolder | undefined {
    if (this.#isOwn()) return undefined;
    const outcome = take(this.#path, this.#own);
    return outcome.kind === 'busy' ? outcome.holder : undefined;
  }

  release(): void {
    if (this.#isOwn()) remove(this.#path);
  }

  #isOwn(): boolean {
    try {
      return readHolder(this.#path)?.token === this.#own.token;
    } catch {
      return false;
    }
  }
}

function claimAfter(path: string, { token }: LockHolder): string {
  return `${path}.after-${token}`;
}

/** A file that stays is of no harm: the lock of an ended process is free, and a claim that came too late leads nowhere. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // See above.
  }
}

/** From the lock to its last claim; empty when there is no lock. */
function chainFrom(path: string): LockHolder[] {
  const chain: LockHolder[] = [];
  let holder = readHolder(path);
  while (holder !== undefined && chain.length < longestChain) {
    chain.push(holder);
    holder = readHolder(claimAfter(path, holder));
  }
  return chain;
}

/** False when the name is taken. */
function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Longer ones lead in a circle. */
const longestChain = 20;
const longestLock = 4096;
const tokenPattern = /^[0-9a-f-]{36}$/;
/** For a file that is no lock: it is taken over. */
const nobody: LockHolder = { token: 'nobody', since: '', pid: 0, host: '' };

function readHolder(path: string): LockHolder | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(longestLock);
    return asHolder(JSON.parse(bytes.toString('utf8', 0, readSync(file, bytes))));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError || code === 'ELOOP') return nobody;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function asHolder(value: unknown): LockHolder {
  if (!isRecord(value)) return nobody;
  const { token, since, pid, host } = value;
  const isNamed = typeof token === 'string' && tokenPattern.test(token) && typeof host === 'string';
  const isProcess = typeof since === 'string' && Number.isSafeInteger(pid) && Number(pid) > 0;
  return isNamed && isProcess ? (value as unknown as LockHolder) : nobody;
}
