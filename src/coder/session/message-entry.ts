// The messages of a session with their times and usage, for display.

import { isRecord } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import type { Usage } from '../../core/usage.ts';
import { decodeMessage, decodeUsage } from './anthropic-shape.ts';
import type { SessionRecord } from './record.ts';

export interface MessageEntry {
  readonly message: Message;
  readonly usage?: Usage;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** The messages among the records. */
export function messageEntries(records: readonly SessionRecord[]): MessageEntry[] {
  return records.flatMap(({ message: shape, timestamp, isSidechain }) => {
    const message = isSidechain === true ? undefined : decodeMessage(shape);
    if (message === undefined) return [];
    const usage = isRecord(shape) ? decodeUsage(shape['usage']) : undefined;
    return [{ message, timestamp, ...(usage === undefined ? {} : { usage }) }];
  });
}
