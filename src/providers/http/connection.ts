// One connection, from dialling to its close: carries an exchange at a time and says when it can carry the next. Knows
// nothing of other connections but whom to tell.
// Invariant: an answer that was not read to its last byte, or that more bytes came behind, is the last one here.

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
  /** Nothing of an answer came over a connection that had probably been closed: the exchange is to have a new one. */
  open(exchange: Exchange): void;
}

/**
 * Nobody gives up a connection sooner than this. One that was in use a moment ago and is closed now was closed because of
 * the request, and whether a POST may be sent twice is for others to say.
 */
const shortestDoubt = 1000;

export class Connection implements SocketOwner, Line {
  readonly origin: Origin;
  readonly #owner: ConnectionOwner;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #reader: AnswerReader | undefined;
  #isUsed = false;
  /** It may have been closed while it rested, by the server or on the way to it. */
  #isDoubtful = false;
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

  /** `restedFor` is how many milliseconds nobody has used it. */
  send(exchange: Exchange, restedFor = 0): void {
    const { request } = exchange;
    if (request === undefined || this.#socket === undefined) return;
    this.#exchange = exchange;
    exchange.attach(this, 'waiting');
    this.#reader = new AnswerReader(exchange);
    this.#isDoubtful = this.#isUsed && (request.method === 'GET' || restedFor >= shortestDoubt);
    if (this.#isUsed) this.#socket.ref();
    this.#socket.write(request.text, request.encoding);
  }

  watch(socket: Socket): void {
    this.#socket = socket;
    if (this.#isClosed) socket.destroy();
  }

  receive(bytes: Buffer, count: number): boolean {
    const [exchange, reader] = [this.#exchange, this.#reader];
    if (exchange === undefined || reader === undefined) {
      this.close(new ConnectionFailure('NOT_HTTP', 'it speaks without being asked'));
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

  /** Whoever is waiting for an answer is told why there is none. */
  close(error?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket?.destroy();
    this.#owner.forget(this);
    const exchange = this.#exchange;
    this.#exchange = undefined;
    if (exchange === undefined) return;
    if (this.#isDoubtful && this.#reader?.hasBegun === false && isClosing(error)) this.#owner.open(exchange);
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
      if (this.#exchange === undefined) this.close();
      else this.#reader?.finish();
      if (!this.#isClosed) this.#conclude(false);
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

function isClosing(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'CLOSED_BY_SERVER';
}
