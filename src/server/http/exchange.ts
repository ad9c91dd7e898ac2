// One request and its answer: who asked in which wire, when the client left, and how JSON and failures are sent.
// Knows no route and no model.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GatewayKey } from '../../core/gateway-key.ts';
import type { JsonObject } from '../../core/json.ts';
import type { WireServer } from '../../wire/wire.ts';
import type { BodyMemory, BodyShare } from './body-memory.ts';
import { checkHead, readJson } from './json-body.ts';
import { withWireFieldName, toHttpError, type HttpError } from './http-error.ts';
import type { Indexed } from './indexed-set.ts';

/** Why a call was ended: nobody is there to read the answer. */
export const clientLeft = new DOMException('the client has left', 'AbortError');

/** How long the rest of a refused body is read, so that the client gets to hear the refusal. */
const lingering = 2000;

/** Bytes of a refused body that are read for the sake of the connection. */
const longestUnread = 64 * 1024;

interface ExchangeOptions {
  readonly wire: WireServer;
  /** The memory for the bodies of all requests. */
  readonly bodies: BodyMemory;
  /** The client sends its body only when it is told to go on. */
  readonly expectsContinue?: boolean;
  /** The answer is over, whoever ended it. */
  onClose(exchange: Exchange): void;
}

function ignore(): void {}

export class Exchange implements Indexed {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Identifies the request in logs and in a response header. */
  readonly id = createRequestId();
  readonly path: string;
  readonly query: string;
  /** In whose words failures are told. */
  readonly wire: WireServer;
  index = -1;
  /** Which route it took, as metrics call it. */
  route = 'none';
  /** The key of the gateway it came with, where there are keys and the route asks for one. */
  key: GatewayKey | undefined;
  /** On the clock of `performance.now`. */
  readonly begun = performance.now();
  /** Sent with every answer. */
  readonly headers: Record<string, string>;
  readonly #controller = new AbortController();
  readonly #bodies: BodyMemory;
  readonly #share: BodyShare;
  #expectsContinue: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, about: ExchangeOptions) {
    this.request = request;
    this.response = response;
    this.wire = about.wire;
    this.#bodies = about.bodies;
    this.#share = about.bodies.open();
    this.#expectsContinue = about.expectsContinue ?? false;
    const { url = '/' } = request;
    const mark = url.indexOf('?');
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.query = mark === -1 ? '' : url.slice(mark + 1);
    this.headers = { 'x-content-type-options': 'nosniff', [about.wire.requestIdHeader]: this.id };
    response.on('close', () => {
      if (!response.writableFinished) this.#controller.abort(clientLeft);
      this.releaseBody();
      about.onClose(this);
    });
    // A write that meets a closed connection; `close` has told us already.
    response.on('error', ignore);
  }

  /** Aborts when the client leaves, and when the server has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasClientLeft(): boolean {
    return this.signal.aborted && this.signal.reason === clientLeft;
  }

  /** Ends the call from our side. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Only now is a client that waits for it told to send its body. */
  readJson(limit: number): Promise<unknown> {
    const limits = { limit, memory: this.#bodies, share: this.#share };
    checkHead(this.request, limits);
    if (this.#expectsContinue) this.response.writeContinue();
    this.#expectsContinue = false;
    return readJson(this.request, limits);
  }

  /** Nothing needs the body any more; at the latest when the response is over. */
  releaseBody(): void {
    this.#share.release();
  }

  sendJson(status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}): void {
    this.send(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  }

  send(status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>>): void {
    const { response } = this;
    if (response.destroyed) return;
    const head = this.toHead(headers);
    head.push('content-length', String(lengthOf(body)));
    response.writeHead(status, head);
    response.end(body);
  }

  /** These headers, then those of every response that they do not replace: names and values in turn. */
  toHead(headers: Readonly<Record<string, string>>): string[] {
    const own = Object.entries(this.headers).filter(([name]) => !Object.hasOwn(headers, name));
    return [...Object.entries(headers), ...own].flat();
  }

  /** Gives what the client was told, if anyone is there to be told. */
  fail(thrown: unknown): HttpError | undefined {
    const { response } = this;
    if (this.hasClientLeft || response.destroyed) return undefined;
    const refusal = toHttpError(thrown);
    if (response.headersSent) {
      response.destroy();
      return refusal;
    }
    const isClosing = refusal.close || this.#hasUnreadBody();
    if (isClosing) this.#linger();
    const { body } = this.wire.encodeError(withWireFieldName(refusal.error, this.wire));
    this.sendJson(refusal.status, body, { ...refusal.headers, ...(isClosing ? { connection: 'close' } : {}) });
    return refusal;
  }

  /** A body that would be read to its end only to be thrown away, or that the client was not told to send. */
  #hasUnreadBody(): boolean {
    const { complete, headers } = this.request;
    const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > longestUnread;
    return !complete && (isLong || this.#expectsContinue);
  }

  #linger(): void {
    this.request.resume();
    const timer = setTimeout(() => this.request.destroy(), lingering).unref();
    this.response.once('close', () => clearTimeout(timer));
  }
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** Unique, and impossible to guess. */
function createRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}
