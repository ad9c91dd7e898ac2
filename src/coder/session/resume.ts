// Going on with a session that another process may be writing at the moment: then the choice is to go on in a copy or to
// wait. Made by a flag, or by a person; where there is neither, the run is refused and the message names the flags.

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
  /** The session's id or the beginning of it; left out, the one used last. */
  readonly id?: string | undefined;
  /** `fork`: go on in a copy, whether it is in use or not. `wait`: until it is free. */
  readonly choice?: BusyChoice | undefined;
  /** Left out: nobody can be asked. Nothing when the person wants neither. */
  readonly ask?: ((busy: BusySession) => Promise<BusyChoice | undefined>) | undefined;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks at a lock. */
const pause = 250;

/** Loaded, with its lock. Throws `bad-request` when there is none, or when it is in use and nobody chose. */
export async function resumeSession(options: ResumeOptions): Promise<LoadedSession> {
  const { root, id, choice } = options;
  if (choice === 'fork') return forkOf(id, options);
  const claimed = await claimSession(root, id);
  if (!isBusy(claimed)) return claimed;
  const chosen = choice ?? (await options.ask?.(claimed));
  if (chosen === undefined) throw refusal(claimed);
  return chosen === 'fork' ? forkOf(claimed.id, options) : waitFor(claimed, options);
}

export function describeBusy({ id, path, holder }: BusySession): string {
  return `session ${id} is in use by ${describeHolder(holder)}${adviceAbout(holder, path)}`;
}

function isBusy(session: LoadedSession | BusySession): session is BusySession {
  return 'holder' in session;
}

async function forkOf(id: string | undefined, { root, tell }: ResumeOptions): Promise<LoadedSession> {
  const origin = await (id === undefined ? loadLatestSession(root) : loadSession(root, id));
  const copy = await claimSession(root, await forkSession(root, origin));
  if (isBusy(copy)) throw refusal(copy);
  tell(`session ${copy.id} goes on as a copy of ${origin.id}`);
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

function refusal(busy: BusySession): SimpleAgentsError {
  const ways = 'add --fork to go on in a copy of it, or --wait to wait until it is free';
  return new SimpleAgentsError('bad-request', `${describeBusy(busy)}; ${ways}`, { field: 'session' });
}
