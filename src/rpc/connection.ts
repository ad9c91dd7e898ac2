// One side of a JSON-RPC 2.0 connection over lines. It handles no process and no socket: bytes come in through `receive`,
// lines go out through `send`. Invariants:
//   1. `request` never rejects, and always resolves: with the peer's reply, or when it is cancelled, or at `close`.
//   2. Every request of the peer gets exactly one reply, also when its handler throws. After `close` nothing is sent.
//   3. Messages are handled in the order in which they arrive. Handlers may finish in another order.
//   4. Invalid input never ends the connection. If the peer expects a reply, it gets an error.

import { defaultLineLimit, LineSplitter, type SplitLine } from './line-splitter.ts';
import {
  decodeMessage,
  encodeNotification,
  encodeReply,
  encodeRequest,
  messageOf,
  rpcErrorCodes,
  type RpcError,
  type RpcId,
  type RpcMessage,
  type RpcReply,
} from './message.ts';

export interface RpcConnectionOptions {
  /** Writes one line. The connection has added the LF. */
  readonly send: (line: string) => void;
  readonly onRequest: (method: string, params: unknown, signal: AbortSignal) => Promise<RpcReply>;
  readonly onNotification: (method: string, params: unknown) => void;
  /** A message was invalid, or a handler failed. For a log. */
  readonly onFault?: (description: string) => void;
  /** The notification that cancels a request. Its `params.requestId` names the request. */
  readonly cancelMethod?: string;
  /** The longest line in either direction, in bytes. */
  readonly lineLimit?: number;
}

/** The outcome of our own request. `cancelled`: our signal was aborted. `closed`: no reply can arrive any more. */
export type RpcOutcome =
  | RpcReply
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'closed'; readonly reason: string };

export class RpcConnection {
  readonly #options: RpcConnectionOptions;
  readonly #splitter: LineSplitter;
  readonly #lineLimit: number;
  readonly #pending = new Map<number, (outcome: RpcOutcome) => void>();
  /** The requests of the peer that have no reply yet. */
  readonly #running = new Map<RpcId, AbortController>();
  #nextId = 0;
  #closeReason: string | undefined;

  constructor(options: RpcConnectionOptions) {
    this.#options = options;
    this.#lineLimit = options.lineLimit ?? defaultLineLimit;
    this.#splitter = new LineSplitter(this.#lineLimit);
  }

  receive(bytes: Uint8Array): void {
    for (const line of this.#splitter.push(bytes)) this.#onLine(line);
  }

  /** The peer will send no more. A last line without LF is still handled. */
  end(reason: string): void {
    for (const line of this.#splitter.end()) this.#onLine(line);
    this.close(reason);
  }

  request(method: string, params: unknown, signal?: AbortSignal): Promise<RpcOutcome> {
    if (this.#closeReason !== undefined) return Promise.resolve({ kind: 'closed', reason: this.#closeReason });
    if (signal?.aborted) return Promise.resolve({ kind: 'cancelled' });
    const id = this.#nextId++;
    const line = this.#encode(`The request ${method}`, () => encodeRequest(id, method, params));
    if (typeof line !== 'string') return Promise.resolve({ kind: 'error', error: line });
    return new Promise((resolve) => {
      const onAbort = () => this.#cancel(id);
      this.#pending.set(id, (outcome) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(outcome);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#send(line);
    });
  }

  /** Returns false if the message was not sent: it is too long or not JSON, or the connection is closed. */
  notify(method: string, params: unknown): boolean {
    const line = this.#encode(`The notification ${method}`, () => encodeNotification(method, params));
    if (this.#closeReason !== undefined || typeof line !== 'string') return false;
    this.#send(line);
    return true;
  }

  /** Resolves our requests with `closed` and aborts the peer's. */
  close(reason: string): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    for (const id of this.#pending.keys()) this.#settle(id, { kind: 'closed', reason });
    for (const controller of this.#running.values()) controller.abort();
  }

  #onLine(line: SplitLine): void {
    if (this.#closeReason !== undefined) return;
    if (line.kind === 'too-long') {
      const message = `The message has ${line.bytes} bytes; the limit is ${this.#lineLimit}. Line: ${line.start}...`;
      this.#onMessage({ kind: 'invalid', id: null, error: { code: rpcErrorCodes.invalidRequest, message } });
    } else if (line.text.trim() !== '') this.#onMessage(decodeMessage(line.text));
  }

  #onMessage(message: RpcMessage): void {
    switch (message.kind) {
      case 'request':
        void this.#onRequest(message.id, message.method, message.params);
        break;
      case 'notification':
        this.#onNotification(message.method, message.params);
        break;
      case 'response':
        this.#onResponse(message.id, message.outcome);
        break;
      case 'invalid':
        this.#fault(message.error.message);
        this.#reply(message.id, { kind: 'error', error: message.error });
        break;
    }
  }

  async #onRequest(id: RpcId, method: string, params: unknown): Promise<void> {
    if (this.#running.has(id)) {
      const message = `id: the request ${JSON.stringify(id)} is still running; use another id.`;
      this.#reply(id, { kind: 'error', error: { code: rpcErrorCodes.invalidRequest, message } });
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    const reply = await this.#handle(method, params, controller.signal);
    this.#running.delete(id);
    this.#reply(id, reply);
    if (reply.kind === 'result') reply.onSent?.();
  }

  async #handle(method: string, params: unknown, signal: AbortSignal): Promise<RpcReply> {
    try {
      return await this.#options.onRequest(method, params, signal);
    } catch (error) {
      if (signal.aborted) {
        return {
          kind: 'error',
          error: { code: rpcErrorCodes.requestCancelled, message: 'The request was cancelled.' },
        };
      }
      const message = messageOf(error);
      this.#fault(`${method} failed: ${message}`);
      return { kind: 'error', error: { code: rpcErrorCodes.internalError, message: `Internal error: ${message}` } };
    }
  }

  #onNotification(method: string, params: unknown): void {
    if (method === this.#options.cancelMethod) return this.#onCancel(params);
    try {
      this.#options.onNotification(method, params);
    } catch (error) {
      this.#fault(`${method} failed: ${messageOf(error)}`);
    }
  }

  /** A request that is unknown has ended already, which is not a fault. */
  #onCancel(params: unknown): void {
    const id = (params as { readonly requestId?: RpcId } | undefined)?.requestId;
    if (id !== undefined) this.#running.get(id)?.abort();
  }

  #onResponse(id: RpcId, outcome: RpcReply): void {
    if (typeof id === 'number' && this.#pending.has(id)) return this.#settle(id, outcome);
    // The reply to a request that we cancelled arrives late and is not a fault.
    const isLate = typeof id === 'number' && id >= 0 && id < this.#nextId;
    if (!isLate) this.#fault(`The peer replied to a request that was not sent: ${JSON.stringify(id)}`);
  }

  #cancel(id: number): void {
    const { cancelMethod } = this.#options;
    if (cancelMethod !== undefined) this.notify(cancelMethod, { requestId: id });
    this.#settle(id, { kind: 'cancelled' });
  }

  #settle(id: number, outcome: RpcOutcome): void {
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(outcome);
  }

  #reply(id: RpcId, reply: RpcReply): void {
    if (this.#closeReason !== undefined) return;
    const line = this.#encode('The reply', () => encodeReply(id, reply));
    // The peer must not wait forever for a reply that cannot be sent.
    this.#send(typeof line === 'string' ? line : encodeReply(id, { kind: 'error', error: line }));
  }

  /** Returns the line, or an error if the message is too long or cannot be expressed in JSON. */
  #encode(what: string, encode: () => string): string | RpcError {
    try {
      const line = encode();
      if (this.#fits(line)) return line;
      return this.#failure(`${what} is longer than ${this.#lineLimit} bytes.`);
    } catch (error) {
      return this.#failure(`${what} is not JSON: ${messageOf(error)}`);
    }
  }

  #failure(message: string): RpcError {
    this.#fault(message);
    return { code: rpcErrorCodes.internalError, message };
  }

  /** Counts bytes only if the characters do not decide it: one character has at most three bytes in UTF-8. */
  #fits(line: string): boolean {
    if (line.length * 3 <= this.#lineLimit) return true;
    return line.length <= this.#lineLimit && new TextEncoder().encode(line).length <= this.#lineLimit;
  }

  /** A failing writer is the end of the connection. */
  #send(line: string): void {
    try {
      this.#options.send(`${line}\n`);
    } catch (error) {
      this.close(`The connection failed: ${messageOf(error)}`);
    }
  }

  #fault(description: string): void {
    this.#options.onFault?.(description);
  }
}
