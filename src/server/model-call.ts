// A request to a model, in whatever wire the client speaks, from its body to the last byte of the answer. It translates
// nothing: the wire decodes, the provider answers, the wire encodes, or the upstream's bytes pass as they came.

import type { CallEvent } from '../core/call.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream, WireBytes } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { encodeWhole } from '../wire/body.ts';
import type { EncodeStreamOptions, WireServer } from '../wire/wire.ts';
import { cacheControlOf } from './cache-header.ts';
import { CallReport } from './call-report.ts';
import { EventSender } from './event-sender.ts';
import type { Exchange } from './exchange.ts';
import { headerText, toRefusal } from './refusal.ts';
import type { ServerState } from './server-state.ts';
import { passHeaders } from './upstream-headers.ts';

/** Nothing here keeps the request once it is sent, as the frame of an async function would: a stream may last for hours. */
export function answerCall(exchange: Exchange, state: ServerState): Promise<void> {
  return exchange.readJson(state.settings.bodyLimit).then((body) => begin(exchange, state, body));
}

function begin(exchange: Exchange, state: ServerState, body: unknown): Promise<void> {
  const { wire } = exchange;
  const request = wire.decodeRequest(body);
  const call = new ModelCall(exchange, state);
  const opening = call.open(request);
  return request.stream === true ? call.stream(opening, wire.streamOptionsOf(body)) : call.complete(opening);
}

type StreamOptions = Pick<EncodeStreamOptions, 'includeUsage'>;

class ModelCall {
  readonly #exchange: Exchange;
  readonly #state: ServerState;
  readonly #wire: WireServer;
  readonly #report = new CallReport();

  constructor(exchange: Exchange, state: ServerState) {
    this.#exchange = exchange;
    this.#state = state;
    this.#wire = exchange.wire;
  }

  /** The whole answer as one JSON document. */
  async complete(opening: Promise<ModelStream>): Promise<void> {
    const exchange = this.#exchange;
    const stream = await opening;
    const bytes = this.#passable(stream, 'body');
    const body = bytes?.whole?.() ?? (bytes === undefined ? await this.#encodeWhole(stream) : await join(bytes));
    const headers = { 'content-type': 'application/json' };
    this.#addHeaders(headers, stream);
    this.#report.addHealing(headers);
    exchange.send(200, body, headers);
  }

  async stream(opening: Promise<ModelStream>, options: StreamOptions): Promise<void> {
    const sender = new EventSender(this.#exchange);
    this.#state.keepAlive.add(sender);
    try {
      const stream = await opening;
      this.#addHeaders(sender.headers, stream);
      const bytes = this.#passable(stream, 'stream');
      if (bytes === undefined) await this.#sendEvents(stream, sender, options);
      else await this.#passBytes(bytes, sender, options);
      sender.end();
    } catch (error) {
      this.#failStream(error, sender);
    } finally {
      this.#state.keepAlive.delete(sender);
    }
  }

  open(request: ChatRequest): Promise<ModelStream> {
    const { id, signal } = this.#exchange;
    const record = this.#state.recordCall();
    const observe = (event: CallEvent): void => {
      this.#report.observe(event);
      record(event);
    };
    const cache = cacheControlOf(this.#exchange.request.headers);
    const context = cache === undefined ? { id, observe } : { id, observe, cache };
    return this.#state.provider.open(request, signal, context);
  }

  /** The bytes of an answer that needs no change, in the form that was asked for. */
  #passable({ bytes }: ModelStream, form: WireBytes['form']): WireBytes | undefined {
    return bytes?.wire === this.#wire.name && bytes.form === form ? bytes : undefined;
  }

  /** What is known when the answer begins. */
  #addHeaders(answer: Record<string, string>, { target, headers }: ModelStream): void {
    answer['x-simple-agents-target'] = headerText(target);
    if (headers !== undefined) passHeaders(headers, answer);
    this.#report.addOpening(answer);
  }

  async #encodeWhole(stream: ModelStream): Promise<string> {
    const events: StreamEvent[] = [];
    for await (const event of stream) events.push(event);
    return JSON.stringify(encodeWhole(this.#wire, events, now()));
  }

  async #sendEvents(stream: ModelStream, sender: EventSender, options: StreamOptions): Promise<void> {
    const encoder = this.#wire.encodeStream({ created: now(), ...options });
    for await (const event of stream) {
      if (event.type === 'message-end') sender.write(this.#report.comment);
      sender.write(encoder.push(event));
      if (sender.isFull) await sender.drained();
    }
  }

  async #passBytes(bytes: WireBytes, sender: EventSender, options: StreamOptions): Promise<void> {
    const passer = this.#wire.passStream(options);
    for await (const chunk of bytes) {
      sender.writeBytes(passer.push(chunk));
      if (sender.isFull) await sender.drained();
    }
    sender.writeBytes(passer.end());
  }

  /** Once something was sent there is no status any more: the failure is an event of the client's wire. */
  #failStream(error: unknown, sender: EventSender): void {
    if (this.#exchange.isLeft) throw error;
    sender.flush();
    if (!sender.hasBegun) throw error;
    this.#state.logFailure(this.#exchange, error);
    sender.write(this.#wire.encodeStream().fail(toRefusal(error).error));
    sender.end();
  }
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
