// Lists and loads the sessions of a project: .entire/metadata/{YYYY-MM-DD}-{uuid}/, each with full.jsonl, prompt.txt and
// context.md.

import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { textOf, type Message } from '../../core/message.ts';
import { repairHistory } from '../../agent/repair.ts';
import { describeHolder, takeLock, type LockHolder, type SessionLock } from './lock.ts';
import { isSessionId, promptSeparator, sessionPath, sessionsFolder, uuidOf } from './session-path.ts';
import { messageEntries, type MessageEntry } from './message-entry.ts';
import { loadTranscript, wholePathOf, type Transcript } from './transcript.ts';

export interface SessionSummary {
  readonly id: string;
  /** The session's folder. */
  readonly path: string;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  /** The first prompt. */
  readonly prompt: string;
  /** The number of messages. */
  readonly messages: number;
  /** Problems found while reading it. */
  readonly problems: readonly string[];
}

export interface LoadedSession {
  readonly id: string;
  readonly path: string;
  /** The last state of the conversation, made valid: for `createAgent({ messages })`. */
  readonly messages: readonly Message[];
  /** What was skipped or repaired, to be shown. */
  readonly problems: readonly string[];
  readonly transcript: Transcript;
  /** All messages, including those removed from the context since. */
  readonly entries: readonly MessageEntry[];
  /** Present if the session was loaded for writing. */
  readonly lock?: SessionLock;
}

/** A session that another process is writing. */
export interface BusySession {
  readonly id: string;
  readonly path: string;
  readonly holder: LockHolder;
}

/** Most recently used first. `folder` is the project. */
export async function listSessions(folder: string): Promise<SessionSummary[]> {
  const summaries: SessionSummary[] = [];
  // In sequence, because each one is read completely and there may be hundreds.
  for (const session of await findSessions(folder)) summaries.push(await summarise(session));
  return summaries;
}

/** The most recently used session. Throws `bad-request` if there is none. */
export async function loadLatestSession(folder: string): Promise<LoadedSession> {
  return load(await latestOf(folder));
}

/** By its id, or the beginning of the id or of its uuid. Throws `bad-request` if none or several match. */
export async function loadSession(folder: string, id: string): Promise<LoadedSession> {
  return load(await namedIn(folder, id));
}

/** Whether a session has this UUID. */
export async function hasSession(folder: string, uuid: string): Promise<boolean> {
  return (await findSessions(folder)).some(({ id }) => uuidOf(id) === uuid);
}

/** Takes the lock of a session and loads it for writing. Default: the most recently used one. */
export async function claimSession(folder: string, id?: string): Promise<LoadedSession | BusySession> {
  const found = await (id === undefined ? latestOf(folder) : namedIn(folder, id));
  const outcome = takeLock(found.path);
  if (outcome.kind === 'busy') return { id: found.id, path: found.path, holder: outcome.holder };
  // A session that cannot be locked cannot be written either, and the recorder reports that.
  if (outcome.kind === 'failed') return load(found);
  try {
    return { ...(await load(found)), lock: outcome.lock };
  } catch (error) {
    outcome.lock.release();
    throw error;
  }
}

/** By its complete id. Throws `bad-request` if there is none, or if another process is writing it. */
export async function deleteSession(folder: string, id: string): Promise<void> {
  const found = (await findSessions(folder)).find((session) => session.id === id);
  if (found === undefined) return noSuchSession(`there is no session ${JSON.stringify(id)} in ${folder}`);
  const outcome = takeLock(found.path);
  if (outcome.kind === 'busy') {
    return noSuchSession(`session ${id} cannot be deleted: ${describeHolder(outcome.holder)} is using it`);
  }
  await rm(found.path, { recursive: true, force: true });
}

async function latestOf(folder: string): Promise<FoundSession> {
  const [latest] = await findSessions(folder);
  return latest ?? noSuchSession('there is no session in this folder yet; start one with a prompt');
}

async function namedIn(folder: string, id: string): Promise<FoundSession> {
  const sessions = await findSessions(folder);
  const matching = sessions.filter((session) => session.id === id);
  if (matching.length === 0 && id !== '') matching.push(...sessions.filter((session) => begins(session.id, id)));
  const [found, second] = matching;
  const hint = '"forgeflare sessions" lists them';
  if (found === undefined) return noSuchSession(`there is no session ${JSON.stringify(id)} in this folder; ${hint}`);
  if (second !== undefined)
    return noSuchSession(`${matching.length} sessions begin with ${JSON.stringify(id)}; ${hint}`);
  return found;
}

function begins(id: string, start: string): boolean {
  return id.startsWith(start) || uuidOf(id).startsWith(start);
}

interface FoundSession {
  readonly id: string;
  readonly path: string;
  readonly updatedAt: Date;
}

async function findSessions(folder: string): Promise<FoundSession[]> {
  const names = await readdir(sessionsFolder(folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw unreadable(sessionsFolder(folder), error);
  });
  const found = await Promise.all(names.filter(isSessionId).map((id) => findSession(id, sessionPath(folder, id))));
  return found
    .filter((session) => session !== undefined)
    .toSorted((left, right) => right.updatedAt.getTime() - left.updatedAt.getTime() || (left.id < right.id ? 1 : -1));
}

/** Undefined for a folder without messages, and for links, which could lead out of the project. */
async function findSession(id: string, path: string): Promise<FoundSession | undefined> {
  const folder = await lstat(path).catch(() => undefined);
  const file = await lstat(join(path, 'full.jsonl')).catch(() => undefined);
  if (folder?.isDirectory() !== true || file?.isFile() !== true) return undefined;
  return { id, path, updatedAt: file.mtime };
}

async function load({ id, path }: FoundSession): Promise<LoadedSession> {
  const file = join(path, 'full.jsonl');
  const transcript = await loadTranscript(file).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error);
  });
  const repaired = repairHistory(transcript.entries.map(({ message }) => message));
  const problems = [
    ...transcript.problems,
    ...repaired.problems.map((problem) => `the conversation was repaired: ${problem}`),
  ];
  const entries = messageEntries(wholePathOf(transcript.records));
  return { id, path, messages: repaired.messages, problems, transcript, entries };
}

/** A session that cannot be read is listed too, with its problem. */
async function summarise(found: FoundSession): Promise<SessionSummary> {
  try {
    return await describe(found);
  } catch (error) {
    const { message } = error as Error;
    return { ...found, startedAt: found.updatedAt, prompt: '', messages: 0, problems: [message] };
  }
}

async function describe(found: FoundSession): Promise<SessionSummary> {
  const { path, entries, problems } = await load(found);
  const first = entries.find(({ message }) => message.role === 'user');
  const written = await readFile(join(path, 'prompt.txt'), 'utf8').catch(() => '');
  const prompt = written.split(promptSeparator, 1)[0] || textOf(first?.message.content ?? []);
  const begun = Date.parse(entries[0]?.timestamp ?? '');
  const startedAt = Number.isNaN(begun) ? found.updatedAt : new Date(begun);
  return { ...found, startedAt, prompt, messages: entries.length, problems };
}

function unreadable(path: string, error: NodeJS.ErrnoException): SimpleAgentsError {
  const problem = `${path}: cannot be read (${error.code ?? error.message}); check its permissions`;
  return new SimpleAgentsError('configuration', problem, { cause: error });
}

function noSuchSession(problem: string): never {
  throw new SimpleAgentsError('bad-request', problem, { field: 'session' });
}
