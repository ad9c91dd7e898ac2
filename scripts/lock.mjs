// A lock between processes: a file that names its holder. Plain JavaScript for Node 18 and later.
// Invariants: the file is created atomically; the lock of a dead holder is taken by exactly one waiter.

import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 15 * 60_000;

/**
 * @param {string} folder for the lock's files; created if missing
 * @param {() => Promise<void>} work
 */
export async function withLock(folder, work) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'lock');
  const holder = [process.pid, hostname(), randomUUID()].join(' ');
  await acquire(file, holder);
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * @param {string} file
 * @param {string} holder
 */
async function acquire(file, holder) {
  const deadline = Date.now() + patienceMs;
  for (let waiting = false; !tryCreate(file, holder); waiting = true) {
    const other = read(file);
    if (other === undefined || breakIfDead(file, other)) continue;
    if (!waiting) process.stderr.write(`Waiting for process ${other.split(' ')[0]}, which is setting up …\n`);
    if (Date.now() > deadline) throw new Error(`Waited too long for ${file}. If nothing is setting up, remove it.`);
    await sleep(200);
  }
}

/**
 * Links a complete file into place, so that it is never read half-written.
 * @param {string} file
 * @param {string} content
 */
function tryCreate(file, content) {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    return false;
  } finally {
    rmSync(draft);
  }
}

/**
 * Two waiters may both see the dead holder. Only the one that holds a second lock, named for this holder, removes the
 * file; while it is held, no other process can have replaced the file.
 * @param {string} file
 * @param {string} holder
 */
function breakIfDead(file, holder) {
  const [pid = '', host, token] = holder.split(' ');
  // Another host is an earlier container with the same folder, whose process IDs have no meaning here.
  if (host === hostname() && isAlive(Number(pid))) return false;
  const right = `${file}.break-${token}`;
  if (!tryCreate(right, '')) return false;
  if (read(file) === holder) rmSync(file);
  rmSync(right);
  return true;
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
