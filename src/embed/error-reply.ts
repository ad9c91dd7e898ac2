// Errors as replies for the caller. Cancellation has a kind of its own, because it is not an error of the library.

import { errorTable, SimpleAgentsError, toError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { HealError } from '../heal/index.ts';
import type { ErrorReply } from './protocol.ts';

export function toErrorReply(thrown: unknown, signal?: AbortSignal): ErrorReply {
  if (signal?.aborted === true && thrown === signal.reason) {
    return { kind: 'aborted', message: 'The call was cancelled.', retryable: false };
  }
  if (thrown instanceof HealError) return toHealReply(thrown);
  const error = toError(thrown);
  const { kind, message, status, retryAfterMs, target, field, code, requestId } = error;
  const { text, value, flags, confidence } = error;
  const healing = { text, value, flags, confidence };
  const { retryable } = errorTable[kind];
  return omitUndefined({ kind, message, retryable, status, retryAfterMs, target, field, code, requestId, ...healing });
}

/** `code` tells why: `invalid-schema`, `no-match`, … A wrong schema or option is the caller's mistake. */
function toHealReply({ kind: code, message, value, flags, confidence }: HealError): ErrorReply {
  const isMistake = code === 'invalid-schema' || code === 'schema-too-complex';
  const kind = isMistake ? 'bad-request' : 'healing';
  return omitUndefined({ kind, code, message, retryable: false, value, flags, confidence });
}

/** For calls that do not have the right form. */
export function badCall(message: string): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', message);
}
