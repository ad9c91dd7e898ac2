// Calls to the gateway. A gateway with keys answers 401 until the user enters one. The key is kept in memory only: a reload
// forgets it.

import { signal } from '@preact/signals';

/** `asking`: the gateway wants a key. */
export const access = signal<{ readonly state: 'open' | 'asking'; readonly problem?: string }>({ state: 'open' });

let key: string | undefined;
/** Whether the gateway has keys. */
export const needsKey = signal(false);

export function enterKey(entered: string): void {
  key = entered;
  access.value = { state: 'open' };
  for (const again of waiting.splice(0)) again();
}

const waiting: (() => void)[] = [];

/** Calls `again` when a key has been entered. */
export function onKey(again: () => void): void {
  waiting.push(again);
}

/** The message of a failed call is the gateway's own. */
export class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Resolves with the response if it is a success. Throws `CallError`, with status 0 if the gateway cannot be reached. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new CallError(0, 'The gateway cannot be reached. Check that it is running.');
  });
  if (response.ok) return response;
  const message = await messageOf(response);
  if (response.status === 401) {
    needsKey.value = true;
    access.value = { state: 'asking', ...(key === undefined ? {} : { problem: message }) };
    key = undefined;
  }
  throw new CallError(response.status, message);
}

export function postJson(path: string, body: unknown, aborting?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return call(path, { method: 'POST', headers, body: JSON.stringify(body), ...(aborting && { signal: aborting }) });
}

async function messageOf(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { error?: { message?: unknown } };
    if (typeof body.error?.message === 'string') return body.error.message;
  } catch {
    // Not JSON, for example from a proxy.
  }
  return `The gateway answered with status ${response.status}.`;
}
