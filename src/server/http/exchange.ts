// One HTTP request and its response: the client's wire and key, the signal that aborts when the client leaves, and how
// JSON and errors are sent. Knows nothing of routes and models.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { GatewayKey } from '../../core/gateway-key.ts';
import type { JsonObject } from '../../core/json.ts';
import type { WireServer } from '../../wire/wire.ts';
import type { BodyShare } from './body-memory.ts';
import { checkHead, noRoom, readJson, type BodyLimits, type BodyResources } from './json-body.ts';
import { EventSender, type StreamSender } from './event-sender.ts';
import { streamBody } from './stream-body.ts';
import { encodeFailure } from './http-error.ts';
import type { Indexed } from './indexed-set.ts';
import { toRoutePath } from './route-path.ts';

/** The abort reason of a call whose client closed the connection. */
export const clientLeft = new DOMException('the client closed the connection', 'AbortError');

/**
 * Milliseconds for which the rest of a rejected body is read, because most clients read the response only after they have
 * sent everything: in all, and without a byte.
 */
const lingerTime = 30_000;
const lingerSilence = 2000;

/** Bytes of a rejected body that are read to keep the connection usable. */
const maxUnread = 64 * 1024;

/**
 * A browser that opens a response neither runs nor loads anything in it, because a provider may have written it. Pages
 * replace the policy.
 */
const inertHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
};

interface ExchangeOptions {
  readonly wire: WireServer;
  readonly bodies: BodyResources;
  /** The client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue?: boolean;
  /** Called when the response has ended, on either side. */
  onClose(exchange: Exchange): void;
}

/** An exchange with a client in which a model is called. */
export interface CallExchange {
  readonly id: string;
  readonly path: string;
  readonly wire: WireServer;
  readonly request: IncomingMessage;
  readonly key: GatewayKey | undefined;
  /** Aborts when the client leaves and when the server shuts down. */
  readonly signal: AbortSignal;
  readonly hasClientLeft: boolean;
  /** Waits before the next long step. Undefined while the request takes no long steps. */
  readonly pace: (() => Promise<void>) | undefined;
  releaseBody(): void;
  /** Opens the response as a stream. Nothing is sent yet. */
  openStream(): StreamSender;
  /** Sends the response as a whole. */
  send(status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>>): void;
}

function ignore(): void {}

export class Exchange implements Indexed, CallExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request itself has none any more when it was aborted. */
  readonly socket: Socket;
  /** Identifies the request in logs and in a response header. */
  readonly id = createRequestId();
  readonly path: string;
  readonly query: string;
  /** The wire in which errors are encoded. */
  readonly wire: WireServer;
  index = -1;
  /** The route's label in metrics. */
  route = 'none';
  /** Whether the connection now speaks another protocol. */
  isUpgraded = false;
  /** The gateway key of the request, if the server has keys and the route requires one. */
  key: GatewayKey | undefined;
  /** Throws for a JSON body that the key must not send. */
  checkBody: (body: unknown) => void = ignore;
  /** A `performance.now` time. */
  readonly begun = performance.now();
  /** Sent with every response. */
  readonly headers: Record<string, string>;
  readonly #controller = new AbortController();
  pace: (() => Promise<void>) | undefined;
  readonly #bodies: BodyResources;
  #share: BodyShare | undefined;
  #expectsContinue: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, about: ExchangeOptions) {
    this.request = request;
    this.response = response;
    this.socket = request.socket;
    this.wire = about.wire;
    this.#bodies = about.bodies;
    this.#expectsContinue = about.expectsContinue ?? false;
    const { path, query } = toRoutePath(request.url);
    this.path = path;
    this.query = query;
    this.headers = { ...inertHeaders, [about.wire.requestIdHeader]: this.id };
    response.on('close', () => {
      if (!response.writableFinished) this.#controller.abort(clientLeft);
      this.releaseBody();
      about.onClose(this);
    });
    // A write to a closed connection. The `close` listener has handled it.
    response.on('error', ignore);
  }

  /** Aborts when the client closes the connection and when the server shuts down. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasClientLeft(): boolean {
    return this.signal.aborted && this.signal.reason === clientLeft;
  }

  /** Ends the call from the server's side. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Reads the body. A client that waits for `100 Continue` gets it here, after its headers were checked. */
  readJson(limits: BodyLimits): Promise<unknown> {
    const { memory } = this.#bodies;
    const { bodyOwner: owner } = this;
    checkHead(this.request, { limits, memory, owner });
    if (this.#expectsContinue) this.response.writeContinue();
    this.#expectsContinue = false;
    this.#share = memory.open(owner);
    return readJson(this.request, { ...this.#bodies, limits, owner, share: this.#share }).then(({ value, pace }) => {
      this.pace = pace;
      this.checkBody(value);
      return value;
    });
  }

  /** Takes memory for what is made of the body, until it is released. Throws 503. */
  takeMemory(bytes: number): void {
    if (this.#share?.take(bytes) === false) noRoom();
  }

  /** Whose share of the memory for bodies the request uses. */
  get bodyOwner(): string {
    return this.key?.hash ?? '';
  }

  /** The body as it arrives, for a route that passes it on. While nothing reads it, the client is paused. */
  streamBody(limit: number): AsyncIterable<Uint8Array> {
    const bytes = streamBody(this.request, limit);
    if (this.#expectsContinue) this.response.writeContinue();
    this.#expectsContinue = false;
    return bytes;
  }

  /** Releases the memory of the body. Called at the latest when the response has ended. */
  releaseBody(): void {
    this.#share?.release();
  }

  openStream(): StreamSender {
    return new EventSender(this);
  }

  sendJson(status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}): void {
    this.send(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  }

  send(status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>>): void {
    if (this.response.destroyed) return;
    this.#writeHead(status, lengthOf(body), headers);
    this.response.end(body);
  }

  #writeHead(status: number, length: number, headers: Readonly<Record<string, string>>): void {
    const head = this.toHead(headers);
    head.push('content-length', String(length));
    this.response.writeHead(status, head);
  }

  /** These headers, then the common ones that they do not replace, as a flat list of names and values. */
  toHead(headers: Readonly<Record<string, string>>): string[] {
    const own = Object.entries(this.headers).filter(([name]) => !Object.hasOwn(headers, name));
    return [...Object.entries(headers), ...own].flat();
  }

  /** Sends the error if the client is still there. A response that has begun is cut off. */
  fail(thrown: unknown): void {
    const { response } = this;
    if (this.hasClientLeft || response.destroyed) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, body, headers, close, drain } = encodeFailure(thrown, this.wire);
    const isUnread = this.#hasUnreadBody();
    const head = { ...headers, ...(close || isUnread ? { connection: 'close' } : {}) };
    if (!isUnread || !drain) return this.sendJson(status, body, head);
    const text = JSON.stringify(body);
    this.#writeHead(status, lengthOf(text), { 'content-type': 'application/json', ...head });
    response.write(text);
    this.#endAfterRequest();
  }

  /** Whether the request has a large unread body, or one that the client has not sent yet. */
  #hasUnreadBody(): boolean {
    const { complete, headers } = this.request;
    const isLong = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > maxUnread;
    return !complete && (isLong || this.#expectsContinue);
  }

  /** The end of the response closes the connection, so the rest of the request is read and dropped first. */
  #endAfterRequest(): void {
    const { request, response } = this;
    const end = (): void => void response.end();
    const timers = [setTimeout(end, lingerTime), setTimeout(end, lingerSilence)].map((timer) => timer.unref());
    request.on('data', () => timers[1]?.refresh());
    request.once('end', end);
    response.once('close', () => timers.forEach(clearTimeout));
  }
}

function lengthOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

/** Unique, and impossible to guess. */
export function createRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}
