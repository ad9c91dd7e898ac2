// Keys that share the account of a provider must not reach each other's objects there: files, batches, vector stores, …. The
// provider cannot tell the keys apart, so the gateway refuses every route and every field that names a stored object, unless
// the key is the only one that calls models or has the scope `account`.

import type { ServerState } from '../server-state.ts';
import type { CallExchange, Exchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import { findReference, isReferenceField } from './stored-reference.ts';

type Caller = Pick<CallExchange, 'key'>;
type Keys = Pick<ServerState, 'authentication'>;

export function sharesAccount({ key }: Caller, { authentication }: Keys): boolean {
  return key !== undefined && authentication.keys.sharesAccount(key);
}

/** Throws 403 for a body that names an object of the account. `verified`: members that the route checks itself. */
export function checkReferences(caller: Caller, state: Keys, body: unknown, verified?: readonly string[]): void {
  if (!sharesAccount(caller, state)) return;
  const field = findReference(body, verified);
  if (field !== undefined) refuseField(caller, field);
}

export function refuseField(caller: Caller, field: string): never {
  const shown = field.slice(0, 200);
  return refuseShared(caller, `${shown}: names an object`, shown);
}

/** Routes that store nothing at the provider and read nothing from there. */
const statelessRoutes: ReadonlySet<string> = new Set([
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/images/edits',
  '/v1/images/generations',
  '/v1/images/variations',
  '/v1/moderations',
  '/v1/rerank',
]);

/** Throws 403 for a forwarded route that stores or reads objects, and for a query that names one. */
export function checkForwardedRoute(exchange: Exchange, state: Keys): void {
  const { path, query, request } = exchange;
  if (!sharesAccount(exchange, state)) return;
  const isStateless = request.method === 'POST' && statelessRoutes.has(path);
  if (!isStateless) refuseShared(exchange, `${path.slice(0, 100)} uses objects`);
  const field = [...new URLSearchParams(query).keys()].find(isReferenceField);
  if (field !== undefined) refuseField(exchange, field);
}

function refuseShared({ key }: Caller, what: string, field?: string): never {
  const name = JSON.stringify(key?.name ?? '');
  const message = `${what} stored at the provider, whose account other keys share; give the key ${name} the scope "account" to allow it`;
  return throwHttpError(403, message, {
    kind: 'auth',
    ...(field === undefined ? {} : { field }),
    headers: { 'x-should-retry': 'false' },
  });
}
