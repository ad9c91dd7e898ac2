// Paths and ids of sessions: .entire/metadata/{YYYY-MM-DD}-{uuid}/ in the project. Another tool also uses `.entire`: its
// .gitignore and settings are never touched.

import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const idPattern = /^\d{4}-\d\d-\d\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The length of the part of an id before its uuid. */
const dateLength = 'YYYY-MM-DD-'.length;

/** The part of an id that is unique. */
export function uuidOf(id: string): string {
  return id.slice(dateLength);
}

/** Separates the prompts in prompt.txt. */
export const promptSeparator = '\n\n---\n\n';

/** The date is in UTC, like all times in a session. */
export function newSessionId(uuid: string = randomUUID()): string {
  return `${new Date().toISOString().slice(0, 10)}-${uuid}`;
}

export function isSessionId(name: string): boolean {
  return idPattern.test(name);
}

export function sessionsFolder(folder: string): string {
  return join(folder, '.entire', 'metadata');
}

export function sessionPath(folder: string, id: string): string {
  return join(sessionsFolder(folder), id);
}

/** Holds a file for each subagent of the session. */
export function subagentsFolder(session: string): string {
  return join(session, 'subagents');
}

/** Creates a session's folder, readable by its owner only, in a folder that git ignores. */
export function makeSessionFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  ignoreSessions(dirname(path));
}

/** Keeps an existing .gitignore, unless it is empty: then a killed process left it. */
export function ignoreSessions(sessions: string): void {
  const path = join(sessions, '.gitignore');
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status !== undefined && (status.size > 0 || !status.isFile())) return;
  rmSync(path, { force: true });
  try {
    writeFileSync(path, '*\n', { flag: 'wx' });
  } catch (error) {
    // Another process wrote it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
