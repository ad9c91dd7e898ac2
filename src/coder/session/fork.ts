// Forks a session: copies the lines of its conversation into a new session. Both continue independently.

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { ignoreSessions, newSessionId, sessionPath, sessionsFolder, subagentsFolder } from './session-path.ts';
import { subagentFiles } from './subagent-transcript.ts';
import type { LoadedSession } from './store.ts';
import { pathOf } from './transcript.ts';

/** Resolves to the new session's id. The copy is written to a temporary folder and then renamed. */
export async function forkSession(folder: string, session: LoadedSession, uuid?: string): Promise<string> {
  const id = newSessionId(uuid);
  const draft = join(sessionsFolder(folder), `.fork-${randomUUID()}`);
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 });
    ignoreSessions(sessionsFolder(folder));
    await writeFile(join(draft, 'full.jsonl'), linesOf(session, id), { mode: 0o600 });
    for (const file of ['prompt.txt', 'context.md']) {
      const text = await readFile(join(session.path, file), 'utf8').catch(() => undefined);
      if (text !== undefined) await writeFile(join(draft, file), text.replace(session.id, id), { mode: 0o600 });
    }
    await copySubagents(session, draft, id);
    await rename(draft, sessionPath(folder, id));
    return id;
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = `the session cannot be forked: cannot write ${sessionsFolder(folder)} (${code ?? message})`;
    throw new SimpleAgentsError('configuration', problem, { cause: error });
  }
}

async function copySubagents(session: LoadedSession, draft: string, id: string): Promise<void> {
  const files = await subagentFiles(session.path);
  if (files.length > 0) await mkdir(subagentsFolder(draft), { mode: 0o700 });
  for (const file of files) {
    const text = await readFile(join(subagentsFolder(session.path), file), 'utf8');
    await writeFile(join(subagentsFolder(draft), file), text.replaceAll(session.id, id), { mode: 0o600 });
  }
}

function linesOf({ id: origin, transcript: { records } }: LoadedSession, id: string): string {
  const lines = pathOf(records).map((record) => ({
    ...record,
    sessionId: id,
    forkedFrom: { sessionId: origin, uuid: record.uuid },
  }));
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
