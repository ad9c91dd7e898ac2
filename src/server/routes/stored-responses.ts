// Stored responses, below `/v1/responses/{id}`: retrieve, delete, cancel, and the items before a response. If the gateway
// has no copy, the provider is asked that stored the response: one in background mode, or one of another replica.

import { SimpleAgentsError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ForwardMethod } from '../../core/forward.ts';
import type { StoredResponse } from '../../wire/openai-responses/conversation.ts';
import { passBody } from '../../wire/openai-responses/pass-ids.ts';
import { openaiResponsesServer } from '../../wire/openai-responses/server.ts';
import type { Exchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import { readForwarded } from '../responses/forwarded-body.ts';
import { hasProvider, ownerOf, providerOf, responsesOf } from '../responses/response-owner.ts';
import type { ResponseOrigin } from '../responses/response-id.ts';
import type { ServerState } from '../server-state.ts';
import type { HttpRoute } from './http-route.ts';

const below = '/v1/responses/';
const common = { access: 'call', wire: openaiResponsesServer, path: below } as const;

const retrieve: HttpRoute = {
  ...common,
  method: 'GET',
  handle(exchange, state) {
    const request = readRequest(exchange, state, ['', 'input_items']);
    checkStream(exchange);
    if (request.stored === undefined) return forward(exchange, state, request);
    return request.part === ''
      ? exchange.sendJson(200, request.stored.response)
      : sendInputItems(exchange, request.stored);
  },
};

/** Deletes the copy of the gateway and that of the provider. */
const remove: HttpRoute = {
  ...common,
  method: 'DELETE',
  async handle(exchange, state) {
    const request = readRequest(exchange, state, ['']);
    const { id, origin } = request;
    const isDeleted = responsesOf(exchange, state).delete(id);
    if (origin.upstreamId !== undefined && hasProvider(state, origin)) {
      await callUpstream(exchange, state, request).catch((error: unknown) => {
        if (!isDeleted || !isNotFound(error)) throw error;
      });
    } else if (!isDeleted) throwNotFound(id);
    exchange.sendJson(200, { id, object: 'response', deleted: true });
  },
};

const cancel: HttpRoute = {
  ...common,
  method: 'POST',
  handle(exchange, state) {
    const request = readRequest(exchange, state, ['cancel']);
    if (request.stored === undefined) return forward(exchange, state, request);
    return throwHttpError(400, 'Cannot cancel a synchronous response.', { field: 'background' });
  },
};

export const storedResponseRoutes: readonly HttpRoute[] = [retrieve, remove, cancel];

interface StoredRequest {
  readonly id: string;
  /** The segment after the id. */
  readonly part: string;
  readonly origin: ResponseOrigin;
  readonly stored: StoredResponse | undefined;
}

/** Throws 404 for an unknown route, an id that we did not create, and an id that another key got. */
function readRequest(exchange: Exchange, state: ServerState, parts: readonly string[]): StoredRequest {
  const [id = '', part = '', ...more] = exchange.path.slice(below.length).split('/');
  if (more.length > 0 || !parts.includes(part)) return throwUnknown(exchange);
  const origin = state.responseIds.check(ownerOf(exchange), id);
  if (origin === 'forged') return throwNotFound(id, 'was not created by this gateway');
  if (origin === 'other-owner') return throwNotFound(id, 'belongs to another key');
  return { id, part, origin, stored: responsesOf(exchange, state).get(id) };
}

function checkStream({ query }: Exchange): void {
  if (new URLSearchParams(query).get('stream') !== 'true') return;
  throwHttpError(400, 'stream: a stored response is sent as one JSON document', { field: 'stream' });
}

async function forward(exchange: Exchange, state: ServerState, request: StoredRequest): Promise<void> {
  const { id, origin } = request;
  const body = await callUpstream(exchange, state, request);
  const identity = {
    of: (own = '') =>
      own === origin.upstreamId
        ? id
        : state.responseIds.create(ownerOf(exchange), { target: origin.target, upstreamId: own }),
  };
  const passed = request.part === 'input_items' ? body : passBody(body, identity);
  exchange.send(200, passed, { 'content-type': 'application/json' });
}

async function callUpstream(exchange: Exchange, state: ServerState, request: StoredRequest): Promise<Uint8Array> {
  const { id, part, origin } = request;
  const { gateway } = state;
  if (origin.upstreamId === undefined || gateway.forward === undefined) return throwNotFound(id);
  if (!hasProvider(state, origin)) {
    return throwNotFound(id, `was created by ${origin.target}, which is no longer configured`);
  }
  const path = [below + encodeURIComponent(origin.upstreamId), ...(part === '' ? [] : [part])].join('/');
  const target = { provider: providerOf(origin), method: methodOf(exchange), path, headers: {} };
  return readForwarded(await gateway.forward({ ...target, query: exchange.query.replace(/^\?/, '') }, exchange.signal));
}

function methodOf({ request: { method } }: Exchange): ForwardMethod {
  return method === 'POST' || method === 'DELETE' ? method : 'GET';
}

function isNotFound(error: unknown): boolean {
  return error instanceof SimpleAgentsError && error.kind === 'not-found';
}

/** The start of a response's id identifies it. */
const shortLength = 29;

const usualPage = 20;
const largestPage = 100;

function sendInputItems(exchange: Exchange, { id: responseId, input }: StoredResponse): void {
  const query = new URLSearchParams(exchange.query);
  const limit = Number(query.get('limit') ?? usualPage);
  if (!Number.isInteger(limit) || limit < 1 || limit > largestPage) {
    return throwHttpError(400, `limit: must be an integer from 1 to ${largestPage}`, { field: 'limit' });
  }
  const named = input.map((item, index): JsonObject => ({
    id: `item_${responseId.slice('resp_'.length, shortLength)}_${index}`,
    ...item,
  }));
  const ordered = query.get('order') === 'asc' ? named : named.toReversed();
  const after = query.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(start, start + limit);
  exchange.sendJson(200, {
    object: 'list',
    data,
    'first_id': data[0]?.['id'] ?? null,
    'last_id': data.at(-1)?.['id'] ?? null,
    'has_more': start + limit < ordered.length,
  });
}

function throwNotFound(id: string, reason = 'was not found'): never {
  const details = { kind: 'not-found', code: 'not_found' } as const;
  return throwHttpError(404, `the response '${id.slice(0, 100)}' ${reason}`, details);
}

function throwUnknown({ request, path: requested }: Exchange): never {
  const details = { kind: 'not-found', code: 'not_found' } as const;
  return throwHttpError(404, `unknown route: ${request.method} ${requested.slice(0, 100)}`, details);
}
