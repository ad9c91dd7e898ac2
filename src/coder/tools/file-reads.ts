// Which files the model has read, and with which content. A change of a file is refused if its content has changed since.
// Invariants:
//   1. The content counts, not the time or the size, because both can stay the same.
//   2. The agent and each subagent have a record of their own, because none of them sees what the others have read.
//   3. A change by the model itself is recorded. A change by a command or a formatter is not: the model has not seen it.

import { createHash, type Hash } from 'node:crypto';
import type { ToolCaller } from '../../agent/tool.ts';
import { fail } from './failure.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** In place of the content: it cannot be known whether the file has changed, so it counts as changed. */
export const unknownContent = 'unknown';

export class FileReads {
  /** The fingerprint of the content by the real path, by the call that started the subagent. */
  readonly #records = new Map<string, Map<string, string>>();

  /** For a new session. */
  clear(): void {
    this.#records.clear();
  }

  has(caller: ToolCaller, { path }: WorkspacePath): boolean {
    return this.#recordOf(caller).has(path);
  }

  record(caller: ToolCaller, { path }: WorkspacePath, fingerprint: string): void {
    this.#recordOf(caller).set(path, fingerprint);
  }

  /** Throws if the file has changed since the caller read it. `bytes`: undefined if the file does not exist. */
  checkUnchanged(caller: ToolCaller, place: WorkspacePath, bytes: string | undefined): void {
    const known = this.#recordOf(caller).get(place.path);
    if (known === undefined) return;
    if (bytes === undefined) {
      fail(`file_path: ${place.shown} was deleted since it was read; nothing was written. To create it, use Write.`);
    }
    if (known !== fingerprintOf(bytes)) fail(`file_path: ${describeStale(place)}`);
  }

  /** Throws if the caller does not know the current content of an existing file. */
  checkRead(caller: ToolCaller, place: WorkspacePath, bytes: string): void {
    if (!this.has(caller, place)) {
      fail(
        `file_path: ${place.shown} exists and was not read in this session; nothing was written. Read it first, or change a part of it with Edit.`,
      );
    }
    this.checkUnchanged(caller, place, bytes);
  }

  #recordOf({ subagent }: ToolCaller): Map<string, string> {
    const name = subagent?.callId ?? '';
    const record = this.#records.get(name) ?? new Map<string, string>();
    this.#records.set(name, record);
    return record;
  }
}

export function describeStale({ shown }: WorkspacePath): string {
  return `${shown} changed since it was read: read it again and repeat the change; nothing was written.`;
}

/** A text has one character per byte. */
export function fingerprintOf(bytes: string | Buffer): string {
  return newFingerprint()
    .update(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    .digest('base64');
}

/** For a content that arrives in chunks. Its `base64` digest is the fingerprint. */
export function newFingerprint(): Hash {
  return createHash('sha256');
}
