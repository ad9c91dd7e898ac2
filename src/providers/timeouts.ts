// The four time-outs of a call to a remote model: their defaults, and the error each one becomes.

import { SimpleAgentsError } from '../core/error.ts';

/** In milliseconds; 0 means no limit. */
export interface Timeouts {
  readonly connect: number;
  /** From the request to the first piece of the answer. Does not apply to calls that ask for a plain body. */
  readonly firstToken: number;
  /** Between two pieces of a streamed answer; pings and comments are no pieces. */
  readonly idle: number;
  /** The whole call. Left out: no limit for a stream. */
  readonly total?: number;
  /** The whole of a call that asks for a plain body. Left out: `total`, else `defaultPlainTotal`. */
  readonly plainTotal?: number;
}

export const defaultTimeouts: Timeouts = { connect: 10_000, firstToken: 120_000, idle: 90_000 };

export const defaultPlainTotal = 30_000;

/** As the configuration file calls them. */
const settings = {
  connect: 'connect',
  firstToken: 'first_token',
  idle: 'idle',
  total: 'total',
} as const;

/** `what` is the sentence up to the time: "no connection to http://…". */
export function timeoutError(what: string, setting: keyof typeof settings, limit: number): SimpleAgentsError {
  const remedy = `raise timeouts.${setting}, in the configuration file ${settings[setting]} under [timeouts]`;
  return new SimpleAgentsError('timeout', `${what} within ${describeDuration(limit)} (${remedy})`);
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
