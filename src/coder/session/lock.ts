// A lock on a session's folder: only one process writes a session at a time. The lock is a file, `lock`, that names its
// holder. Invariants, on one machine and for file systems with hard links:
//   1. At most one running process holds it, however many try at once.
//   2. The lock of a process that has ended is free.
//
// A lock is created atomically by a hard link, which fails if the file exists. To take over the lock of an ended process, a
// process links its own as `lock.after-{token}`, where the token is that of the old lock. Tokens are never reused, so only
// one process can follow each lock, and the holder is the end of the chain that starts at `lock`. A claim that the chain
// does not reach came too late: the lock it follows was released in the meantime.

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

/** The lock, or why it was not taken: another process holds it, or the folder is not writable. */
export type LockOutcome =
  | { readonly kind: 'locked'; readonly lock: SessionLock }
  | { readonly kind: 'busy'; readonly holder: LockHolder }
  | { readonly kind: 'failed'; readonly problem: string };

export interface SessionLock {
  /** Takes the lock again if its file was deleted. Returns the holder if another process has taken it. */
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

/** `process 4711`, and the host if it is another one. */
export function describeHolder({ pid, host }: LockHolder): string {
  return host === ownIdentity().host ? `process ${pid}` : `process ${pid} on ${host}`;
}

/** Empty if the process is known to run; otherwise a hint, because the user may know that it has ended. */
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
    return { kind: 'failed', problem: 'the lock keeps changing' };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'failed', problem: code ?? message };
  } finally {
    remove(draft);
  }
}

/** A further attempt is needed only if another process changed the lock at the same moment. */
const mostAttempts = 100;

/** Returns the holder; undefined if it changed during the attempt. */
function tryOnce(path: string, draft: string, own: LockHolder): LockHolder | undefined {
  const chain = chainFrom(path);
  const last = chain.at(-1);
  if (last === undefined) return linkNew(draft, path) ? own : undefined;
  if (last.token === own.token) return own;
  if (last !== noHolder && livenessOf(last) !== 'ended') return last;
  const claim = claimAfter(path, last);
  if (!linkNew(draft, claim)) return undefined;
  if (chainFrom(path).at(-1)?.token !== own.token) {
    remove(claim);
    return undefined;
  }
  // Shortens the chain again. A process that still follows the old one finds no end and retries.
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

/** A file that cannot be removed does no harm: the lock of an ended process is free, and a late claim is unreachable. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // See above.
  }
}

/** From the lock to its last claim; empty if there is no lock. */
function chainFrom(path: string): LockHolder[] {
  const chain: LockHolder[] = [];
  let holder = readHolder(path);
  while (holder !== undefined && chain.length < longestChain) {
    chain.push(holder);
    holder = readHolder(claimAfter(path, holder));
  }
  return chain;
}

/** False if the name is taken. */
function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A longer chain is circular. */
const longestChain = 20;
const longestLock = 4096;
const tokenPattern = /^[0-9a-f-]{36}$/;
/** The holder in a file that is not a valid lock. It can be taken over. */
const noHolder: LockHolder = { token: 'none', since: '', pid: 0, host: '' };

function readHolder(path: string): LockHolder | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(longestLock);
    return asHolder(JSON.parse(bytes.toString('utf8', 0, readSync(file, bytes))));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError || code === 'ELOOP') return noHolder;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function asHolder(value: unknown): LockHolder {
  if (!isRecord(value)) return noHolder;
  const { token, since, pid, host } = value;
  const isNamed = typeof token === 'string' && tokenPattern.test(token) && typeof host === 'string';
  const isProcess = typeof since === 'string' && Number.isSafeInteger(pid) && Number(pid) > 0;
  return isNamed && isProcess ? (value as unknown as LockHolder) : noHolder;
}
