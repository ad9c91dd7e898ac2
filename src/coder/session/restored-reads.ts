// What the model knows of the files when a session is resumed. A file counts as unchanged if its inode has not changed since
// the last call that used it. The change time is used because no program can set it back.

import { isRecord } from '../../core/json.ts';
import { toolCallsOf } from '../../core/message.ts';
import { fingerprintOf, unknownContent, type FileReads } from '../tools/file-reads.ts';
import { loadTextFile } from '../tools/text-file.ts';
import { resolveWorkspacePath, type WorkspacePath } from '../tools/workspace-path.ts';
import type { Workspace } from '../tools/workspace.ts';
import type { MessageEntry } from './message-entry.ts';

/** Replaces what `reads` contains. Never rejects. */
export async function restoreReads(
  reads: FileReads,
  entries: readonly MessageEntry[],
  workspace: Workspace,
): Promise<void> {
  reads.clear();
  for (const { place, time } of await findLastUses(entries, workspace)) {
    reads.record({}, place, await fingerprintSince(place, time).catch(() => unknownContent));
  }
}

async function fingerprintSince(place: WorkspacePath, time: number): Promise<string> {
  const found = await loadTextFile(place);
  const isUnchanged = found !== undefined && found.bytes === found.saved && Math.floor(found.status.ctimeMs) <= time;
  return isUnchanged ? fingerprintOf(found.bytes) : unknownContent;
}

interface LastUse {
  readonly place: WorkspacePath;
  /** In milliseconds since 1970. */
  readonly time: number;
}

async function findLastUses(entries: readonly MessageEntry[], workspace: Workspace): Promise<Iterable<LastUse>> {
  const last = new Map<string, LastUse>();
  for (const { tool, path, time } of findUses(entries)) {
    const request = { field: 'file_path', path, purpose: 'read' } as const;
    const place = await resolveWorkspacePath(workspace, request).catch(() => undefined);
    if (place === undefined) continue;
    // An edit does not show the rest of the file.
    if (tool !== 'Edit' || last.has(place.path)) last.set(place.path, { place, time });
  }
  return last.values();
}

const fileTools: readonly string[] = ['Read', 'Write', 'Edit'];

interface FileUse {
  readonly tool: string;
  /** As the model wrote it. */
  readonly path: string;
  /** When a file was written at the latest, or read at the earliest. */
  readonly time: number;
}

/** The successful calls, in the order of their results. */
function findUses(entries: readonly MessageEntry[]): FileUse[] {
  const calls = new Map<string, FileUse>();
  const uses: FileUse[] = [];
  for (const { message, timestamp } of entries) {
    const time = Date.parse(timestamp);
    for (const { id, name: tool, input } of toolCallsOf(message.content)) {
      const path = isRecord(input) ? input['file_path'] : undefined;
      if (typeof path === 'string' && fileTools.includes(tool)) calls.set(id, { tool, path, time });
    }
    for (const block of message.content) {
      const call = block.type === 'tool-result' && block.isError !== true ? calls.get(block.callId) : undefined;
      if (call !== undefined) uses.push(call.tool === 'Read' ? call : { ...call, time });
    }
  }
  return uses;
}
