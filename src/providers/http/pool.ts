// The connections of a transport: those at rest, ready for the next exchange with their origin, and those in use. The one
// that came to rest last is used first, so that the others expire and are closed. Their number is not limited.

import { startTimer } from '../timeouts.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { ConnectionFailure } from './failure.ts';
import type { Origin } from './place.ts';
import { Dialer } from './socket.ts';

/** In milliseconds, where the server gives no keep-alive time-out. */
const usualRest = 30_000;
const longestRest = 300_000;
/** We give up a connection this much earlier than the server does, so that no request crosses its close on the way. */
const margin = 1000;
const sweepEvery = 5000;

export class Pool implements ConnectionOwner {
  readonly #dialer = new Dialer();
  readonly #connections = new Set<Connection>();
  readonly #resting = new Map<Origin, Rest[]>();
  readonly #now: () => number;
  #sweeper: NodeJS.Timeout | undefined;

  /** The clock, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  send(exchange: Exchange): void {
    const rested = this.#take(exchange.options.origin);
    if (rested === undefined) this.#open(exchange);
    else rested.send(exchange);
  }

  #open(exchange: Exchange): void {
    const connection = new Connection(exchange.options.origin, this);
    this.#connections.add(connection);
    void connection.open(this.#dialer, exchange);
  }

  keep(connection: Connection, keptFor = usualRest + margin): void {
    const rest = Math.min(keptFor - margin, longestRest);
    if (rest <= 0) {
      connection.close();
      return;
    }
    const entry = { connection, until: this.#now() + rest };
    const resting = this.#resting.get(connection.origin);
    if (resting === undefined) this.#resting.set(connection.origin, [entry]);
    else resting.push(entry);
    this.#sweeper ??= startTimer(sweepEvery, this.#sweep);
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
    const resting = this.#resting.get(connection.origin) ?? [];
    const place = resting.findIndex((entry) => entry.connection === connection);
    if (place !== -1) resting.splice(place, 1);
  }

  close(): void {
    const failure = new ConnectionFailure('TRANSPORT_CLOSED', 'the transport was closed');
    clearTimeout(this.#sweeper);
    this.#sweeper = undefined;
    this.#resting.clear();
    for (const connection of this.#connections) connection.close(failure);
  }

  #take(origin: Origin): Connection | undefined {
    const rested = this.#resting.get(origin)?.pop();
    if (rested === undefined || rested.until > this.#now()) return rested?.connection;
    // The others have rested for longer.
    rested.connection.close();
    return undefined;
  }

  readonly #sweep = (): void => {
    this.#sweeper = undefined;
    const now = this.#now();
    for (const [origin, resting] of this.#resting) {
      for (const { connection } of resting.filter(({ until }) => until <= now)) connection.close();
      if (resting.length === 0) this.#resting.delete(origin);
    }
    if (this.#resting.size > 0) this.#sweeper = startTimer(sweepEvery, this.#sweep);
  };
}

interface Rest {
  readonly connection: Connection;
  readonly until: number;
}
