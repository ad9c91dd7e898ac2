// `/v1/conversations`: passes to the provider that stores the conversation, one that speaks the Responses wire. Clients get
// signed ids that carry the provider and the key. In a response, only the id of the conversation is replaced.

import { forwardMethods, type ForwardMethod, type ForwardRequest } from '../../core/forward.ts';
import { isRecord } from '../../core/json.ts';
import { recodePathSegment, toPathSegment } from '../../core/path-segment.ts';
import { providerHeader } from '../../gateway/routing/forward-target.ts';
import { replaceMember } from '../../wire/openai-responses/pass-ids.ts';
import { conversationIdOf } from '../../wire/openai-responses/response-object.ts';
import { openaiResponsesServer } from '../../wire/openai-responses/server.ts';
import { withOwnItems } from '../account/own-items.ts';
import type { CallExchange, Exchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import { toPassedQuery } from '../http/passed-query.ts';
import { forwardedJson, readForwarded } from '../responses/forwarded-body.ts';
import { ownerOf, providerOf, refusalOf, responsesOf } from '../responses/response-owner.ts';
import type { ServerState } from '../server-state.ts';
import type { HttpRoute } from './http-route.ts';

const path = '/v1/conversations';
const common = { access: 'call', wire: openaiResponsesServer, verified: ['items'] } as const;

const create: HttpRoute = {
  ...common,
  method: 'POST',
  path,
  async handle(exchange, state) {
    const provider = exchange.request.headers[providerHeader];
    const named = typeof provider === 'string' ? { provider } : {};
    const { body, target } = await ask(exchange, state, { path, ...named });
    const toId = (own: string): string => state.conversationIds.create(ownerOf(exchange), { target, upstreamId: own });
    send(exchange, body, toId);
  },
};

const methods = forwardMethods.map((method): HttpRoute => ({ ...common, method, path: `${path}/`, handle: passOne }));

export const conversationRoutes: readonly HttpRoute[] = [create, ...methods];

/** Everything below `/v1/conversations/{id}`: the conversation, its items, or one of them. */
async function passOne(exchange: Exchange, state: ServerState): Promise<void> {
  const [id = '', part, itemId, ...more] = exchange.path.slice(path.length + 1).split('/');
  if ((part !== undefined && part !== 'items') || more.length > 0) {
    const message = `unknown route: ${exchange.request.method} ${exchange.path.slice(0, 100)}`;
    return throwHttpError(404, message, { kind: 'not-found', code: 'not_found' });
  }
  const refuse = (reason: string): never =>
    throwHttpError(404, `the conversation '${id.slice(0, 100)}' ${reason}`, { kind: 'not-found', code: 'not_found' });
  const { provider, upstreamId } = checkConversation(exchange, state, { id, refuse });
  const item = itemId === undefined ? [] : [recodePathSegment(itemId, 'item_id')];
  const below = [toPathSegment(upstreamId, 'conversation'), ...(part === undefined ? [] : [part]), ...item];
  const { body } = await ask(exchange, state, { provider, path: [path, ...below].join('/') });
  return send(exchange, body, (own) => (own === upstreamId ? id : own));
}

interface ConversationCheck {
  readonly id: string;
  readonly refuse: (reason: string) => never;
}

export interface OwnConversation {
  /** The id that the client sent. */
  readonly id: string;
  readonly provider: string;
  readonly upstreamId: string;
}

function checkConversation(
  exchange: CallExchange,
  state: ServerState,
  { id, refuse }: ConversationCheck,
): OwnConversation {
  const origin = state.conversationIds.check(ownerOf(exchange), id);
  const refusal = refusalOf(state, origin);
  if (refusal !== undefined || typeof origin === 'string') return refuse(refusal ?? '');
  return { id, provider: providerOf(origin), upstreamId: origin.upstreamId ?? '' };
}

/** The conversation that a request for a response names. Throws 400 for one that the client may not use. */
export function findConversation(
  exchange: CallExchange,
  state: ServerState,
  body: unknown,
): OwnConversation | undefined {
  const id = isRecord(body) ? conversationIdOf(body) : undefined;
  if (id === undefined) return undefined;
  const refuse = (reason: string): never =>
    throwHttpError(400, `conversation: '${id.slice(0, 100)}' ${reason}`, { field: 'conversation' });
  return checkConversation(exchange, state, { id, refuse });
}

interface Answer {
  readonly body: string;
  /** The provider. */
  readonly target: string;
}

async function ask(
  exchange: Exchange,
  state: ServerState,
  request: Pick<ForwardRequest, 'path' | 'provider'>,
): Promise<Answer> {
  const { gateway } = state;
  const method = exchange.request.method as ForwardMethod;
  const json = method === 'POST' ? await readOwn(exchange, state) : undefined;
  if (json !== undefined && !isRecord(json)) return throwHttpError(400, 'the request body must be an object');
  if (gateway.forward === undefined) {
    return throwHttpError(404, `no provider has ${path}`, { kind: 'not-found', code: 'not_found' });
  }
  const query = toPassedQuery(exchange.query);
  const sent = {
    ...request,
    wire: exchange.wire.name,
    preferred: state.settings.forwardProviders,
    method,
    query,
    headers: {},
    ...(json === undefined ? {} : { json }),
  };
  const response = await gateway.forward(sent, exchange.signal);
  return { body: Buffer.from(await readForwarded(response)).toString(), target: response.target };
}

async function readOwn(exchange: Exchange, state: ServerState): Promise<unknown> {
  const body = await exchange.readJson(state.settings);
  return withOwnItems(exchange, state, { body, name: 'items', responses: responsesOf(exchange, state) });
}

function send(exchange: Exchange, body: string, toId: (own: string) => string): void {
  exchange.send(200, replaceMember(body, { name: 'id', at: 0 }, toId), forwardedJson);
}
