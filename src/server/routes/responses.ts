// The Responses wire of OpenAI: `POST /v1/responses`, streaming or not, and the token count of a request.
// `stored-responses.ts` has the routes below `/v1/responses/{id}`.

import { SimpleAgentsError, unsupportedField } from '../../core/error.ts';
import type { ProviderPin } from '../../core/call.ts';
import { isRecord, omitUndefined, type JsonObject } from '../../core/json.ts';
import {
  resolveConversation,
  type ResponseLookup,
  type StoredResponse,
} from '../../wire/openai-responses/conversation.ts';
import { FinalResponse, finishedBody } from '../../wire/openai-responses/final-response.ts';
import { decodeCountRequest } from '../../wire/openai-responses/server-request.ts';
import { encodeCount, openaiResponsesServer } from '../../wire/openai-responses/server.ts';
import { withOwnItems } from '../account/own-items.ts';
import type { CallExchange } from '../http/exchange.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { ConnectionMemory } from '../responses/connection-memory.ts';
import { ownerOf, providerOf, refusalOf, responsesOf } from '../responses/response-owner.ts';
import { createIdentity, type ResponseOrigin } from '../responses/signed-id.ts';
import type { ServerState } from '../server-state.ts';
import { findConversation, type OwnConversation } from './conversations.ts';
import { countPrompt } from './count-tokens.ts';
import type { HttpRoute } from './http-route.ts';
import { beginModelCall, type ModelCallBegin } from './model-call.ts';

const path = '/v1/responses';
const common = {
  access: 'call',
  wire: openaiResponsesServer,
  verified: ['previous_response_id', 'conversation', 'input'],
} as const;

export const createResponse: HttpRoute = {
  ...common,
  method: 'POST',
  path,
  /** Not an async function: its frame would keep the request in memory for as long as the stream lasts. */
  handle: (exchange, state) => exchange.readJson(state.settings).then((body) => beginResponse(exchange, state, body)),
};

/** `memory`: the responses of the connection, which a client may continue although they are not stored. */
export function beginResponse(
  exchange: CallExchange,
  state: ServerState,
  received: unknown,
  memory?: ConnectionMemory,
): Promise<void> {
  const responses = memory ?? responsesOf(exchange, state);
  const body = withOwnItems(exchange, state, { body: received, name: 'input', responses });
  const conversation = findConversation(exchange, state, body);
  const previous = findPrevious(exchange, state, { body, responses });
  const call = (begin: ResponseCall): Promise<void> => callModel(exchange, state, { ...begin, memory });
  if (conversation !== undefined) return call(continueConversation(body, conversation, previous));
  const ownCall = (): Promise<void> => call(continueHere(body, previous, responses));
  if (previous?.origin.upstreamId === undefined) return ownCall();
  const calling = call(continueUpstream(body, previous, responses));
  // Nothing has been sent yet, so the call can be made again with our copy of the conversation.
  return calling.catch((error: unknown) => {
    if (previous.stored === undefined || !mayContinueHere(error)) throw error;
    return ownCall();
  });
}

interface ResponseCall {
  readonly body: unknown;
  /** The conversation before the response; undefined if it is not stored here. */
  readonly input: readonly JsonObject[] | undefined;
  readonly previousId?: string | undefined;
  readonly conversationId?: string;
  readonly pin?: ProviderPin;
  readonly memory?: ConnectionMemory | undefined;
}

function callModel(exchange: CallExchange, state: ServerState, call: ResponseCall): Promise<void> {
  const { body, input, previousId, conversationId, pin, memory } = call;
  const isStored = isRecord(body) && body['store'] !== false;
  const responses = responsesOf(exchange, state);
  const store = (response: JsonObject): void => {
    const stored = { id: idOf(response), response, input: input ?? [] };
    if (isStored) responses.put(stored);
    else memory?.remember(stored);
  };
  const isKept = input !== undefined && (isStored || memory !== undefined);
  const onSend = isKept ? watch(store, isRecord(body) && body['stream'] === true) : undefined;
  const identify: ModelCallBegin['identify'] = (target) =>
    createIdentity(state.responseIds, { owner: ownerOf(exchange), target, isStored, previousId, conversation });
  const conversation = conversationId === undefined ? undefined : () => conversationId;
  const named = conversationId === undefined ? {} : { conversation: { id: conversationId } };
  const echo = { 'previous_response_id': previousId ?? null, ...named };
  // The same request means something else later in a conversation that its provider keeps.
  const cache = conversationId === undefined ? undefined : 'off';
  return beginModelCall(exchange, state, { body, ...omitUndefined({ echo, identify, onSend, pin, cache } as const) });
}

function idOf({ id }: JsonObject): string {
  return typeof id === 'string' ? id : '';
}

/** Calls `store` with the finished response, when it is sent. */
function watch(store: (response: JsonObject) => void, isStream: boolean): ModelCallBegin['onSend'] {
  if (!isStream) {
    return (body) => {
      const response = finishedBody(body);
      if (response !== undefined) store(response);
    };
  }
  const final = new FinalResponse();
  return (part) => {
    final.push(part);
    if (final.response !== undefined) store(final.response);
    final.response = undefined;
  };
}

/** Sends the items of the conversation. Any provider can read them, but only their own can read its reasoning. */
function continueHere(body: unknown, previous: PreviousResponse | undefined, responses: ResponseLookup): ResponseCall {
  if (previous === undefined) return resolveConversation(body, responses);
  const { id: previousId, origin, stored } = previous;
  if (stored === undefined)
    return throwPrevious(`${quoted(previousId)} not found; the gateway stores responses for one hour`);
  const pin = { provider: providerOf(origin), isOnly: false };
  return { ...resolveConversation(body, responses), previousId, pin };
}

/** Sends the id that the provider knows. */
function continueUpstream(body: unknown, previous: PreviousResponse, responses: ResponseLookup): ResponseCall {
  const { id: previousId, origin, stored } = previous;
  const { input } = stored === undefined ? {} : resolveConversation(body, responses);
  const pin = { provider: providerOf(origin), isOnly: true };
  const named = { ...(body as object), 'previous_response_id': origin.upstreamId };
  return { body: named, input, previousId, pin };
}

/** Only its provider knows the items of a conversation, so the response is not stored here. */
function continueConversation(
  body: unknown,
  { id: conversationId, provider, upstreamId }: OwnConversation,
  previous: PreviousResponse | undefined,
): ResponseCall {
  if (previous !== undefined) {
    const message = 'conversation: cannot be combined with previous_response_id; send one of them';
    return throwHttpError(400, message, { field: 'conversation' });
  }
  const named = { ...(body as object), conversation: upstreamId };
  return { body: named, input: undefined, conversationId, pin: { provider, isOnly: true } };
}

function mayContinueHere(error: unknown): boolean {
  if (!(error instanceof SimpleAgentsError)) return false;
  if (error.retryable || error.kind === 'not-found') return true;
  return error.code === unsupportedField || error.code === previousNotFound;
}

interface PreviousResponse {
  readonly id: string;
  readonly origin: ResponseOrigin;
  /** Undefined if it is no longer, or never was, stored here. */
  readonly stored: StoredResponse | undefined;
}

const previousNotFound = 'previous_response_not_found';

interface PreviousLookup {
  readonly body: unknown;
  readonly responses: ResponseLookup;
}

export function findPrevious(
  exchange: CallExchange,
  state: ServerState,
  { body, responses }: PreviousLookup,
): PreviousResponse | undefined {
  const id = isRecord(body) ? body['previous_response_id'] : undefined;
  if (typeof id !== 'string') return undefined;
  const origin = state.responseIds.check(ownerOf(exchange), id);
  const refusal = refusalOf(state, origin);
  if (refusal !== undefined || typeof origin === 'string') return throwPrevious(`${quoted(id)} ${refusal}`);
  return { id, origin, stored: responses.get(id) };
}

function quoted(id: string): string {
  return `previous_response_id: the response '${id.slice(0, 100)}'`;
}

function throwPrevious(message: string): never {
  return throwHttpError(400, message, { field: 'previous_response_id', code: previousNotFound });
}

/** Counted by the provider that would be called, if it can; else an estimate, as a response header says. */
export const countInputTokens: HttpRoute = {
  ...common,
  method: 'POST',
  path: `${path}/input_tokens`,
  async handle(exchange, state) {
    const received = await exchange.readJson(state.settings);
    const responses = responsesOf(exchange, state);
    const body = withOwnItems(exchange, state, { body: received, name: 'input', responses });
    if (findConversation(exchange, state, body) !== undefined) {
      throwHttpError(400, 'conversation: only its provider has its items; send them as input', {
        field: 'conversation',
      });
    }
    const previous = findPrevious(exchange, state, { body, responses });
    const request = decodeCountRequest(continueHere(body, previous, responses).body);
    const { tokens, headers } = await countPrompt(request, exchange, state);
    exchange.sendJson(200, encodeCount(tokens), headers);
  },
};
