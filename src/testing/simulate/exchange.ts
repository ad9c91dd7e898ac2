// Handles one request to a simulated API. It translates nothing itself: the wire decodes the request, the model responds,
// and the wire encodes the response.

import type { IncomingHttpHeaders } from 'node:http';

import { classifyFailure, type SimpleAgentsError } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { replacesResponse, type Fault } from '../model/fault.ts';
import type { SimulatedModel } from '../model/model.ts';
import { Pacer, wait, type StreamPace } from '../model/pace.ts';
import { estimateRequestTokens } from '../../core/token-estimate.ts';
import { versionHeader } from '../../wire/anthropic-messages/api-version.ts';
import { decodeCountRequest } from '../../wire/openai-responses/server-request.ts';
import { encodeCount } from '../../wire/openai-responses/server.ts';
import { encodeResponseBody } from '../../wire/response-body.ts';
import type { EncodeResponseOptions } from '../../wire/wire.ts';
import type { Conversations } from './conversations.ts';
import type { Dialect } from './dialect.ts';
import { streamFrames } from './frames.ts';
import type { OutgoingResponse } from './outgoing-response.ts';
import { throwApiError } from './api-error.ts';
import { inBackground, type StoredResponses } from './stored-responses.ts';
import { validateAnthropic } from './validate-anthropic.ts';

export interface SimulatedCall {
  readonly dialect: Dialect;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ReceivedBody;
  readonly query: URLSearchParams;
  /** The fault in the client's headers. */
  readonly fault: Fault;
  readonly signal: AbortSignal;
}

export interface ReceivedBody {
  readonly text: string;
  readonly isTooLarge: boolean;
}

export interface SimulatedExchangeOptions {
  readonly model: SimulatedModel;
  readonly pace: StreamPace;
  readonly requireKey: boolean;
  /** For APIs that store responses. */
  readonly responses: StoredResponses;
  readonly conversations: Conversations;
}

/** The response, and the faults to inject while it is sent. */
export interface SimulatedExchange {
  readonly response: OutgoingResponse;
  readonly fault: Fault;
}

/** Unix seconds. Always the same, so that the same request gets the same bytes. */
const created = 1735689600;

/** Handles a request to the model. Throws the errors of the API. */
export async function callModel(call: SimulatedCall, options: SimulatedExchangeOptions): Promise<SimulatedExchange> {
  const { dialect, signal } = call;
  // An error that the client's headers demand needs no valid request and uses no scripted reply.
  if (replacesResponse(call.fault)) return failedExchange(call.fault, dialect);
  const sent = admit(call, options);
  const { body, input, conversation } = dialect.isStateful
    ? resolveState(sent, options)
    : { body: sent, input: [], conversation: undefined };
  dialect.validate(body, call.headers);
  const { damage, omitUsage } = call.fault;
  const answer = options.model.respond(dialect.wire.decodeRequest(body), {
    origin: { wire: dialect.wire.name },
    ...(damage === undefined ? {} : { damage }),
    ...(omitUsage === undefined ? {} : { omitUsage }),
  });
  const fault = { ...answer.fault, ...call.fault };
  await wait((options.pace.firstTokenDelayMs ?? 0) + answer.delayMs, signal);
  if (replacesResponse(fault)) return failedExchange(fault, dialect);
  const isStream = isRecord(body) && body['stream'] === true;
  if (!isStream && fault.errorAfterEvents !== undefined) return failedExchange({ status: 529, ...fault }, dialect);
  const events = dialect.select?.(answer.events, body) ?? answer.events;
  if (dialect.isStateful && isRecord(body) && body['store'] !== false) {
    const response = encodePlain(events, dialect, sent);
    options.responses.put({ id: response['id'] as string, response, input });
    const added = input.slice(conversation?.items.length);
    conversation?.items.push(...added, ...(response['output'] as readonly JsonObject[]));
    if (body['background'] === true && !isStream) return { response: jsonResponse(200, inBackground(response)), fault };
  }
  const outgoing = isStream
    ? streamed(events, { call, body: sent, fault, pace: options.pace })
    : await plain(events, { dialect, body: sent, fault, pace: options.pace, signal });
  return { response: outgoing, fault };
}

/** The request with the items that the API stores, and the conversation that gets the new ones. */
function resolveState(sent: unknown, { responses, conversations }: SimulatedExchangeOptions) {
  const conversation = conversations.of(sent);
  if (conversation !== undefined && typeof (sent as JsonObject)['previous_response_id'] === 'string') {
    const message = "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.";
    return throwApiError(message, { field: 'conversation', code: 'mutually_exclusive_parameters' });
  }
  const { body, input } = responses.resolve(sent);
  if (conversation === undefined || !isRecord(body)) return { body, input, conversation };
  const all = [...conversation.items, ...input];
  return { body: { ...body, conversation: undefined, input: all }, input: all, conversation };
}

export function countTokens(call: SimulatedCall, options: SimulatedExchangeOptions): SimulatedExchange {
  if (replacesResponse(call.fault)) return failedExchange(call.fault, call.dialect);
  const body = admit(call, options);
  validateAnthropic(body, { counting: true, version: String(call.headers[versionHeader]) });
  // The wire requires `max_tokens`, which does not affect the count.
  const request = call.dialect.wire.decodeRequest({ ...(body as object), max_tokens: 1 });
  return { response: jsonResponse(200, { input_tokens: estimateRequestTokens(request) }), fault: call.fault };
}

export function countInputTokens(call: SimulatedCall, options: SimulatedExchangeOptions): SimulatedExchange {
  if (replacesResponse(call.fault)) return failedExchange(call.fault, call.dialect);
  const { body } = options.responses.resolve(admit(call, options));
  call.dialect.validate(body, call.headers);
  const tokens = estimateRequestTokens(decodeCountRequest(body));
  return { response: jsonResponse(200, encodeCount(tokens)), fault: call.fault };
}

/** `GET` and `DELETE` of a stored response. */
export function errorResponse(error: SimpleAgentsError, dialect: Dialect, fault: Fault = {}): OutgoingResponse {
  if (dialect.encodeFailure !== undefined) return dialect.encodeFailure(error, fault);
  const encoded = dialect.wire.encodeError(error);
  const status = error.status ?? encoded.status;
  const type = fault.errorType ?? dialect.errorTypes[status];
  const details = isRecord(encoded.body['error']) ? encoded.body['error'] : {};
  const body = {
    ...details,
    ...(type === undefined ? {} : { type }),
    ...('code' in details && error.code !== undefined ? { code: error.code } : {}),
  };
  const response = jsonResponse(status, { ...encoded.body, error: body });
  return fault.retryAfter === undefined ? response : { ...response, headers: { 'retry-after': fault.retryAfter } };
}

export function jsonResponse(status: number, body: unknown): OutgoingResponse {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

/** For a reset, `sendResponse` sends nothing of it. */
export function failedExchange(fault: Fault, dialect: Dialect): SimulatedExchange {
  const { status = 500, errorType, message = 'Simulated failure.' } = fault;
  const error = classifyFailure({ status, message, ...(errorType === undefined ? {} : { type: errorType }) });
  return { response: errorResponse(error, dialect, fault), fault };
}

/** Checks size, key and headers, and returns the parsed body. */
export function admit({ dialect, headers, body }: SimulatedCall, { requireKey }: SimulatedExchangeOptions): unknown {
  if (body.isTooLarge) return throwApiError('Request exceeds the maximum size', { status: 413 });
  if (requireKey) dialect.authenticate(headers, body.text);
  dialect.checkHeaders(headers);
  const parsed = parseBody(body.text, dialect);
  return dialect.toBody === undefined ? parsed : dialect.toBody(parsed);
}

function parseBody(text: string, { notJson }: Dialect): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return throwApiError(notJson);
  }
}

function encodeOptions({ wire, toId }: Dialect, events: readonly StreamEvent[], body: unknown): EncodeResponseOptions {
  const start = events.find((event) => event.type === 'message-start');
  const id = toId?.(start?.id ?? '');
  return { ...wire.encodeOptionsOf(body), created, ...(id === undefined ? {} : { identity: { of: () => id } }) };
}

interface Streaming {
  readonly call: SimulatedCall;
  readonly body: unknown;
  readonly fault: Fault;
  readonly pace: StreamPace;
}

function streamed(events: readonly StreamEvent[], { call, body, fault, pace }: Streaming): OutgoingResponse {
  const { dialect, signal } = call;
  const options = encodeOptions(dialect, events, body);
  const includeUsage = options.includeUsage === true && fault.omitUsage !== true;
  const encoder = dialect.wire.encodeStream({ ...options, includeUsage });
  const { framing, ping, hasTerminator } = dialect;
  const logprobs = dialect.logprobs?.(body);
  const frames = streamFrames(events, { encoder, fault, pace, signal, logprobs, hasTerminator });
  return {
    status: 200,
    contentType: framing?.mediaType ?? 'text/event-stream; charset=utf-8',
    body: framing === undefined ? frames : encodeFrames(frames, framing),
    ...(ping === undefined ? {} : { ping }),
  };
}

async function* encodeFrames(
  frames: AsyncIterable<string>,
  framing: NonNullable<Dialect['framing']>,
): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) yield framing.encode(frame);
}

interface Plain {
  readonly dialect: Dialect;
  readonly body: unknown;
  readonly fault: Fault;
  readonly pace: StreamPace;
  readonly signal: AbortSignal;
}

/** The complete response, after the time that streaming it would take. */
async function plain(
  events: readonly StreamEvent[],
  { dialect, body, fault, pace, signal }: Plain,
): Promise<OutgoingResponse> {
  const pacer = new Pacer(pace);
  await wait(
    events.reduce((sum, event) => sum + pacer.delayBefore(event), 0),
    signal,
  );
  const { usage, ...rest } = encodePlain(events, dialect, body);
  return jsonResponse(200, fault.omitUsage === true ? rest : { ...rest, usage });
}

function encodePlain(events: readonly StreamEvent[], dialect: Dialect, body: unknown): JsonObject {
  const encoded = encodeResponseBody(dialect.wire, events, encodeOptions(dialect, events, body));
  return dialect.logprobs?.(body)?.editBody(encoded, events) ?? encoded;
}
