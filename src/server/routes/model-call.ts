// Handles a model call in the client's wire, from the request body to the last byte of the response. It translates nothing
// itself: the wire decodes the request, the provider is called, and the wire encodes the response, or the upstream's bytes
// pass unchanged.

import type { IncomingHttpHeaders } from 'node:http';

import type { CallContext, CallEvent, ProviderPin } from '../../core/call.ts';
import type { MessageEnd, StreamEvent } from '../../core/event.ts';
import { omitUndefined, type JsonObject } from '../../core/json.ts';
import type { ModelStream, WireBytes } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { estimateRequestTokens } from '../../core/token-estimate.ts';
import { clientFormatOf } from '../../wire/client-format.ts';
import { encodeResponseBody } from '../../wire/response-body.ts';
import { FrameSplitter } from '../../wire/frame-splitter.ts';
import type { EncodeResponseOptions, ResponseIdentity, StreamEncoder, WireServer } from '../../wire/wire.ts';
import { CallReport } from './call-report.ts';
import type { StreamSender } from '../http/event-sender.ts';
import type { CallExchange, Exchange } from '../http/exchange.ts';
import { throwHttpError, toHeaderValue, toHttpError, withWireFieldName } from '../http/http-error.ts';
import type { ServerState } from '../server-state.ts';

/** Not an async function: its frame would keep the request in memory for as long as the stream lasts. */
export function handleModelCall(exchange: Exchange, state: ServerState): Promise<void> {
  return exchange.readJson(state.settings).then((body) => beginModelCall(exchange, state, { body }));
}

export interface ModelCallBegin {
  readonly body: unknown;
  /** Creates the ids of the response at `target`, for wires whose responses can be retrieved by their id. */
  readonly identify?: (target: () => string) => ResponseIdentity;
  /** The provider that has what the request refers to. */
  readonly pin?: ProviderPin;
  /** Overrides the client's header. */
  readonly cache?: 'off';
  /** Replaces members of the request that the response repeats. */
  readonly echo?: JsonObject;
  /** Receives the bytes and texts of the response as they are sent. */
  readonly onSend?: (part: Uint8Array | string) => void;
}

export function beginModelCall(exchange: CallExchange, state: ServerState, begin: ModelCallBegin): Promise<void> {
  const { wire } = exchange;
  const { body, identify, onSend, pin, cache } = begin;
  const { headers } = exchange.request;
  const request = { ...wire.decodeRequest(body, headers), client: clientFormatOf(wire, headers, body) };
  const options = wire.encodeOptionsOf(body);
  const echo = options.echo && { ...options.echo, ...begin.echo };
  const report = new CallReport();
  const identity = identify?.(() => report.target);
  const encoding = omitUndefined({ ...options, echo, created: now(), identity });
  const call = new ModelCall(exchange, state, { encoding, report, onSend, overrides: omitUndefined({ pin, cache }) });
  const opening = call.open(request);
  // Once the stream is open or has failed, the body is not sent again.
  const release = (): void => exchange.releaseBody();
  opening.then(release, release);
  opening.then((stream) => report.begin(stream), ignore);
  return request.stream === true ? call.stream(opening) : call.complete(opening);
}

interface ModelCallOptions {
  readonly encoding: EncodeResponseOptions;
  readonly report: CallReport;
  readonly overrides: Pick<CallContext, 'pin' | 'cache'>;
  readonly onSend: ModelCallBegin['onSend'];
}

class ModelCall {
  readonly #exchange: CallExchange;
  readonly #state: ServerState;
  readonly #wire: WireServer;
  readonly #options: ModelCallOptions;
  readonly #report: CallReport;
  /** Until the stream is open. */
  #request: ChatRequest | undefined;
  #promptTokens: number | undefined;
  /** Created with the first event, or for the error of a stream. */
  #encoder: StreamEncoder | undefined;

  constructor(exchange: CallExchange, state: ServerState, options: ModelCallOptions) {
    this.#exchange = exchange;
    this.#state = state;
    this.#wire = exchange.wire;
    this.#options = options;
    this.#report = options.report;
  }

  /** Sends the response as one JSON document. */
  async complete(opening: Promise<ModelStream>): Promise<void> {
    const exchange = this.#exchange;
    const stream = await opening;
    const bytes = this.#passableBytes(stream, 'body');
    const body = bytes === undefined ? await this.#encodeWhole(stream) : await this.#passWhole(bytes);
    const headers = { 'content-type': 'application/json' };
    this.#addHeaders(headers, stream);
    this.#report.addHealing(headers);
    // The report receives `call-end` before this resolves.
    await stream.ended;
    this.#report.addCost(headers);
    this.#options.onSend?.(body);
    exchange.send(200, body, headers);
  }

  async stream(opening: Promise<ModelStream>): Promise<void> {
    const sender = this.#exchange.openStream();
    this.#state.keepAlive.add(sender);
    try {
      const stream = await opening;
      const request = this.#request;
      // Not kept for as long as the stream lasts.
      this.#request = undefined;
      this.#addHeaders(sender.headers, stream);
      const bytes = this.#passableBytes(stream, 'stream');
      const isEstimated = request !== undefined && bytes === undefined && this.#wire.startsWithUsage === true;
      if (isEstimated) this.#promptTokens = estimateRequestTokens(request);
      if (bytes === undefined) await this.#sendEvents(stream, sender);
      else await this.#passBytes(bytes, sender);
      sender.end();
    } catch (error) {
      this.#failStream(error, sender);
    } finally {
      this.#state.keepAlive.delete(sender);
    }
  }

  open(request: ChatRequest): Promise<ModelStream> {
    this.#request = request;
    const context = toCallContext(this.#exchange, this.#state, this.#report);
    const { overrides } = this.#options;
    return this.#state.provider.open(request, this.#exchange.signal, { ...context, ...overrides });
  }

  /** The upstream's bytes, if they are in the client's wire and in the requested form. */
  #passableBytes({ bytes }: ModelStream, form: WireBytes['form']): WireBytes | undefined {
    return bytes?.wire === this.#wire.name && bytes.form === form ? bytes : undefined;
  }

  /** Adds the headers that are known when the response begins. */
  #addHeaders(headers: Record<string, string>, stream: ModelStream): void {
    headers['x-simple-agents-target'] = toHeaderValue(stream.target);
    if (stream.headers !== undefined) addUpstreamHeaders(stream.headers, headers);
    this.#report.addInitialHeaders(headers, this.#wire);
  }

  async #encodeWhole(stream: ModelStream): Promise<string> {
    const events: StreamEvent[] = [];
    for await (const event of stream) events.push(event);
    return JSON.stringify(encodeResponseBody(this.#wire, events, this.#options.encoding));
  }

  async #passWhole(bytes: WireBytes): Promise<Uint8Array> {
    const body = bytes.readAll?.() ?? (await join(bytes));
    const { identity } = this.#options.encoding;
    return identity === undefined ? body : (this.#wire.passBody?.(body, identity) ?? body);
  }

  async #sendEvents(stream: ModelStream, sender: StreamSender): Promise<void> {
    const encoder = this.#streamEncoder();
    let end: MessageEnd | undefined;
    for await (const event of stream) {
      // The last event is held back until the cost is known.
      if (event.type === 'message-end') end = event;
      else sender.write(encoder.push(event));
      if (sender.isFull) await sender.drained();
    }
    await stream.ended;
    const last = end === undefined ? '' : encoder.push(end, this.#report.cost);
    this.#options.onSend?.(last);
    if (this.#wire.addReport === undefined) sender.write(this.#report.comment(!encoder.includesUsage));
    sender.write(this.#withReport(last));
  }

  async #passBytes(bytes: WireBytes, sender: StreamSender): Promise<void> {
    const passer = this.#wire.passStream(this.#options.encoding);
    // A wire with a report in its last frame holds that frame back.
    const isHeld = this.#wire.addReport !== undefined;
    let isReported = false;
    for await (const chunk of bytes) {
      const frames = passer.push(chunk);
      this.#options.onSend?.(frames);
      if (isHeld || isReported || !this.#report.hasEnded) sender.writeBytes(frames);
      else isReported = this.#passLast(frames, sender);
      if (sender.isFull) await sender.drained();
    }
    const rest = passer.end();
    this.#options.onSend?.(rest);
    if (isReported) sender.writeBytes(rest);
    else this.#passLast(rest, sender);
  }

  /** Reports before the last frame or in it. Returns whether there was a frame. */
  #passLast(frames: Uint8Array, sender: StreamSender): boolean {
    const start = lastFrameOf(frames);
    sender.writeBytes(frames.subarray(0, start));
    const last = frames.subarray(start);
    if (this.#wire.addReport === undefined) {
      sender.write(this.#report.comment(true));
      sender.writeBytes(last);
    } else if (last.length > 0) sender.writeBytes(Buffer.from(this.#withReport(Buffer.from(last).toString())));
    return last.length > 0;
  }

  /** The last frames with the report in them, in wires that have it there. */
  #withReport(frames: string): string {
    const { members } = this.#report;
    return members === undefined ? frames : (this.#wire.addReport?.(frames, members) ?? frames);
  }

  /** After the first bytes no error status can be sent, so the error becomes an event of the client's wire. */
  #failStream(error: unknown, sender: StreamSender): void {
    if (this.#exchange.hasClientLeft) throw error;
    sender.flush();
    if (!sender.hasBegun) throw error;
    this.#state.logFailure(this.#exchange, error);
    sender.write(this.#streamEncoder().fail(withWireFieldName(toHttpError(error).error, this.#wire)));
    sender.end();
  }

  #streamEncoder(): StreamEncoder {
    const promptTokens = this.#promptTokens;
    return (this.#encoder ??= this.#wire.encodeStream(omitUndefined({ ...this.#options.encoding, promptTokens })));
  }
}

function ignore(): void {}

/** Who makes the call, and who observes it: the client's report, the metrics and the log. */
export function toCallContext(
  { id, key, request, pace }: CallExchange,
  state: Pick<ServerState, 'observeCall'>,
  report: CallReport,
): CallContext {
  const record = state.observeCall(key?.name);
  const observe = (event: CallEvent): void => {
    report.observe(event);
    record(event);
  };
  return omitUndefined({ id, observe, cache: cacheControlOf(request.headers), caller: key?.hash, pace });
}

/** The start of the last frame, the one that ends the stream. A comment may be inserted before it. */
function lastFrameOf(frames: Uint8Array): number {
  return new FrameSplitter().frameEnds(frames).at(-2) ?? 0;
}

async function join(bytes: WireBytes): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Unix seconds. */
function now(): number {
  return Math.floor(Date.now() / 1000);
}

const cacheModes = ['off', 'read', 'refresh'] as const;

/** What the client wants of the response cache: `x-simple-agents-cache: off`, `read` or `refresh`. */
function cacheControlOf(headers: IncomingHttpHeaders): (typeof cacheModes)[number] | undefined {
  const requested = headers['x-simple-agents-cache'];
  if (requested === undefined) return undefined;
  const mode = cacheModes.find((known) => known === requested);
  return mode ?? throwHttpError(400, `x-simple-agents-cache: must be one of ${cacheModes.join(', ')}`);
}

/** Upstream headers that pass to the client. An allow-list, because an unknown header may contain anything. */
const passedHeaders = /^(?:x-ratelimit-|anthropic-ratelimit-)/;

/** Passed under another name: these names carry our own request id. */
const requestIdHeaders = ['request-id', 'x-request-id'];

function addUpstreamHeaders(upstream: Readonly<Record<string, string>>, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(upstream)) {
    if (passedHeaders.test(name)) headers[name] = toHeaderValue(value);
    else if (requestIdHeaders.includes(name)) headers['x-simple-agents-upstream-request-id'] = toHeaderValue(value);
  }
}
