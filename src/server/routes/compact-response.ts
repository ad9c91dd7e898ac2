// `POST /v1/responses/compact`: passes to a provider that speaks the Responses wire. No other can compact a conversation
// into items that it can read again.

import { unsupportedField } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { resolveConversation } from '../../wire/openai-responses/conversation.ts';
import { passBody } from '../../wire/openai-responses/pass-ids.ts';
import { openaiResponsesServer } from '../../wire/openai-responses/server.ts';
import { withOwnItems } from '../account/own-items.ts';
import type { Exchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import { forwardedJson, readForwarded } from '../responses/forwarded-body.ts';
import { createIdentity } from '../responses/signed-id.ts';
import { ownerOf, providerOf, responsesOf } from '../responses/response-owner.ts';
import type { ServerState } from '../server-state.ts';
import type { HttpRoute } from './http-route.ts';
import { findPrevious } from './responses.ts';

export const compactResponse: HttpRoute = {
  access: 'call',
  wire: openaiResponsesServer,
  method: 'POST',
  path: '/v1/responses/compact',
  verified: ['previous_response_id', 'input'],
  async handle(exchange, state) {
    const received = await exchange.readJson(state.settings);
    const responses = responsesOf(exchange, state);
    const body = withOwnItems(exchange, state, { body: received, name: 'input', responses });
    if (!isRecord(body)) return throwHttpError(400, 'the request body must be an object');
    const compacted = await compact(exchange, state, body);
    exchange.send(200, compacted, forwardedJson);
  },
};

async function compact(exchange: Exchange, state: ServerState, body: Record<string, unknown>): Promise<Uint8Array> {
  const { gateway, responseIds } = state;
  const { provider, model, sent } = findTarget(exchange, state, body);
  if (gateway.forward === undefined) return throwUnsupported();
  const route = { method: 'POST', path: '/v1/responses/compact', query: '', headers: {} } as const;
  const request = { ...route, provider, wire: exchange.wire.name };
  const response = await gateway.forward({ ...request, json: { ...sent, model } }, exchange.signal);
  const received = await readForwarded(response);
  const target = (): string => `${provider}/${model}`;
  return passBody(received, createIdentity(responseIds, { owner: ownerOf(exchange), target, isStored: false }));
}

/** A previous response that its provider stored is sent by the provider's id, else as its items. */
function findTarget(exchange: Exchange, state: ServerState, body: Record<string, unknown>) {
  const { model: name } = body;
  if (typeof name !== 'string' || name === '') return throwHttpError(400, 'model: is required', { field: 'model' });
  const { provider, model } = state.gateway.resolve?.(name) ?? throwUnsupported();
  if (provider.wire !== openaiResponsesServer.name) return throwUnsupported();
  const responses = responsesOf(exchange, state);
  const previous = findPrevious(exchange, state, { body, responses });
  const isThere = previous?.origin.upstreamId !== undefined && providerOf(previous.origin) === provider.name;
  const sent = isThere
    ? { ...body, 'previous_response_id': previous.origin.upstreamId }
    : (resolveConversation(body, responses).body as object);
  return { provider: provider.name, model, sent };
}

function throwUnsupported(): never {
  const message = 'compact: needs a model whose provider speaks openai-responses; send a shorter input';
  return throwHttpError(400, message, { field: 'compact', code: unsupportedField });
}
