// The time-outs of a call to a remote model: their defaults, and the error each one becomes.

import { SimpleAgentsError } from '../core/error.ts';
import type { ChatRequest } from '../core/request.ts';

/** In milliseconds; 0 means no limit. */
export interface Timeouts {
  readonly connect: number;
  /** From the request to the first content of the response. Does not apply to calls that ask for a plain body. */
  readonly firstToken: number;
  /** Between two pieces of streamed content; pings and comments are not content. */
  readonly idle: number;
  /** The whole call. Left out: no limit for a stream. */
  readonly total?: number;
  /** The whole of a call that asks for a plain body. Left out: `total`, else `defaultPlainTotal`. */
  readonly plainTotal?: number;
}

export const defaultTimeouts: Timeouts = { connect: 10_000, firstToken: 120_000, idle: 90_000 };

/** As the official SDKs have it: a slow model is not a fault. */
export const defaultPlainTotal = 600_000;

/** Where another target can be asked, waiting longer than this helps nobody. */
const whenReplaceable = { firstToken: 20_000, idle: 30_000 };
const whenReasoning = { firstToken: 60_000, idle: 60_000 };

/** What holds where nothing was configured. `isReplaceable`: another target can be asked if this one fails. */
export function usualTimeouts(request: ChatRequest, isReplaceable: boolean): Timeouts {
  if (!isReplaceable) return defaultTimeouts;
  return { ...defaultTimeouts, ...(asksForReasoning(request) ? whenReasoning : whenReplaceable) };
}

function asksForReasoning({ reasoning }: ChatRequest): boolean {
  return reasoning !== undefined && reasoning.effort !== 'none';
}

/** A plain body comes all at once, so only the whole can be late. */
export function plainTimeouts({ connect, total = defaultPlainTotal, plainTotal = total }: Timeouts): Timeouts {
  return { connect, firstToken: 0, idle: 0, total: plainTotal };
}

/** As the configuration file calls them. */
const settings = {
  connect: 'connect',
  firstToken: 'first_token',
  idle: 'idle',
  total: 'total',
} as const;

type Setting = keyof typeof settings;

const codes: Readonly<Record<Setting, string>> = {
  connect: 'connect-timeout',
  firstToken: 'first-token-timeout',
  idle: 'idle-timeout',
  total: 'total-timeout',
};

/** `what` is the sentence up to the time: "no connection to http://…". */
export function timeoutError(what: string, setting: Setting, limit: number): SimpleAgentsError {
  const remedy = `raise timeouts.${setting}, in the configuration file ${settings[setting]} under [timeouts]`;
  const details = { code: codes[setting] };
  return new SimpleAgentsError('timeout', `${what} within ${describeDuration(limit)} (${remedy})`, details);
}

/** The target was silent for too long: it may be dead, so it is better not asked again soon. */
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
