// Writes a session while it runs, from the changes of the conversation and the events of the agent. Nothing is written before
// the first prompt. It never stops the agent: records that cannot be written wait, with a warning, and a file that another
// program deleted, replaced or truncated is restored. While open, it holds the session's lock.

import { existsSync } from 'node:fs';
import { constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { textOf } from '../../core/message.ts';
import type { AgentEvent, AgentNotice } from '../../agent/event.ts';
import type { HistoryChange, HistoryObserver } from '../../agent/history.ts';
import { removeDrafts, replaceFile } from '../atomic-file.ts';
import { RecordedConversation } from './conversation.ts';
import type { SubagentObserver } from '../../agent/subagent.ts';
import { KeyActions } from './key-actions.ts';
import { SubagentRecords } from './subagent-records.ts';
import { loadSubagents } from './subagent-transcript.ts';
import { describeHolder, takeLock, type SessionLock } from './lock.ts';
import { RecordLog, type Restoration } from './record-log.ts';
import { makeSessionFolder, newSessionId, promptSeparator, sessionPath } from './session-path.ts';
import { messageEntries } from './message-entry.ts';
import type { LoadedSession } from './store.ts';

export interface SessionOptions {
  /** The project. The session is in its `.entire/metadata`. */
  readonly folder: string;
  readonly cwd: string;
  /** The version of the program that writes the session. */
  readonly version: string;
  readonly model: string;
  /** Of a new session. Default: a new UUID. */
  readonly uuid?: string;
  /** The session to continue. Its lock is released at the end; if it has none, the lock is taken here. */
  readonly resume?: LoadedSession;
  /** Receives a warning when the session cannot be written, and a message when it can be written again. */
  readonly warn: (line: string) => void;
}

export interface SessionRecorder {
  readonly id: string;
  /** The session's folder. */
  readonly path: string;
  /** For `createAgent({ onHistory })`. When it returns, a crash of the process does not lose the record. */
  readonly onHistory: HistoryObserver;
  /** For `createAgent({ onSubagentHistory })`. */
  readonly onSubagentHistory: SubagentObserver;
  /**
   * Receives every event. At `turn-end` it resolves when everything is on the disk. Never rejects. Resolves to notices about
   * the session's files.
   */
  observe(event: AgentEvent): Promise<readonly AgentNotice[]>;
  /** Writes the waiting records, and releases the file and the lock. Never rejects. */
  close(): Promise<void>;
}

/** Throws `bad-request` if another process is writing the session to resume. */
export function openSession(options: SessionOptions): SessionRecorder {
  return new Recorder(options);
}

/** A session that leaves no files. */
export function openUnrecordedSession(uuid?: string): SessionRecorder {
  return {
    id: newSessionId(uuid),
    path: '',
    onHistory: () => undefined,
    onSubagentHistory: () => undefined,
    observe: async () => [],
    close: async () => undefined,
  };
}

const notFollowing = constants.O_RDONLY | constants.O_NOFOLLOW;

class Recorder implements SessionRecorder {
  readonly id: string;
  readonly path: string;
  readonly #options: SessionOptions;
  readonly #log: RecordLog;
  readonly #conversation: RecordedConversation;
  readonly #actions = new KeyActions();
  readonly #subagents: SubagentRecords;
  /** Whether the actions include those of the subagents of earlier runs. */
  #hasEarlierSubagents: boolean;
  readonly #startedAt: string;
  #lock: SessionLock | undefined;
  #lockProblem: string | undefined;
  #isLockReported = false;
  #isResumed = false;
  #isFailing = false;
  #isSubagentReported = false;
  #isLost = false;
  #hasRecords = false;
  #notices: AgentNotice[] = [];
  /** The prompts of earlier runs and of this one. Undefined until read. */
  #prompts: string[] | undefined;
  /** Serialises changes of the files other than the log. */
  #otherFiles: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    const { folder, cwd, version, resume, uuid } = options;
    this.#options = options;
    this.id = resume?.id ?? newSessionId(uuid);
    this.path = resume?.path ?? sessionPath(folder, this.id);
    this.#startedAt = resume?.transcript.records[0]?.timestamp ?? new Date().toISOString();
    const frame = { sessionId: this.id, cwd, version };
    this.#conversation = new RecordedConversation(frame, resume?.transcript);
    this.#subagents = new SubagentRecords(this.path, frame);
    this.#hasEarlierSubagents = resume === undefined;
    this.#log = new RecordLog({
      path: this.#file('full.jsonl'),
      prepare: () => makeSessionFolder(this.path),
      rebuild: () => this.#conversation.restart(),
    });
    for (const { message, usage } of messageEntries(resume?.transcript.records ?? []))
      this.#actions.add(message, usage);
    if (resume !== undefined) this.#reopen(resume);
  }

  readonly onHistory: HistoryObserver = (change) => {
    this.#takeLock();
    this.#restore();
    this.#resume();
    this.#record(change);
    if (change.type === 'append') this.#actions.add(change.message, change.answer?.usage);
    else for (const message of change.messages.slice(-1)) this.#actions.add(message, change.answer?.usage);
  };

  readonly onSubagentHistory: SubagentObserver = (subagent, change) => {
    this.#subagents.take(subagent, change);
    this.#reportSubagents();
    const messages = change.type === 'append' ? [change.message] : change.messages.slice(-1);
    for (const message of messages) this.#actions.addNested(subagent.callId, message, change.answer?.usage);
  };

  async observe(event: AgentEvent): Promise<readonly AgentNotice[]> {
    if (event.type === 'subagent-event' && event.event.type === 'turn-end') await this.#subagents.end(event.id);
    if (event.type === 'turn-start') this.#addPrompt(promptText(event));
    if (event.type === 'turn-end') await this.#settle();
    return this.#notices.splice(0);
  }

  async close(): Promise<void> {
    if (this.#hasRecords) this.#restore();
    this.#flush();
    await this.#subagents.close();
    await this.#otherFiles;
    for (const { detail } of this.#notices.splice(0)) this.#options.warn(detail);
    this.#log.close();
    this.#lock?.release();
    this.#lock = undefined;
  }

  async #settle(): Promise<void> {
    this.#restore();
    this.#confirmLock();
    this.#flush();
    this.#writeContext();
    if (this.#prompts !== undefined && !existsSync(this.#file('prompt.txt'))) this.#writePrompts();
    await this.#otherFiles;
    await this.#log.sync().catch((error: NodeJS.ErrnoException) => this.#warn('full.jsonl', error));
  }

  #reopen({ lock }: LoadedSession): void {
    const outcome = lock === undefined ? takeLock(this.path) : ({ kind: 'locked', lock } as const);
    if (outcome.kind === 'busy') {
      const problem = `session ${this.id} is in use by ${describeHolder(outcome.holder)}`;
      throw new SimpleAgentsError('bad-request', problem, { field: 'session' });
    }
    if (outcome.kind === 'locked') this.#lock = outcome.lock;
    this.#log.reopen();
  }

  /** A new session's folder is created with its first record. */
  #takeLock(): void {
    if (this.#lock !== undefined) return;
    try {
      makeSessionFolder(this.path);
    } catch {
      // The log reports it, because it is written to the same folder.
      return;
    }
    const outcome = takeLock(this.path);
    if (outcome.kind === 'locked') this.#lock = outcome.lock;
    this.#lockProblem = outcome.kind === 'failed' ? outcome.problem : undefined;
  }

  #reportLock(): void {
    if (this.#lockProblem === undefined || this.#isLockReported) return;
    this.#isLockReported = true;
    const danger = 'another process could continue the session at the same time';
    this.#options.warn(`session: ${this.path} cannot be locked (${this.#lockProblem}); ${danger}`);
  }

  #confirmLock(): void {
    const holder = this.#lock?.confirm();
    if (holder === undefined || this.#isLockReported) return;
    this.#isLockReported = true;
    this.#notify(`session ${this.id}: its lock was removed, and ${describeHolder(holder)} is writing it too`);
  }

  #restore(): void {
    const restoration = this.#log.restore();
    if (restoration === undefined) return;
    const isKnown = this.#isLost && restoration.outcome === 'failed';
    this.#isLost = restoration.outcome === 'failed';
    if (!isKnown) this.#notify(describeRestoration(this.#file('full.jsonl'), restoration));
    this.#confirmLock();
    if (this.#isLost) return;
    if (this.#prompts !== undefined) this.#writePrompts();
    this.#writeContext();
  }

  #notify(detail: string): void {
    this.#notices.push({ type: 'notice', kind: 'session-loss', detail });
  }

  /** Records the repairs made on loading before anything else is written. */
  #resume(): void {
    const { resume } = this.#options;
    if (this.#isResumed || resume === undefined) return;
    this.#isResumed = true;
    this.#record({ type: 'replace', messages: resume.messages });
  }

  #record(change: HistoryChange): void {
    this.#hasRecords = true;
    for (const record of this.#conversation.take(change)) this.#log.append(record);
    this.#report();
  }

  #flush(): void {
    if (this.#hasRecords) this.#log.flush();
    this.#report();
  }

  #report(): void {
    const { problem } = this.#log;
    const file = this.#file('full.jsonl');
    if (problem !== undefined && !this.#isFailing) {
      const meanwhile = 'the conversation continues, and the missing records are written as soon as possible';
      this.#options.warn(`session: ${file} cannot be written (${problem}); ${meanwhile}`);
    } else if (problem === undefined && this.#isFailing) {
      this.#options.warn(`session: ${file} can be written again; no record is missing`);
    }
    this.#isFailing = problem !== undefined;
    if (!this.#isFailing) this.#reportLock();
  }

  /** Once: the records of a subagent are no part of the conversation. */
  #reportSubagents(): void {
    const { problem } = this.#subagents;
    if (problem === undefined || this.#isFailing || this.#isSubagentReported) return;
    this.#isSubagentReported = true;
    this.#options.warn(`session: ${this.#file('subagents')} cannot be written (${problem})`);
  }

  #addPrompt(prompt: string): void {
    this.#change('prompt.txt', async (path) => {
      this.#prompts ??= await readFile(path, { encoding: 'utf8', flag: notFollowing }).then(
        (text) => [text],
        () => [],
      );
      this.#prompts.push(prompt);
    });
    this.#writePrompts();
  }

  #writePrompts(): void {
    this.#change('prompt.txt', (path) => replaceFile(path, (this.#prompts ?? []).join(promptSeparator)));
  }

  #writeContext(): void {
    const { model, cwd, version } = this.#options;
    const facts = { id: this.id, model, cwd, version, startedAt: this.#startedAt, updatedAt: new Date().toISOString() };
    this.#change('context.md', async (path) => {
      await this.#addEarlierSubagents();
      await removeDrafts(path);
      await replaceFile(path, this.#actions.toMarkdown(facts));
    });
  }

  async #addEarlierSubagents(): Promise<void> {
    if (this.#hasEarlierSubagents) return;
    this.#hasEarlierSubagents = true;
    for (const { callId, entries } of await loadSubagents(this.path, this.#subagents.files))
      for (const { message, usage } of entries) this.#actions.addNested(callId, message, usage);
  }

  #change(file: string, work: (path: string) => Promise<void>): void {
    this.#otherFiles = this.#otherFiles
      .then(() => work(this.#file(file)))
      .catch((error: NodeJS.ErrnoException) => this.#warn(file, error));
  }

  #warn(file: string, { code, message }: NodeJS.ErrnoException): void {
    // The log has already reported a problem with this disk.
    if (!this.#isFailing) this.#options.warn(`session: ${this.#file(file)} cannot be written (${code ?? message})`);
  }

  #file(name: string): string {
    return join(this.path, name);
  }
}

function describeRestoration(file: string, restoration: Restoration): string {
  const moved = restoration.movedTo === undefined ? '' : `; the file found in its place is now ${restoration.movedTo}`;
  const what = `session: another program deleted, replaced or truncated ${file}`;
  switch (restoration.outcome) {
    case 'copied':
      return `${what}; it was restored completely${moved}`;
    case 'rebuilt':
      return `${what}; it was rebuilt from the current conversation, without messages removed earlier${moved}`;
    default:
      return `${what}; it cannot be restored (${restoration.problem}) and will be retried before each message${moved}`;
  }
}

function promptText({ prompt: { content } }: AgentEvent & { readonly type: 'turn-start' }): string {
  const attached = content.filter(({ type }) => type !== 'text').map(({ type }) => `[${type}]`);
  return [textOf(content), ...attached].join(' ').trim();
}
