// One connection, from dialling to its close: carries one exchange at a time and says when it can carry the next.
// Invariants:
//   1. A response that was not read to its last byte, or that more bytes followed, is the last one here.
//   2. A connection that brought bytes or was closed while no request was under way is never used again.
//   3. A request is written at most once. Only one that was never written is given another connection.

import { startTimer } from '../timeouts.ts';
import { AnswerReader } from './answer-reader.ts';
import type { Exchange, Line } from './exchange.ts';
import { closedByServer, ConnectionFailure } from './failure.ts';
import type { Origin } from './place.ts';
import type { Dialer, Socket, SocketOwner } from './socket.ts';

export interface ConnectionOwner {
  /** It can carry the next exchange. */
  keep(connection: Connection, keptFor: number | undefined): void;
  /** It is closed. */
  forget(connection: Connection): void;
  /** The exchange needs another connection: nothing of it was written here. */
  send(exchange: Exchange): void;
}

export class Connection implements SocketOwner, Line {
  readonly origin: Origin;
  readonly #owner: ConnectionOwner;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #reader: AnswerReader | undefined;
  #isUsed = false;
  #isClosed = false;

  constructor(origin: Origin, owner: ConnectionOwner) {
    this.origin = origin;
    this.#owner = owner;
  }

  /** Dials, and sends the request when somebody answers. */
  async open(dialer: Dialer, exchange: Exchange): Promise<void> {
    const { connectTimeout } = exchange.options;
    this.#exchange = exchange;
    exchange.attach(this, 'connecting');
    const timer = startTimer(connectTimeout, () =>
      this.close(new ConnectionFailure('CONNECT_TIMEOUT', 'no connection')),
    );
    try {
      const socket = await dialer.open(this.origin, this);
      if (this.#isClosed) return;
      this.#listen(socket);
      this.send(exchange);
    } catch (error) {
      this.close(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A connection that rested may hold unread bytes or a close, so the event loop polls once before it is used. */
  send(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.attach(this, 'waiting');
    if (!this.#isUsed) return this.#write(exchange);
    this.#socket?.ref();
    afterPoll(() => {
      if (this.#exchange === exchange) this.#write(exchange);
    });
  }

  #write(exchange: Exchange): void {
    const { request } = exchange;
    if (request === undefined || this.#socket === undefined) return;
    this.#reader = new AnswerReader(exchange);
    this.#socket.write(request.text, request.encoding);
  }

  watch(socket: Socket): void {
    this.#socket = socket;
    if (this.#isClosed) socket.destroy();
  }

  receive(bytes: Buffer, count: number): boolean {
    const [exchange, reader] = [this.#exchange, this.#reader];
    if (exchange === undefined || reader === undefined) {
      this.close(new ConnectionFailure('NOT_HTTP', 'it sent bytes that no request asked for'));
      return false;
    }
    try {
      const position = reader.push(bytes, count);
      // Nobody may want the rest of what was just begun.
      if (this.#isClosed) return false;
      if (reader.isDone) this.#conclude(position === count);
      return !exchange.isPaused;
    } catch (error) {
      this.close(error);
      return false;
    }
  }

  resume(): void {
    this.#socket?.resume();
  }

  abandon(): void {
    this.#exchange = undefined;
    this.close();
  }

  /** An exchange under way fails with the error. */
  close(error?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket?.destroy();
    this.#owner.forget(this);
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (exchange === undefined) return;
    const isUnwritten = this.#isUsed && this.#reader === undefined;
    if (isUnwritten && !isTransportClosed(error)) this.#owner.send(exchange);
    else exchange.fail(error);
  }

  #listen(socket: Socket): void {
    socket.on('error', (error) => this.close(error));
    socket.on('end', () => this.#end());
    socket.on('close', () => this.close(closedByServer()));
  }

  /** The server has closed it, which is also how some bodies end. */
  #end(): void {
    try {
      if (this.#reader === undefined) return this.close(closedByServer());
      this.#reader.finish();
      this.#conclude(false);
    } catch (error) {
      this.close(error);
    }
  }

  #conclude(isClean: boolean): void {
    const [exchange, socket] = [this.#exchange, this.#socket];
    const { isReusable = false, keptFor } = this.#reader?.framing ?? {};
    this.#exchange = undefined;
    this.#reader = undefined;
    // An answer that did not wait for the whole request leaves the rest of it on the way.
    if (isClean && isReusable && socket !== undefined && socket.writableLength === 0) {
      this.#isUsed = true;
      socket.unref();
      this.#owner.keep(this, keptFor);
    } else {
      this.close();
    }
    exchange?.end();
  }
}

/** Calls back when the event loop has polled after this call, so that all that had arrived before it is known. */
function afterPoll(callback: () => void): void {
  // Called while events of a poll are handled, the first immediate runs without another poll.
  setImmediate(() => setImmediate(callback));
}

function isTransportClosed(error: unknown): boolean {
  return error instanceof ConnectionFailure && error.code === 'TRANSPORT_CLOSED';
}
