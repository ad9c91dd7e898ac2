// Limits the open connections of a server. A connection beyond the limit is accepted, so that its client gets a 503, and
// is closed after its first request or after two seconds. Far beyond the limit, connections are closed at once.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections beyond the limit that still get a response. */
const overflow = 1000;

/** Milliseconds that such a connection may stay open. */
const overflowTimeout = 2000;

export class ConnectionLimit {
  readonly #limit: number;
  readonly #over = new WeakSet<Socket>();
  #open = 0;

  constructor(server: Server, limit: number) {
    this.#limit = limit;
    server.maxConnections = limit + overflow;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** The number of open connections, including those beyond the limit. */
  get open(): number {
    return this.#open;
  }

  isOver(socket: Socket): boolean {
    return this.#over.has(socket);
  }

  #add(socket: Socket): void {
    this.#open++;
    socket.once('close', () => this.#open--);
    if (this.#open <= this.#limit) return;
    this.#over.add(socket);
    const timer = setTimeout(() => socket.destroy(), overflowTimeout).unref();
    socket.once('close', () => clearTimeout(timer));
  }
}
