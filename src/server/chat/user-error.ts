// The error messages that a chat user sees. They say what the user can do and reveal nothing about the server. The log has
// the real error.

import type { TurnEnd, TurnEndReason } from '../../agent/event.ts';
import type { ErrorKind } from '../../core/error.ts';

const afterTools = 'Failed to process tool results. Please try again.';
const unavailable = 'The assistant is not available right now. Please try again.';
const notSetUp = 'The assistant is not set up correctly. Please contact the administrator.';

const byKind: Partial<Record<ErrorKind, string>> = {
  'rate-limit': 'The assistant is busy right now. Please try again in a moment.',
  'overloaded': 'The assistant is busy right now. Please try again in a moment.',
  'timeout': 'The assistant took too long to answer. Please try again.',
  'context-overflow': 'This conversation has become too long. Please start a new one.',
  'auth': notSetUp,
  'configuration': notSetUp,
  'not-found': notSetUp,
  'quota': notSetUp,
};

const byReason: Partial<Record<TurnEndReason, string>> = {
  'length': 'The answer was too long and could not be finished.',
  'continuation-cap': 'The answer was too long and ends here.',
  'iteration-limit': 'This took too many steps. Please ask for less at once.',
  'cost-limit': 'This took too many steps. Please ask for less at once.',
  'refusal': 'The assistant will not answer this. Please ask something else.',
  'cancelled': 'The server is restarting. Please try again in a moment.',
};

/** Returns undefined when the turn ended normally. */
export function userErrorFor({ reason, error, iterations }: Pick<TurnEnd, 'reason' | 'error' | 'iterations'>) {
  if (reason !== 'error') return byReason[reason];
  if (iterations > 0) return afterTools;
  return (error && byKind[error.kind]) ?? unavailable;
}
