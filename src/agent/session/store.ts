// The sessions of a project, on disk: .entire/metadata/{YYYY-MM-DD}-{uuid}/, each with full.jsonl, prompt.txt, context.md.

import type { Message } from '../../core/message.ts';

export interface SessionSummary {
  readonly id: string;
  /** The session's folder. */
  readonly path: string;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  /** The first prompt. */
  readonly prompt: string;
  /** Lines of the conversation. */
  readonly records: number;
}

export interface LoadedSession {
  readonly id: string;
  readonly path: string;
  /** As it stood when the session was left, made valid: for `createAgent({ messages })`. */
  readonly messages: readonly Message[];
  /** What was skipped or mended, in words, to be shown. */
  readonly problems: readonly string[];
}

/** The one used last comes first. `folder` is the project's. */
export async function listSessions(_folder: string): Promise<SessionSummary[]> {
  return [];
}

/** The session that was used last: `--continue`. Throws `bad-request` when there is none. */
export function loadLatestSession(_folder: string): Promise<LoadedSession> {
  return Promise.reject(new Error('not there yet'));
}

/** By its id, or the beginning of the id or of its uuid: `--resume`. Throws `bad-request` when none or several match. */
export function loadSession(_folder: string, _id: string): Promise<LoadedSession> {
  return Promise.reject(new Error('not there yet'));
}
