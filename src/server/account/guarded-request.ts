// What a forwarded request needs beyond its route and its JSON, when several keys call models: a guarded upload, and an
// idempotency key that no other gateway key can have.

import { createHmac } from 'node:crypto';

import type { CallExchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { ServerState } from '../server-state.ts';
import { boundaryOf, guardForm } from './form-guard.ts';
import { refuseField, sharesAccount } from './shared-account.ts';

/** Throws 415 for a type whose fields cannot be checked. */
export function guardUpload(
  exchange: CallExchange,
  state: Pick<ServerState, 'authentication'>,
  upload: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  if (!sharesAccount(exchange, state)) return upload;
  const boundary = boundaryOf(exchange.request.headers['content-type']);
  if (boundary === undefined) {
    return throwHttpError(415, 'send the body as application/json, or as multipart/form-data with a boundary only', {
      close: true,
    });
  }
  return guardForm(upload, boundary, (field) => refuseField(exchange, field));
}

const idempotency = 'idempotency-key';

/**
 * The headers with the client's idempotency key made one of its gateway key, because the provider would answer two gateway
 * keys that send the same value with one response. The result is the same on every replica.
 */
export function toOwnIdempotency(
  { key }: Pick<CallExchange, 'key'>,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const value = headers[idempotency];
  if (key === undefined || value === undefined) return headers;
  const own = createHmac('sha256', key.hash.toLowerCase()).update(value).digest('hex');
  return { ...headers, [idempotency]: own };
}
