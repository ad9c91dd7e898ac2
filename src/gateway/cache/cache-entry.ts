// Encodes a stored response as bytes: a line that names the format, then JSON. Deltas are not stored, because the ends of
// blocks contain everything; a replay creates new deltas. Invariant: bytes of another format or version, or truncated
// bytes, decode to nothing.

import { concat } from '../../core/bytes.ts';
import type { StreamEvent } from '../../core/event.ts';
import { isRecord } from '../../core/json.ts';
import { argumentsOf, type Block } from '../../core/message.ts';

/** Increase the number when the format changes. Entries with another number are ignored. */
const header = new TextEncoder().encode('simple-agents answer 1\n');

export interface CacheEntry {
  /** The provider that gave the response. */
  readonly target: string;
  /** The same as `provider/model`, if known. */
  readonly answeredBy?: string;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  /** From message-start to message-end, without deltas. */
  readonly events: readonly StreamEvent[];
}

export function encodeEntry(entry: CacheEntry): Uint8Array {
  return concat([header, new TextEncoder().encode(JSON.stringify(entry))]);
}

export function decodeEntry(bytes: Uint8Array): CacheEntry | undefined {
  if (!header.every((byte, index) => bytes[index] === byte)) return undefined;
  try {
    const entry: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(header.length)));
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is CacheEntry {
  if (!isRecord(value) || typeof value['target'] !== 'string' || typeof value['storedAt'] !== 'number') return false;
  const { events, answeredBy } = value;
  if (answeredBy !== undefined && typeof answeredBy !== 'string') return false;
  if (!Array.isArray(events) || !events.every(isRecord)) return false;
  return events[0]?.['type'] === 'message-start' && events.at(-1)?.['type'] === 'message-end';
}

/** The length of the text in one event of a replayed stream. */
const pieceLength = 1024;

/** The events as a model would send them: in pieces for a stream, else each block at once. */
export function replayEvents({ events, storedAt }: CacheEntry, isStream: boolean): StreamEvent[] {
  const replayed: StreamEvent[] = [];
  const limit = isStream ? pieceLength : Number.POSITIVE_INFINITY;
  for (const event of events) {
    if (event.type === 'block-end') replayed.push(...deltasOf(event.block, event.index, limit));
    replayed.push(event);
    if (event.type === 'message-start') replayed.push(noticeOf(storedAt));
  }
  return replayed;
}

function noticeOf(storedAt: number): StreamEvent {
  const detail = `the response comes from the cache, stored at ${new Date(storedAt).toISOString()}`;
  return { type: 'notice', kind: 'cached', detail };
}

function deltasOf(block: Block, index: number, limit: number): StreamEvent[] {
  switch (block.type) {
    case 'text':
    case 'reasoning': {
      const type = block.type === 'text' ? 'text-delta' : 'reasoning-delta';
      return pieces(block.text, limit).map((text) => ({ type, index, text }));
    }
    case 'tool-call': {
      const { id, name, raw = argumentsOf(block) } = block;
      const fragments = pieces(raw, limit).map((json): StreamEvent => ({ type: 'tool-call-delta', index, json }));
      return [{ type: 'tool-call-start', index, id, name }, ...fragments];
    }
    default:
      return [];
  }
}

/** Never splits a surrogate pair. */
function pieces(text: string, limit: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + limit, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
