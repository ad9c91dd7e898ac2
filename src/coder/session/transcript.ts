// What full.jsonl says: the conversation as it stood when the session was left, and what could not be read. Nothing is
// lost silently: a line that was cut off is skipped and told, and the conversation goes on from the line before it.

import { readFile } from 'node:fs/promises';
import type { Message } from '../../core/message.ts';
import { decodeMessage } from './anthropic-shape.ts';
import { asRecord, type SessionRecord } from './record.ts';

/** A message of the conversation and the line it stands in. */
export interface TranscriptEntry {
  readonly uuid: string;
  readonly message: Message;
  readonly record: SessionRecord;
}

export interface Transcript {
  /** In the order of the file. */
  readonly records: readonly SessionRecord[];
  /** The line the next one follows. */
  readonly head: string | undefined;
  /** The conversation, as the model was to see it next. */
  readonly entries: readonly TranscriptEntry[];
  /** Whether something before them has left the context. */
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
  // Line by line: a file may be longer than a string can be.
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
  const why = isLast ? 'its writing was broken off' : 'it is not a whole record';
  return `full.jsonl:${line}: the line is skipped: ${why}`;
}

/** From the root to the last line that counts. */
export function pathOf(records: readonly SessionRecord[], problems: string[] = []): SessionRecord[] {
  return walkBack(records, ({ parentUuid }) => parentUuid, problems);
}

/** The same, but where a summary took the place of older lines, along those. */
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
    if (place === undefined) problems.push(`the line before ${uuid} is missing; the one above it is taken`);
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
