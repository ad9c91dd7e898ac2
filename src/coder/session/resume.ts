// Resumes a session. If another process is writing it, the run continues in a copy or waits. A flag or the user makes that
// choice; without either, the error names the flags.

import { setTimeout as sleep } from 'node:timers/promises';
import { forkSession } from './fork.ts';
import { adviceAbout, describeHolder } from './lock.ts';
import { claimSession, loadLatestSession, loadSession } from './store.ts';
import type { BusySession, LoadedSession } from './store.ts';
import { SimpleAgentsError } from '../../core/error.ts';

export type BusyChoice = 'fork' | 'wait';

export interface ResumeOptions {
  /** The project. */
  readonly root: string;
  /** The session's id or the beginning of it. Default: the last session of the project. */
  readonly id?: string | undefined;
  /** `fork`: continue in a copy, even if the session is free. `wait`: wait until it is free. */
  readonly choice?: BusyChoice | undefined;
  /** The UUID of the copy. Default: a new one. */
  readonly forkUuid?: string | undefined;
  /** Asks the user. Resolves to undefined if the user wants neither. */
  readonly ask?: ((busy: BusySession) => Promise<BusyChoice | undefined>) | undefined;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds between two checks of the lock. */
const pause = 250;

/** Resolves to the session with its lock. Throws `bad-request` if there is none, or if it is in use and no choice was made. */
export async function resumeSession(options: ResumeOptions): Promise<LoadedSession> {
  const { root, id, choice } = options;
  if (choice === 'fork') return forkOf(id, options);
  const claimed = await claimSession(root, id);
  if (!isBusy(claimed)) return claimed;
  const chosen = choice ?? (await options.ask?.(claimed));
  if (chosen === undefined) throw sessionInUse(claimed);
  return chosen === 'fork' ? forkOf(claimed.id, options) : waitFor(claimed, options);
}

export function describeBusy({ id, path, holder }: BusySession): string {
  return `session ${id} is in use by ${describeHolder(holder)}${adviceAbout(holder, path)}`;
}

function isBusy(session: LoadedSession | BusySession): session is BusySession {
  return 'holder' in session;
}

async function forkOf(id: string | undefined, { root, forkUuid, tell }: ResumeOptions): Promise<LoadedSession> {
  const origin = await (id === undefined ? loadLatestSession(root) : loadSession(root, id));
  const copy = await claimSession(root, await forkSession(root, origin, forkUuid));
  if (isBusy(copy)) throw sessionInUse(copy);
  tell(`continuing in session ${copy.id}, a copy of ${origin.id}`);
  return copy;
}

async function waitFor(busy: BusySession, { root, tell, signal }: ResumeOptions): Promise<LoadedSession> {
  tell(`${describeBusy(busy)}; waiting until it is free`);
  for (;;) {
    await sleep(pause, undefined, { signal });
    const claimed = await claimSession(root, busy.id);
    if (!isBusy(claimed)) return claimed;
  }
}

function sessionInUse(busy: BusySession): SimpleAgentsError {
  const ways = 'add --fork to continue in a copy, or --wait to wait until it is free';
  return new SimpleAgentsError('bad-request', `${describeBusy(busy)}; ${ways}`, { field: 'session' });
}
