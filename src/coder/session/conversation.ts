// Turns changes of a conversation into the lines that record them. It knows no file. Removed messages stay in the file, off
// the current path, so nothing is ever rewritten.

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { omitUndefined, type JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import type { AnswerRecord, HistoryChange } from '../../agent/history.ts';
import { encodeMessage } from './anthropic-shape.ts';
import type { SessionRecord } from './record.ts';
import type { TranscriptEntry, Transcript } from './transcript.ts';

/** The fields that are the same in every line. */
export type RecordFrame = Pick<SessionRecord, 'sessionId' | 'cwd' | 'version' | 'subagent'>;

const nothing = { head: undefined, entries: [], isTrimmed: false };

export class RecordedConversation {
  readonly #frame: RecordFrame;
  #head: string | undefined;
  #entries: TranscriptEntry[];
  /** Whether messages before the first entry have been removed from the context. */
  #isTrimmed: boolean;
  #lines: SessionRecord[] = [];

  constructor(frame: RecordFrame, from: Pick<Transcript, 'head' | 'entries' | 'isTrimmed'> = nothing) {
    this.#frame = frame;
    this.#head = from.head;
    this.#entries = [...from.entries];
    this.#isTrimmed = from.isTrimmed;
  }

  /** The lines that record the change, in the order they must be written. */
  take(change: HistoryChange): readonly SessionRecord[] {
    this.#lines = [];
    if (change.type === 'append') this.#append(change.message, change.answer);
    else this.#replace(change.messages, change.answer);
    return this.#lines;
  }

  /** The conversation as self-contained lines, for a file that was lost. Later lines refer to them. */
  restart(): readonly SessionRecord[] {
    this.#head = undefined;
    this.#isTrimmed = false;
    return this.#entries.map(({ record: { isSidechain: _isSidechain, ...record } }) => {
      const line = { ...record, parentUuid: this.#head ?? null } as SessionRecord;
      this.#head = line.uuid;
      return line;
    });
  }

  #append(message: Message, answer?: AnswerRecord): void {
    this.#entries.push(this.#writeMessage(message, answer));
  }

  #replace(messages: readonly Message[], answer?: AnswerRecord): void {
    const start = this.#startOf(messages);
    if (start === -1 && this.#entries.length > 0) return this.#rewrite(messages);
    const kept = this.#keep(messages, Math.max(0, start));
    const isShorter = start > 0 || kept.length < this.#entries.length;
    const rest = messages.slice(kept.length);
    this.#entries = kept;
    this.#isTrimmed = kept.length > 0 && (this.#isTrimmed || start > 0);
    if (isShorter) this.#goBack(rest.length > 0);
    for (const [index, message] of rest.entries())
      this.#append(message, index === rest.length - 1 ? answer : undefined);
  }

  /** Where the conversation starts among the recorded messages. By identity first, because a text may occur twice. */
  #startOf([first]: readonly Message[]): number {
    if (first === undefined) return 0;
    const start = this.#entries.findIndex(({ message }) => message === first);
    return start === -1 ? this.#entries.findIndex(({ message }) => isSame(message, first)) : start;
  }

  #keep(messages: readonly Message[], start: number): TranscriptEntry[] {
    const kept: TranscriptEntry[] = [];
    for (const entry of this.#entries.slice(start)) {
      const now = messages[kept.length];
      if (now === undefined || !isSame(entry.message, now)) break;
      // Keep the current object, so that the next comparison is by identity.
      kept.push({ ...entry, message: now });
    }
    return kept;
  }

  /** No rewind line is needed if the next line names the earlier one as its parent. */
  #goBack(isFollowed: boolean): void {
    const head = this.#entries.at(-1)?.uuid;
    const [first] = this.#entries;
    // The new path skips the line of an earlier trim, so it must be repeated.
    if (this.#isTrimmed) this.#write({ type: 'system', subtype: 'trim', firstUuid: first?.uuid }, head);
    else if (isFollowed) this.#head = head;
    else this.#write({ type: 'system', subtype: 'rewind' }, head);
  }

  /** Takes effect only with the last line: after a crash before it, the old conversation is still valid. */
  #rewrite(messages: readonly Message[]): void {
    const before = this.#head;
    this.#head = undefined;
    this.#isTrimmed = false;
    this.#entries = messages.map((message) => this.#writeMessage(message, undefined, true));
    this.#write({ type: 'system', subtype: 'compact', logicalParentUuid: before }, this.#head);
  }

  #writeMessage(message: Message, answer?: AnswerRecord, isSidechain?: true): TranscriptEntry {
    const uuid = randomUUID();
    const type = message.role === 'assistant' ? 'assistant' : 'user';
    const encoded = encodeMessage(message, `msg_${uuid}`, answer);
    return { uuid, message, record: this.#write({ type, isSidechain, message: encoded }, this.#head, uuid) };
  }

  #write(record: JsonObject, parent: string | undefined, uuid: string = randomUUID()): SessionRecord {
    const { type, ...rest } = record;
    const { sessionId, cwd, version, subagent } = this.#frame;
    const timestamp = new Date().toISOString();
    const members = { type, sessionId, uuid, parentUuid: parent ?? null, timestamp, cwd, version, subagent, ...rest };
    const line = omitUndefined(members) as unknown as SessionRecord;
    this.#lines.push(line);
    this.#head = uuid;
    return line;
  }
}

function isSame(left: Message, right: Message): boolean {
  return left === right || (left.role === right.role && isDeepStrictEqual(left.content, right.content));
}
