// One request of a connection in the WebSocket mode of the Responses wire, and its response. To the code that calls the
// model it is an exchange like one over HTTP.

import type { IncomingMessage } from 'node:http';

import type { WebSocket } from 'ws';

import type { GatewayKey } from '../../core/gateway-key.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { openaiResponsesServer } from '../../wire/openai-responses/server.ts';
import type { BodyShare } from '../http/body-memory.ts';
import type { StreamSender } from '../http/event-sender.ts';
import { clientLeft, createRequestId, type CallExchange, type Exchange } from '../http/exchange.ts';
import { encodeFailure } from '../http/http-error.ts';
import type { Indexed } from '../http/indexed-set.ts';
import { FrameSender } from './frame-sender.ts';

export class ResponseTurn implements CallExchange, Indexed {
  readonly id = createRequestId();
  readonly wire = openaiResponsesServer;
  readonly path: string;
  readonly request: IncomingMessage;
  readonly key: GatewayKey | undefined;
  index = -1;
  pace: (() => Promise<void>) | undefined;
  readonly #socket: WebSocket;
  readonly #share: BodyShare;
  readonly #controller = new AbortController();

  /** `handshake`: the request that opened the connection. */
  constructor(socket: WebSocket, { path, request, key }: Exchange, share: BodyShare) {
    this.#socket = socket;
    this.path = path;
    this.request = request;
    this.key = key;
    this.#share = share;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get hasClientLeft(): boolean {
    return this.signal.aborted && this.signal.reason === clientLeft;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  leave(): void {
    this.#controller.abort(clientLeft);
  }

  releaseBody(): void {
    this.#share.release();
  }

  openStream(): StreamSender {
    return new FrameSender(this.#socket);
  }

  send(_status: number, body: string | Uint8Array): void {
    this.#socket.send(body, { binary: false });
  }

  /** Sends the error as an event. The connection stays open. */
  fail(thrown: unknown): void {
    if (!this.hasClientLeft) this.#socket.send(JSON.stringify(errorEvent(thrown)));
  }
}

/** The wire requires a code. */
export function errorEvent(thrown: unknown): JsonObject {
  const { status, body, headers } = encodeFailure(thrown, openaiResponsesServer);
  const details = isRecord(body['error']) ? body['error'] : {};
  return { type: 'error', status, error: { ...details, code: details['code'] ?? details['type'] }, headers };
}
