// One line of full.jsonl. A line that is not a message says that the conversation went on from elsewhere:
//
//   rewind    from the line `parentUuid` names: what came after it was taken back
//   trim      likewise, and what stood before `firstUuid` left the context
//   compact   a summary took the place of older lines; the lines that make the new conversation stand before this one,
//             marked `isSidechain` until then, so that a crash between them changes nothing
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
  /** For `compact`: the line before, that the new conversation does not lead to. */
  readonly logicalParentUuid?: string;
  readonly isSidechain?: true;
  readonly forkedFrom?: { readonly sessionId: string; readonly uuid: string };
}

/** Nothing for what is no record of a session. Further members are let be. */
export function asRecord(value: unknown): SessionRecord | undefined {
  if (!isRecord(value)) return undefined;
  const { type, uuid, parentUuid, timestamp } = value;
  const isKnown = type === 'user' || type === 'assistant' || type === 'system';
  if (!isKnown || typeof uuid !== 'string') return undefined;
  const parent = typeof parentUuid === 'string' ? parentUuid : null;
  const time = typeof timestamp === 'string' ? timestamp : '';
  return { ...value, parentUuid: parent, timestamp: time } as unknown as SessionRecord;
}
