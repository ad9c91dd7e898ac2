// Writes a session while it happens. Fed with the conversation's changes and with the agent's events; nothing is on disk
// before the first prompt. It never throws and never stops the agent: what cannot be written is told and waits.

import { constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '../../core/message.ts';
import type { AgentEvent } from '../event.ts';
import type { HistoryChange, HistoryObserver } from '../history.ts';
import { removeDrafts, replaceWhole } from '../whole-file.ts';
import { RecordedConversation } from './conversation.ts';
import { KeyActions } from './key-actions.ts';
import { RecordLog } from './record-log.ts';
import { newSessionId, promptSeparator, sessionPath } from './place.ts';
import { saidIn } from './said.ts';
import type { LoadedSession } from './store.ts';

export interface SessionOptions {
  /** The project: the session is below its `.entire/metadata`. */
  readonly folder: string;
  readonly cwd: string;
  /** Of the program that writes. */
  readonly version: string;
  readonly model: string;
  /** Go on with this one. */
  readonly resume?: LoadedSession;
  /** A line to show: the session cannot be written, and why. Told once, and again when it works again. */
  readonly warn: (line: string) => void;
}

export interface SessionRecorder {
  readonly id: string;
  /** The session's folder. */
  readonly path: string;
  /** For `createAgent({ onHistory })`. A record is safe from a crash of the process when this returns. */
  readonly onHistory: HistoryObserver;
  /** To be told every event. Resolves at `turn-end` when everything is on the disk; never rejects. */
  observe(event: AgentEvent): Promise<void>;
  /** Writes what could not be written before, and lets go of the file. Never rejects. */
  close(): Promise<void>;
}

export function openSession(options: SessionOptions): SessionRecorder {
  return new Recorder(options);
}

const notFollowing = constants.O_RDONLY | constants.O_NOFOLLOW;

class Recorder implements SessionRecorder {
  readonly id: string;
  readonly path: string;
  readonly #options: SessionOptions;
  readonly #log: RecordLog;
  readonly #conversation: RecordedConversation;
  readonly #actions = new KeyActions();
  readonly #startedAt: string;
  #isResumed = false;
  #isFailing = false;
  #hasRecords = false;
  /** Of earlier runs and of this one; once read. */
  #prompts: string[] | undefined;
  /** Files beside the log, one change after the other. */
  #beside: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    const { folder, cwd, version, resume } = options;
    this.#options = options;
    this.id = resume?.id ?? newSessionId();
    this.path = resume?.path ?? sessionPath(folder, this.id);
    this.#startedAt = resume?.transcript.records[0]?.timestamp ?? new Date().toISOString();
    this.#log = new RecordLog(join(this.path, 'full.jsonl'));
    this.#conversation = new RecordedConversation({ sessionId: this.id, cwd, version }, resume?.transcript);
    for (const { message, usage } of saidIn(resume?.transcript.records ?? [])) this.#actions.add(message, usage);
  }

  readonly onHistory: HistoryObserver = (change) => {
    this.#resume();
    this.#record(change);
    if (change.type === 'append') this.#actions.add(change.message, change.answer?.usage);
    else for (const message of change.messages.slice(-1)) this.#actions.add(message, change.answer?.usage);
  };

  async observe(event: AgentEvent): Promise<void> {
    if (event.type === 'turn-start') this.#addPrompt(promptText(event));
    if (event.type !== 'turn-end') return;
    this.#flush();
    this.#writeContext();
    await this.#beside;
    await this.#log.sync().catch((error: NodeJS.ErrnoException) => this.#warn('full.jsonl', error));
  }

  async close(): Promise<void> {
    this.#flush();
    await this.#beside;
    this.#log.close();
  }

  /** What was mended on loading becomes part of the file before anything follows it. */
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
    const file = join(this.path, 'full.jsonl');
    if (problem !== undefined && !this.#isFailing) {
      const meanwhile = 'the conversation goes on, and what is missing there is written as soon as it can be';
      this.#options.warn(`session: ${file} cannot be written (${problem}); ${meanwhile}`);
    } else if (problem === undefined && this.#isFailing) {
      this.#options.warn(`session: ${file} is written again; nothing is missing`);
    }
    this.#isFailing = problem !== undefined;
  }

  #addPrompt(prompt: string): void {
    this.#change('prompt.txt', async (path) => {
      this.#prompts ??= await readFile(path, { encoding: 'utf8', flag: notFollowing }).then(
        (text) => [text],
        () => [],
      );
      this.#prompts.push(prompt);
      await replaceWhole(path, this.#prompts.join(promptSeparator));
    });
  }

  #writeContext(): void {
    const { model, cwd, version } = this.#options;
    const facts = { id: this.id, model, cwd, version, startedAt: this.#startedAt, updatedAt: new Date().toISOString() };
    this.#change('context.md', async (path) => {
      await removeDrafts(path);
      await replaceWhole(path, this.#actions.toMarkdown(facts));
    });
  }

  #change(file: string, work: (path: string) => Promise<void>): void {
    this.#beside = this.#beside
      .then(() => work(join(this.path, file)))
      .catch((error: NodeJS.ErrnoException) => this.#warn(file, error));
  }

  #warn(file: string, { code, message }: NodeJS.ErrnoException): void {
    // The log has told it already, of the same disk.
    if (!this.#isFailing)
      this.#options.warn(`session: ${join(this.path, file)} cannot be written (${code ?? message})`);
  }
}

function promptText({ prompt: { content } }: AgentEvent & { readonly type: 'turn-start' }): string {
  const attached = content.filter(({ type }) => type !== 'text').map(({ type }) => `[${type}]`);
  return [textOf(content), ...attached].join(' ').trim();
}
