// Writes a session while it happens. Fed with the conversation's changes and with the agent's events; nothing is on disk
// before the first prompt.

import type { AgentEvent } from '../event.ts';
import type { HistoryObserver } from '../history.ts';
import type { LoadedSession } from './store.ts';

export interface SessionOptions {
  /** The project: the session is below its `.entire/metadata`. */
  readonly folder: string;
  readonly cwd: string;
  /** Of the program that writes. */
  readonly version: string;
  readonly model: string;
  /** Go on with this one. */
  readonly resume?: LoadedSession;
  /** A line to show: the session cannot be written, and why. Told once, and again when it works again. */
  readonly warn: (line: string) => void;
}

export interface SessionRecorder {
  readonly id: string;
  /** The session's folder. */
  readonly path: string;
  /** For `createAgent({ onHistory })`. A record is safe from a crash of the process when this returns. */
  readonly onHistory: HistoryObserver;
  /** To be told every event. Resolves at `turn-end` when everything is on the disk; never rejects. */
  observe(event: AgentEvent): Promise<void>;
  /** Writes what could not be written before, and lets go of the file. Never rejects. */
  close(): Promise<void>;
}

export function openSession({ folder }: SessionOptions): SessionRecorder {
  return { id: '', path: folder, onHistory: () => undefined, observe: async () => {}, close: async () => {} };
}
