// Whose responses a request may use, and which provider created one.

import type { CallExchange } from '../http/exchange.ts';
import type { ServerState } from '../server-state.ts';
import type { IdCheck, ResponseOrigin } from './signed-id.ts';
import type { OwnedResponses } from './response-store.ts';

/** Responses of a server without keys belong to one owner. */
export function ownerOf({ key }: Pick<CallExchange, 'key'>): string {
  return key?.hash ?? 'local';
}

export function responsesOf(exchange: CallExchange, { responses }: ServerState): OwnedResponses {
  return responses.of(ownerOf(exchange));
}

export function providerOf({ target }: ResponseOrigin): string {
  return target.split('/', 1)[0] ?? '';
}

/** Why an id of a client is not accepted; undefined if it is. */
export function refusalOf(state: ServerState, origin: IdCheck): string | undefined {
  if (origin === 'forged') return 'was not created by this gateway';
  if (origin === 'other-owner') return 'belongs to another key';
  return hasProvider(state, origin) ? undefined : `was created by ${origin.target}, which is no longer configured`;
}

/** Whether the provider that created the response is still configured. */
export function hasProvider({ gateway }: ServerState, origin: ResponseOrigin): boolean {
  return gateway.hasProvider?.(providerOf(origin)) ?? true;
}
