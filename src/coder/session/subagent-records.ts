// Writes the conversations of subagents, each to a file of its own beside full.jsonl: subagents/{call id}.jsonl, with lines of
// the same form. The agent's own transcript has only the Task call and its result, so it stays valid whatever happens here.

import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HistoryChange } from '../../agent/history.ts';
import type { SubagentIdentity } from '../../agent/policy.ts';
import { RecordedConversation, type RecordFrame } from './conversation.ts';
import { RecordLog } from './record-log.ts';
import { makeSessionFolder, subagentsFolder } from './session-path.ts';

interface OpenRecord {
  readonly log: RecordLog;
  readonly conversation: RecordedConversation;
}

const longestName = 100;

export class SubagentRecords {
  readonly #session: string;
  readonly #frame: RecordFrame;
  /** By call id. */
  readonly #open = new Map<string, OpenRecord>();
  /** The files that were written since the session was opened. */
  readonly files = new Set<string>();

  /** `session`: the folder of the session. */
  constructor(session: string, frame: RecordFrame) {
    this.#session = session;
    this.#frame = frame;
  }

  /** Why records could not be written; they wait. */
  get problem(): string | undefined {
    return [...this.#open.values()].map(({ log }) => log.problem).find((problem) => problem !== undefined);
  }

  take(subagent: SubagentIdentity, change: HistoryChange): void {
    const { log, conversation } = this.#open.get(subagent.callId) ?? this.#start(subagent);
    for (const record of conversation.take(change)) log.append(record);
  }

  /** The subagent has ended. */
  async end(callId: string): Promise<void> {
    const record = this.#open.get(callId);
    if (record === undefined || !record.log.flush()) return;
    this.#open.delete(callId);
    await record.log.sync().catch(() => undefined);
    record.log.close();
  }

  async close(): Promise<void> {
    for (const callId of this.#open.keys()) await this.end(callId);
    for (const { log } of this.#open.values()) log.close();
    this.#open.clear();
  }

  #start(subagent: SubagentIdentity): OpenRecord {
    const file = this.#fileFor(subagent.callId);
    const conversation = new RecordedConversation({ ...this.#frame, subagent });
    const log = new RecordLog({
      path: join(subagentsFolder(this.#session), file),
      prepare: () => this.#prepare(),
      rebuild: () => conversation.restart(),
    });
    const record = { log, conversation };
    this.files.add(file);
    this.#open.set(subagent.callId, record);
    return record;
  }

  /** An id may occur again after the session was resumed. */
  #fileFor(callId: string): string {
    const name = callId.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, longestName) || 'task';
    const isTaken = (file: string): boolean =>
      this.files.has(file) || existsSync(join(subagentsFolder(this.#session), file));
    let file = `${name}.jsonl`;
    for (let number = 2; isTaken(file); number += 1) file = `${name}-${number}.jsonl`;
    return file;
  }

  /** A link could lead out of the project. */
  #prepare(): void {
    const folder = subagentsFolder(this.#session);
    makeSessionFolder(this.#session);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  }
}
