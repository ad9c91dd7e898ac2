// The error of an expired time-out, how to recognise it, and a timer that does not keep the process alive.

import { SimpleAgentsError } from './error.ts';

/** Their names in the configuration file. */
const settings = {
  connect: 'connect',
  firstToken: 'first_token',
  idle: 'idle',
  total: 'total',
} as const;

export type TimeoutSetting = keyof typeof settings;

const codes: Readonly<Record<TimeoutSetting, string>> = {
  connect: 'connect-timeout',
  firstToken: 'first-token-timeout',
  idle: 'idle-timeout',
  total: 'total-timeout',
};

/** `what` is the message up to the time: "no connection to http://…". */
export function timeoutError(what: string, setting: TimeoutSetting, limit: number): SimpleAgentsError {
  const remedy = `raise timeouts.${setting}, in the configuration file ${settings[setting]} under [timeouts]`;
  const details = { code: codes[setting] };
  return new SimpleAgentsError('timeout', `${what} within ${describeDuration(limit)} (${remedy})`, details);
}

/** The target was silent for too long. It may be down, so it should not be called again soon. */
export function isStall({ kind, code }: SimpleAgentsError): boolean {
  return kind === 'timeout' && (code === codes.connect || code === codes.firstToken || code === codes.idle);
}

/** The complete call took too long. A retry would take and cost as much again. */
export function isTotalTimeout({ kind, code }: SimpleAgentsError): boolean {
  return kind === 'timeout' && code === codes.total;
}

function describeDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`;
}

/** Longer delays make `setTimeout` fire at once. */
const longestDelay = 2 ** 31 - 1;

/** A timer that does not keep the process alive; `undefined` if there is no limit. */
export function startTimer(limit: number | undefined, onExpiry: () => void): NodeJS.Timeout | undefined {
  if (limit === undefined || limit <= 0 || limit > longestDelay) return undefined;
  return setTimeout(onExpiry, limit).unref();
}
