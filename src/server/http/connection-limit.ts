// Limits the open connections of a server. A connection beyond the limit is accepted, so that its client gets a 503 and
// probes get an answer, and is closed after its first request or after two seconds. Far beyond the limit, connections are
// closed at once. `connection-shares.ts` has the part of each key.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

import type { GatewayKey } from '../../core/gateway-key.ts';
import { ConnectionShares } from './connection-shares.ts';

/** Connections beyond the limit that still get a response. */
const overflow = 1000;

/** Milliseconds that such a connection may stay open. */
const overflowTimeout = 2000;

/** Milliseconds for which a connection without a key may be silent before another one takes its place. */
const patience = 1000;

export interface ConnectionLimitOptions {
  readonly limit: number;
  /** The number of keys that share the connections. */
  readonly owners: () => number;
  /** A monotonic time in milliseconds. */
  readonly now?: () => number;
}

export class ConnectionLimit {
  readonly #options: Required<ConnectionLimitOptions>;
  readonly #shares: ConnectionShares;
  readonly #over = new WeakSet<Socket>();
  /** The connections without a key and without a request in progress, and since when. The first has waited the longest. */
  readonly #unused = new Map<Socket, number>();
  #open = 0;

  constructor(server: Server, options: ConnectionLimitOptions) {
    this.#options = { now: () => performance.now(), ...options };
    this.#shares = new ConnectionShares(options.limit);
    server.maxConnections = options.limit + overflow;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** The number of open connections, including those beyond the limit. */
  get open(): number {
    return this.#open;
  }

  isOver(socket: Socket): boolean {
    return this.#over.has(socket);
  }

  /** A request begins. */
  begin(socket: Socket): void {
    this.#unused.delete(socket);
  }

  /** The response has ended. */
  end(socket: Socket): void {
    if (!socket.destroyed && !this.#over.has(socket) && !this.#shares.has(socket)) this.#wait(socket);
  }

  /** Counts the connection for a key. Returns false if the key has too many. */
  claim(socket: Socket, { hash }: GatewayKey): boolean {
    return this.#shares.claim(socket, hash, this.#options.owners());
  }

  #add(socket: Socket): void {
    this.#open++;
    socket.once('close', () => {
      this.#open--;
      this.#unused.delete(socket);
    });
    if (this.#open <= this.#options.limit || this.#closeUnused()) return this.#wait(socket);
    this.#over.add(socket);
    const timer = setTimeout(() => socket.destroy(), overflowTimeout).unref();
    return void socket.once('close', () => clearTimeout(timer));
  }

  #wait(socket: Socket): void {
    this.#unused.delete(socket);
    this.#unused.set(socket, this.#options.now());
  }

  /** Makes room for a connection, so that silent ones cannot keep the keys out. */
  #closeUnused(): boolean {
    const [[socket, since] = []] = this.#unused;
    const { owners, now } = this.#options;
    if (socket === undefined || since === undefined || owners() < 2 || now() - since < patience) return false;
    this.#unused.delete(socket);
    socket.destroy();
    return true;
  }
}
