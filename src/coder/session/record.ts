// One line of full.jsonl. A line that is not a message changes where the conversation continues:
//
//   rewind    at the line `parentUuid`: later lines were removed
//   trim      likewise, and the lines before `firstUuid` were removed from the context
//   compact   a summary replaced older lines; the lines of the new conversation come before this one and are marked
//             `isSidechain`, so that a crash between them changes nothing
//
// The conversation is the path from the last line to the root, along `parentUuid`.

import { isRecord, type JsonObject } from '../../core/json.ts';

export interface SessionRecord extends JsonObject {
  readonly type: 'user' | 'assistant' | 'system';
  readonly sessionId: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly cwd: string;
  readonly version: string;
  readonly message?: JsonObject;
  readonly subtype?: 'rewind' | 'trim' | 'compact';
  readonly firstUuid?: string;
  /** For `compact`: the previous line, which is not on the path of the new conversation. */
  readonly logicalParentUuid?: string;
  readonly isSidechain?: true;
  /** In the file of a subagent: the subagent. */
  readonly subagent?: { readonly callId: string; readonly name: string; readonly task: string };
  readonly forkedFrom?: { readonly sessionId: string; readonly uuid: string };
}

/** Undefined for a value that is not a session record. Unknown members are kept. */
export function asRecord(value: unknown): SessionRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { type, uuid, parentUuid, timestamp } = value;
  const isKnown = type === 'user' || type === 'assistant' || type === 'system';
  if (!isKnown || typeof uuid !== 'string') return undefined;
  const parent = typeof parentUuid === 'string' ? parentUuid : null;
  const time = typeof timestamp === 'string' ? timestamp : '';
  return { ...value, parentUuid: parent, timestamp: time } as unknown as SessionRecord;
}
