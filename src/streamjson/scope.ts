// Where a line belongs: to the agent itself, or to a subagent. A subagent is named by the tool calls that lead to it,
// outermost first. Lines have a member only for the innermost call, so a deeper path is in the extension.

import { extensionMember, extensionOf, stringOf, type StreamJsonLine } from './line.ts';

export type ScopePath = readonly string[];

export interface LineIdentity {
  readonly sessionId: string;
  /** A new UUID. */
  readonly createId: () => string;
}

/** Adds the members that every line has. */
export function toLine(
  members: StreamJsonLine,
  path: ScopePath,
  { sessionId, createId }: LineIdentity,
  extension: object = {},
): StreamJsonLine {
  const own = path.length > 1 ? { ...extension, path } : extension;
  return {
    ...members,
    parent_tool_use_id: path.at(-1) ?? null,
    session_id: sessionId,
    uuid: createId(),
    ...(Object.keys(own).length === 0 ? {} : { [extensionMember]: own }),
  };
}

export function pathOf(line: StreamJsonLine): ScopePath {
  const { path } = extensionOf(line);
  if (Array.isArray(path) && path.every((id) => typeof id === 'string')) return path;
  const parent = stringOf(line['parent_tool_use_id']);
  return parent === undefined ? [] : [parent];
}
