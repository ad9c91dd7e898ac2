// Which HTTP status an error gets, and whether a provider's own error response passes to a client of the same wire.
// Invariant: a provider's answer about the gateway's credential never passes, because the client cannot act on it.

import { errorTable, isForbidden, type SimpleAgentsError } from '../core/error.ts';
import type { JsonObject } from '../core/json.ts';

export interface EncodedError {
  readonly status: number;
  readonly body: JsonObject;
}

/** The provider's response, if the client speaks its wire. Its status, type, code and other members stay as they are. */
export function ownResponse(error: SimpleAgentsError, wire: string): EncodedError | undefined {
  const { kind, response } = error;
  if (response?.wire !== wire || (kind === 'auth' && !isForbidden(error))) return undefined;
  return { status: response.status ?? errorTable[kind].status, body: response.body };
}

export function statusOf(error: SimpleAgentsError): number {
  return isForbidden(error) ? 403 : errorTable[error.kind].status;
}
