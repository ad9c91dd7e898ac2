// The error that an expired time-out becomes, how to recognise it, and a timer that does not keep the process alive.

import { SimpleAgentsError } from './error.ts';

/** As the configuration file calls them. */
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

/** `what` is the sentence up to the time: "no connection to http://…". */
export function timeoutError(what: string, setting: TimeoutSetting, limit: number): SimpleAgentsError {
  const remedy = `raise timeouts.${setting}, in the configuration file ${settings[setting]} under [timeouts]`;
  const details = { code: codes[setting] };
  return new SimpleAgentsError('timeout', `${what} within ${describeDuration(limit)} (${remedy})`, details);
}

/** The target was silent for too long. It may be dead, so it should not be asked again soon. */
export function isStall({ kind, code }: SimpleAgentsError): boolean {
  return kind === 'timeout' && (code === codes.connect || code === codes.firstToken || code === codes.idle);
}

/** The call as a whole took too long. Asking again would take and cost as much again. */
export function isTotalTimeout({ kind, code }: SimpleAgentsError): boolean {
  return kind === 'timeout' && code === codes.total;
}

function describeDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`;
}

/** Longer delays make `setTimeout` fire at once. */
const longestDelay = 2 ** 31 - 1;

/** A timer that does not keep the process alive, or none when there is no limit. */
export function startTimer(limit: number | undefined, onExpiry: () => void): NodeJS.Timeout | undefined {
  if (limit === undefined || limit <= 0 || limit > longestDelay) return undefined;
  return setTimeout(onExpiry, limit).unref();
}
