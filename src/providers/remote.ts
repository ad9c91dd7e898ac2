// A provider over HTTP, made from a wire, a base URL and a transport. It encodes a request, sends it and waits for the
// first content. It never retries, except once when a cloud credential was replaced, and it knows no vendor: differences
// between vendors are data (`quirks`).

import type { CallContext } from '../core/call.ts';
import { SimpleAgentsError, unsupportedField } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import { omitUndefined } from '../core/json.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest, ClientFormat } from '../core/request.ts';
import { sharedMacrotask } from '../core/macrotask.ts';
import type { Unsupported } from '../wire/unsupported.ts';
import type { DecodeOptions, EncodedRequest, EncodeOptions, Quirks, StreamFraming, WireClient } from '../wire/wire.ts';
import { versionHeaders } from './api-version.ts';
import { BodyTurns } from './body-turns.ts';
import { readWhole } from './body.ts';
import { RemoteCall } from './remote-call.ts';
import { attribute, parseBody, requestIdOf, toStatusError, toWrongFormat } from './remote-error.ts';
import { routeUrl, toRemoteAccess, type AccessOptions } from './remote-access.ts';
import { sendSigned } from './signed-request.ts';
import { openRemoteStream } from './remote-stream.ts';
import { plainTimeouts, usualTimeouts, type Timeouts } from './timeouts.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { concludeEvents, lazyBufferedStream, bufferedStream, type LazyBody } from './buffered-stream.ts';

export { createFetchTransport } from '../transport/fetch.ts';
export type { ProxySettings } from '../transport/proxy.ts';
export type { Transport } from '../transport/transport.ts';
export type { NetworkSettings } from '../transport/undici.ts';
export type { Timeouts } from './timeouts.ts';

export interface RemoteOptions extends AccessOptions {
  readonly wire: WireClient;
  /** The versions of the API that clients may choose, the oldest first. */
  readonly versions?: readonly string[];
  readonly quirks?: Quirks;
  readonly timeouts?: Partial<Timeouts>;
  readonly transport: Transport;
}

const utf8 = new TextDecoder();
const eventStream = 'text/event-stream';

export function createRemoteProvider(options: RemoteOptions): Provider {
  return new RemoteProvider(options);
}

class RemoteProvider implements Provider {
  readonly name: string;
  readonly #options: RemoteOptions;
  readonly #url: string;
  readonly #plainHeaders: Readonly<Record<string, string>>;
  readonly #streamHeaders: Readonly<Record<string, string>>;
  readonly #secrets: readonly string[];
  readonly #encodeOptions: EncodeOptions;

  constructor(options: RemoteOptions) {
    this.name = options.name;
    this.#options = options;
    const { url, headers, secrets } = toRemoteAccess(options, options.wire.path, 'application/json');
    this.#plainHeaders = { accept: 'application/json', ...headers };
    // Compression would delay events, because a compressor buffers its input.
    const accept = `${options.wire.framing?.mediaType ?? eventStream}, application/json`;
    const identity = { accept, 'accept-encoding': 'identity' };
    this.#streamHeaders = { ...identity, ...headers };
    this.#secrets = secrets;
    this.#url = url;
    this.#encodeOptions = omitUndefined({ provider: this.name, quirks: options.quirks } as EncodeOptions);
  }

  async open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    signal.throwIfAborted();
    const timeouts = this.#timeoutsFor(request, context);
    const isGathered = request.stream === false && this.#options.transport.prefersStreams === true;
    if (!isGathered) return this.#send(request, signal, { timeouts, context });
    // The transport may not wait long enough for a plain body, so the response is streamed and buffered.
    return bufferStream(await this.#send({ ...request, stream: true }, signal, { timeouts, context }), signal);
  }

  async #send(request: ChatRequest, signal: AbortSignal, { timeouts, context }: SendOptions): Promise<ModelStream> {
    await context?.pace?.();
    signal.throwIfAborted();
    const encoded = this.#encode(request, context);
    await context?.pace?.();
    const { losses } = encoded;
    const call = new RemoteCall(signal, this.name, timeouts);
    let requestId: string | undefined;
    const secrets = [...this.#secrets];
    const explain = (error: unknown) =>
      call.aborted ? signal.reason : attribute(error, { target: this.name, requestId, secrets });
    try {
      const isStream = request.stream !== false;
      const sent = this.#toTransport(encoded, isStream, { client: request.client, context });
      // Sending copies the text.
      await context?.pace?.();
      const response = await sendSigned(this.#options, sent, {
        signal: call.signal,
        secrets,
      });
      requestId = requestIdOf(response.headers);
      const decoding: DecodeOptions = omitUndefined({ provider: this.name, requestId, ...encoded.expected });
      const opening = losses.map(toNotice);
      if (!isJsonResponse(response)) return await this.#accept(response, { call, explain, opening, decoding, secrets });
      const bytes = await readWhole(response.body);
      await sharedMacrotask();
      call.signal.throwIfAborted();
      return this.#readWhole(response, bytes, { call, opening, decoding });
    } catch (error) {
      // An error after the signal's abort is only a consequence of the abort.
      const explained = explain(call.signal.aborted ? call.signal.reason : error);
      call.cancel();
      throw explained;
    }
  }

  #encode(request: ChatRequest, context: CallContext | undefined): EncodedRequest {
    const { wire } = this.#options;
    const unsupported = wire.findUnsupported(request, this.#encodeOptions);
    if (unsupported !== undefined) throw unsupportedError(unsupported, this.name);
    const encoded = wire.encodeRequest(request, this.#encodeOptions);
    const { dropped } = encoded;
    if (dropped.length > 0) context?.observe({ type: 'field-drop', call: context.id, fields: dropped });
    return encoded;
  }

  /** Configured time-outs override the defaults. A probe has its own limit for the first content. */
  #timeoutsFor(request: ChatRequest, { isReplaceable, probeTimeout }: Partial<CallContext> = {}): Timeouts {
    const timeouts = { ...usualTimeouts(request, isReplaceable === true), ...this.#options.timeouts };
    if (request.stream === false) {
      // A plain body arrives all at once, so for a probe the first-token limit applies to the complete body.
      return { ...plainTimeouts(timeouts), firstToken: probeTimeout === undefined ? 0 : timeouts.firstToken };
    }
    return probeTimeout === undefined
      ? timeouts
      : { ...timeouts, firstToken: shorter(timeouts.firstToken, probeTimeout) };
  }

  async #accept(
    response: TransportResponse,
    { call, explain, opening, decoding, secrets }: PendingResponse,
  ): Promise<ModelStream> {
    const { wire } = this.#options;
    const { headers, body } = response;
    if (!isSuccess(response)) throw await toStatusError(response, wire);
    const { framing } = wire;
    if (mediaTypeOf(headers) !== (framing?.mediaType ?? eventStream)) throw await toWrongFormat(response);
    const target = this.name;
    const events = framing === undefined ? body[Symbol.asyncIterator]() : translate(body, framing);
    const upstream = { target, wire, decoding, headers, body: new BodyTurns(events), call, explain, secrets };
    return openRemoteStream(upstream, opening);
  }

  #readWhole(
    { headers }: TransportResponse,
    bytes: Uint8Array,
    { call, opening, decoding }: Omit<PendingResponse, 'explain' | 'secrets'>,
  ): ModelStream {
    const answer = this.#decode(parseBody(utf8.decode(bytes)), opening, decoding);
    call.stopTimers();
    const release = (): void => call.release();
    const body = { wire: this.#options.wire.name, bytes };
    return lazyBufferedStream(this.name, answer, { signal: call.signal, release, headers, body });
  }

  /** Events are decoded only if they are read, because a client of the same wire gets the body unchanged. */
  #decode(body: unknown, opening: readonly StreamEvent[], decoding: DecodeOptions): LazyBody {
    const { wire } = this.#options;
    const decode = (): StreamEvent[] => [...opening, ...wire.decodeBody(body, decoding)];
    const conclusion = decoding.logprobs ? undefined : wire.summarizeBody?.(body);
    if (conclusion !== undefined) return { conclusion, events: decode };
    const events = decode();
    return { conclusion: concludeEvents(events), events: () => events };
  }

  #urlOf({ path }: EncodedRequest): string {
    return path === undefined ? this.#url : routeUrl(this.#options, path).href;
  }

  #toTransport(encoded: EncodedRequest, isStream: boolean, { client, context }: Sender): TransportRequest {
    const { body, headers: own } = encoded;
    // Sent only if it is configured; otherwise the transport's default applies.
    const connectTimeout = this.#options.timeouts?.connect;
    const usual = isStream ? this.#streamHeaders : this.#plainHeaders;
    const joined = own === undefined ? usual : joinHeaders(usual, own);
    const headers = client === undefined ? joined : { ...joined, ...versionHeaders(this.#options, client) };
    const trace = context?.traceHeaders?.();
    return {
      method: 'POST',
      url: this.#urlOf(encoded),
      headers: trace === undefined ? headers : { ...trace, ...headers },
      body: JSON.stringify(body),
      ...(connectTimeout === undefined ? {} : { connectTimeout }),
    };
  }
}

/** The server-sent events of a stream with another framing. */
async function* translate(body: AsyncIterable<Uint8Array>, framing: StreamFraming): AsyncGenerator<Uint8Array> {
  const frames = framing.open();
  for await (const chunk of body) {
    const events = frames.push(chunk);
    if (events.length > 0) yield events;
    if (frames.failure !== undefined) throw frames.failure;
  }
}

/** Reads the complete stream first, so that a failure can still be retried. */
async function bufferStream(stream: ModelStream, signal: AbortSignal): Promise<ModelStream> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const { target, headers } = stream;
  return bufferedStream(target, events, omitUndefined({ signal, headers }));
}

function unsupportedError({ field, problem }: Unsupported, target: string): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', `${field}: this model ${problem}`, {
    field,
    target,
    code: unsupportedField,
  });
}

interface SendOptions {
  readonly timeouts: Timeouts;
  readonly context: CallContext | undefined;
}

interface Sender {
  readonly client: ClientFormat | undefined;
  readonly context: CallContext | undefined;
}

interface PendingResponse {
  readonly call: RemoteCall;
  readonly explain: (error: unknown) => unknown;
  readonly opening: StreamEvent[];
  readonly decoding: DecodeOptions;
  /** The credentials that were sent. */
  readonly secrets: readonly string[];
}

/** The shorter of two limits. A first limit of 0 means none. */
function shorter(limit: number, other: number): number {
  return limit === 0 ? other : Math.min(limit, other);
}

/** If the configuration sets the same header, both values are joined into a list. */
function joinHeaders(usual: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>) {
  const joined: Record<string, string> = { ...usual };
  for (const [name, value] of Object.entries(own)) {
    const before = joined[name];
    joined[name] =
      before === undefined ? value : [...new Set([...before.split(/\s*,\s*/), ...value.split(',')])].join(',');
  }
  return joined;
}

function isSuccess({ status }: TransportResponse): boolean {
  return status >= 200 && status < 300;
}

function isJsonResponse(response: TransportResponse): boolean {
  return isSuccess(response) && mediaTypeOf(response.headers) === 'application/json';
}

function mediaTypeOf(headers: Readonly<Record<string, string>>): string {
  const { 'content-type': type = '' } = headers;
  if (type === 'application/json' || type === eventStream) return type;
  return type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function toNotice(detail: string): StreamEvent {
  return { type: 'notice', kind: 'loss', detail };
}
