// How many connections a server has open. A connection beyond the limit is accepted, so that its client can be told, and
// is closed after its first request or after a moment. Far beyond the limit, connections are closed without a word.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections beyond the limit that are told so. */
const spare = 1000;

/** Milliseconds that such a connection may stay open. */
const patience = 2000;

export class ConnectionLimit {
  readonly #most: number;
  readonly #over = new WeakSet<Socket>();
  #open = 0;

  constructor(server: Server, most: number) {
    this.#most = most;
    server.maxConnections = most + spare;
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** How many are open, those beyond the limit included. */
  get open(): number {
    return this.#open;
  }

  isOver(socket: Socket): boolean {
    return this.#over.has(socket);
  }

  #add(socket: Socket): void {
    this.#open++;
    socket.once('close', () => this.#open--);
    if (this.#open <= this.#most) return;
    this.#over.add(socket);
    const timer = setTimeout(() => socket.destroy(), patience).unref();
    socket.once('close', () => clearTimeout(timer));
  }
}
