// Where sessions are and what they are called: .entire/metadata/{YYYY-MM-DD}-{uuid}/ in the project.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

const idPattern = /^\d{4}-\d\d-\d\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Of the part of an id before its uuid. */
export const dateLength = 'YYYY-MM-DD-'.length;

/** Between the prompts in prompt.txt. */
export const promptSeparator = '\n\n---\n\n';

/** The day is that of UTC, as all times in a session are. */
export function newSessionId(): string {
  return `${new Date().toISOString().slice(0, 10)}-${randomUUID()}`;
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
