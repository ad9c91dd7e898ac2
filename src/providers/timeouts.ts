// The time-outs of a call to a remote model, and their defaults.

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
