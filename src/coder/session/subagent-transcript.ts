// Reads the conversations of a session's subagents, for display.

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SubagentIdentity } from '../../agent/policy.ts';
import { isRecord } from '../../core/json.ts';
import { messageEntries, type MessageEntry } from './message-entry.ts';
import { subagentsFolder } from './session-path.ts';
import { loadTranscript, wholePathOf } from './transcript.ts';

export interface SubagentTranscript extends SubagentIdentity {
  readonly entries: readonly MessageEntry[];
}

/**
 * In the order of their first messages. Files that cannot be read are skipped: they are no part of the conversation.
 * `session`: the session's folder. `skipped`: names of files to leave out.
 */
export async function loadSubagents(
  session: string,
  skipped: ReadonlySet<string> = new Set(),
): Promise<SubagentTranscript[]> {
  const names = await subagentFiles(session);
  const loaded = await Promise.all(
    names.filter((name) => !skipped.has(name)).map((name) => load(join(subagentsFolder(session), name))),
  );
  const timeOf = ({ entries }: SubagentTranscript): string => entries[0]?.timestamp ?? '';
  return loaded
    .filter((each) => each !== undefined)
    .toSorted((left, right) => (timeOf(left) < timeOf(right) ? -1 : timeOf(left) > timeOf(right) ? 1 : 0));
}

/** The names of the files. Links are left out, because they could lead out of the project. */
export async function subagentFiles(session: string): Promise<string[]> {
  const folder = subagentsFolder(session);
  const isFolder = await lstat(folder).then(
    (status) => status.isDirectory(),
    () => false,
  );
  if (!isFolder) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl')).map(({ name }) => name);
}

async function load(path: string): Promise<SubagentTranscript | undefined> {
  const transcript = await loadTranscript(path).catch(() => undefined);
  const identity = identityOf(transcript?.records[0]?.['subagent']);
  if (transcript === undefined || identity === undefined) return undefined;
  return { ...identity, entries: messageEntries(wholePathOf(transcript.records)) };
}

function identityOf(value: unknown): SubagentIdentity | undefined {
  if (!isRecord(value)) return undefined;
  const { callId, name, task } = value;
  if (typeof callId !== 'string' || typeof name !== 'string' || typeof task !== 'string') return undefined;
  return { callId, name, task };
}
