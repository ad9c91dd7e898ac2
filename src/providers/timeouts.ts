// The time-outs of a call to a remote model, and their defaults.

import type { ChatRequest } from '../core/request.ts';

/** In milliseconds; 0 means no limit. */
export interface Timeouts {
  readonly connect: number;
  /** From the request to the first content of the response. Does not apply to calls for a plain body. */
  readonly firstToken: number;
  /** Between two parts of streamed content; pings and comments are not content. */
  readonly idle: number;
  /** The complete call. Defaults to no limit for a stream. */
  readonly total?: number;
  /** The complete call, if it is for a plain body. Defaults to `total`, else to `defaultPlainTotal`. */
  readonly plainTotal?: number;
}

export const defaultTimeouts: Timeouts = { connect: 10_000, firstToken: 120_000, idle: 90_000 };

/** The same as in the official SDKs, because a slow model is not a failure. */
export const defaultPlainTotal = 600_000;

/** Shorter limits if another target can be tried instead. */
const whenReplaceable = { firstToken: 20_000, idle: 30_000 };
const whenReasoning = { firstToken: 60_000, idle: 60_000 };

/** The default time-outs. `isReplaceable`: another target is tried if this one fails. */
export function usualTimeouts(request: ChatRequest, isReplaceable: boolean): Timeouts {
  if (!isReplaceable) return defaultTimeouts;
  return { ...defaultTimeouts, ...(asksForReasoning(request) ? whenReasoning : whenReplaceable) };
}

function asksForReasoning({ reasoning }: ChatRequest): boolean {
  return reasoning !== undefined && reasoning.effort !== 'none';
}

/** A plain body arrives all at once, so only the total time-out applies. */
export function plainTimeouts({ connect, total = defaultPlainTotal, plainTotal = total }: Timeouts): Timeouts {
  return { connect, firstToken: 0, idle: 0, total: plainTotal };
}
