// Stored responses, below `/v1/responses/{id}`: retrieve as one document or as a stream, delete, cancel, and the items
// before a response. If the gateway has no copy, the provider is asked that stored the response: one in background mode,
// or one of another replica.

import { SimpleAgentsError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ForwardMethod, ForwardResponse } from '../../core/forward.ts';
import { toPathSegment } from '../../core/path-segment.ts';
import type { StoredResponse } from '../../wire/openai-responses/conversation.ts';
import { passBody } from '../../wire/openai-responses/pass-ids.ts';
import { replayFrames } from '../../wire/openai-responses/replay.ts';
import { openaiResponsesServer } from '../../wire/openai-responses/server.ts';
import type { ResponseIdentity } from '../../wire/wire.ts';
import { EventSender } from '../http/event-sender.ts';
import type { Exchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import { toPassedQuery } from '../http/passed-query.ts';
import { forwardedJson, readForwarded, toAttachment } from '../responses/forwarded-body.ts';
import { hasProvider, ownerOf, providerOf, refusalOf, responsesOf } from '../responses/response-owner.ts';
import { createIdentity, type ResponseOrigin } from '../responses/signed-id.ts';
import type { ServerState } from '../server-state.ts';
import type { HttpRoute } from './http-route.ts';

const below = '/v1/responses/';
const common = { access: 'call', wire: openaiResponsesServer, path: below } as const;

const retrieve: HttpRoute = {
  ...common,
  method: 'GET',
  handle(exchange, state) {
    const request = readRequest(exchange, state, ['', 'input_items']);
    const { stored, part } = request;
    if (part === '' && isStream(exchange)) return sendStream(exchange, state, request);
    if (stored === undefined) return forward(exchange, state, request);
    return part === '' ? exchange.sendJson(200, stored.response) : sendInputItems(exchange, stored);
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
      await removeUpstream(exchange, state, request).catch((error: unknown) => {
        if (!isDeleted || !isNotFound(error)) throw error;
      });
    } else if (!isDeleted) throwNotFound(id);
    exchange.sendJson(200, { id, object: 'response', deleted: true });
  },
};

/** Its body is read, so that the connection can be used again. */
async function removeUpstream(exchange: Exchange, state: ServerState, request: StoredRequest): Promise<void> {
  await readForwarded(await askUpstream(exchange, state, request));
}

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
  if (typeof origin === 'string') return throwNotFound(id, refusalOf(state, origin));
  return { id, part, origin, stored: responsesOf(exchange, state).get(id) };
}

function isStream({ query }: Exchange): boolean {
  return new URLSearchParams(query).get('stream') === 'true';
}

/** Sends our copy as a stream. Only the provider knows the numbers of the first stream. */
function sendStream(exchange: Exchange, state: ServerState, request: StoredRequest): Promise<void> {
  const { stored, origin } = request;
  const isResumed = new URLSearchParams(exchange.query).has('starting_after');
  if (stored !== undefined && !isResumed) return sendFrames(exchange, state, replayFrames(stored.response));
  if (stored !== undefined && origin.upstreamId === undefined) {
    const message = 'starting_after: a stored response is streamed from its start; leave it out';
    return throwHttpError(400, message, { field: 'starting_after' });
  }
  return forward(exchange, state, request);
}

async function sendFrames(
  exchange: Exchange,
  { keepAlive }: ServerState,
  frames: Iterable<string> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const sender = new EventSender(exchange);
  keepAlive.add(sender);
  try {
    for await (const frame of frames) {
      if (exchange.response.destroyed) return;
      if (typeof frame === 'string') sender.write(frame);
      else sender.writeBytes(frame);
      if (sender.isFull) await sender.drained();
    }
    sender.end();
  } finally {
    keepAlive.delete(sender);
  }
}

/** Passes what the provider sends: a document, or a stream if the client asked for one. */
async function forward(exchange: Exchange, state: ServerState, request: StoredRequest): Promise<void> {
  const response = await askUpstream(exchange, state, request);
  const identity = identityOf(exchange, state, request);
  if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
    exchange.headers['content-disposition'] = toAttachment();
    return sendFrames(exchange, state, passFrames(response, identity));
  }
  const body = await readForwarded(response);
  const passed = request.part === 'input_items' ? body : passBody(body, identity);
  return exchange.send(200, passed, forwardedJson);
}

async function* passFrames({ body }: ForwardResponse, identity: ResponseIdentity): AsyncGenerator<Uint8Array> {
  const passer = openaiResponsesServer.passStream({ identity });
  for await (const chunk of body) yield passer.push(chunk);
  yield passer.end();
}

/** The response keeps its id. The one before it gets an id of ours. */
function identityOf(exchange: Exchange, state: ServerState, { id, origin }: StoredRequest): ResponseIdentity {
  const { target, upstreamId } = origin;
  const options = { owner: ownerOf(exchange), target: () => target, isStored: true };
  const responses = createIdentity(state.responseIds, options);
  const conversations = createIdentity(state.conversationIds, options);
  return {
    of: (own) => (own === upstreamId ? id : responses.of(own)),
    conversation: (own) => conversations.of(own),
  };
}

async function askUpstream(exchange: Exchange, state: ServerState, request: StoredRequest): Promise<ForwardResponse> {
  const { id, part, origin } = request;
  const { gateway } = state;
  if (origin.upstreamId === undefined || gateway.forward === undefined) return throwNotFound(id);
  const refusal = refusalOf(state, origin);
  if (refusal !== undefined) return throwNotFound(id, refusal);
  const path = [below + toPathSegment(origin.upstreamId, 'response_id'), ...(part === '' ? [] : [part])].join('/');
  const target = {
    wire: exchange.wire.name,
    provider: providerOf(origin),
    method: methodOf(exchange),
    path,
    headers: {},
  };
  return gateway.forward({ ...target, query: toPassedQuery(exchange.query) }, exchange.signal);
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
