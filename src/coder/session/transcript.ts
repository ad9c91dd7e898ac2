// Reads full.jsonl: the last state of the conversation, and what could not be read. Nothing is lost silently: an incomplete
// line is skipped and reported, and the conversation continues from the line before it.

import { readFile } from 'node:fs/promises';
import type { Message } from '../../core/message.ts';
import { decodeMessage } from './anthropic-shape.ts';
import { asRecord, type SessionRecord } from './record.ts';

/** A message of the conversation and its record. */
export interface TranscriptEntry {
  readonly uuid: string;
  readonly message: Message;
  readonly record: SessionRecord;
}

export interface Transcript {
  /** In the order of the file. */
  readonly records: readonly SessionRecord[];
  /** The parent of the next line. */
  readonly head: string | undefined;
  /** The conversation as the model would receive it next. */
  readonly entries: readonly TranscriptEntry[];
  /** Whether earlier messages have been removed from the context. */
  readonly isTrimmed: boolean;
  readonly problems: readonly string[];
}

export async function loadTranscript(path: string): Promise<Transcript> {
  return readTranscript(await readFile(path));
}

const newline = 10;

export function readTranscript(bytes: Uint8Array): Transcript {
  const problems: string[] = [];
  const records: SessionRecord[] = [];
  // Line by line, because a file may exceed the maximum length of a string.
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const next = bytes.indexOf(newline, start);
    const end = next === -1 ? bytes.length : next;
    const record = parseLine(bytes.subarray(start, end));
    if (record !== undefined) records.push(record);
    else if (end > start) problems.push(describeLoss(line, next === -1));
    start = end + 1;
  }
  const path = pathOf(records, problems);
  const trim = path.findLast(({ subtype }) => subtype === 'trim');
  const entries = entriesOf(path, trim?.firstUuid);
  return { records, head: path.at(-1)?.uuid, entries, isTrimmed: trim !== undefined, problems };
}

function parseLine(bytes: Uint8Array): SessionRecord | undefined {
  try {
    return asRecord(JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')));
  } catch {
    return undefined;
  }
}

function describeLoss(line: number, isLast: boolean): string {
  const why = isLast ? 'it was not written completely' : 'it is not a valid record';
  return `full.jsonl:${line}: skipped this line: ${why}`;
}

/** From the root to the last valid line. */
export function pathOf(records: readonly SessionRecord[], problems: string[] = []): SessionRecord[] {
  return walkBack(records, ({ parentUuid }) => parentUuid, problems);
}

/** The same, but along the older lines where a summary replaced them. */
export function wholePathOf(records: readonly SessionRecord[]): SessionRecord[] {
  return walkBack(records, ({ parentUuid, logicalParentUuid = parentUuid }) => logicalParentUuid, []);
}

function walkBack(
  records: readonly SessionRecord[],
  parentOf: (record: SessionRecord) => string | null,
  problems: string[],
): SessionRecord[] {
  const places = new Map(records.map(({ uuid }, index) => [uuid, index]));
  const path = new Set<SessionRecord>();
  let record = lastBefore(records, records.length);
  while (record !== undefined && !path.has(record)) {
    path.add(record);
    const { uuid } = record;
    const before = parentOf(record);
    if (before === null) break;
    const place = places.get(before);
    if (place === undefined) problems.push(`the parent of line ${uuid} is missing; the previous line is used instead`);
    record = place === undefined ? lastBefore(records, places.get(uuid) ?? 0) : records[place];
  }
  return [...path].toReversed();
}

function lastBefore(records: readonly SessionRecord[], place: number): SessionRecord | undefined {
  return records.slice(0, place).findLast(({ isSidechain }) => isSidechain !== true);
}

function entriesOf(path: readonly SessionRecord[], firstUuid: string | undefined): TranscriptEntry[] {
  const first = path.findIndex(({ uuid }) => uuid === firstUuid);
  return path.slice(Math.max(0, first)).flatMap((record) => {
    const message = decodeMessage(record.message);
    return message === undefined ? [] : [{ uuid: record.uuid, message, record }];
  });
}
