// The connections of a transport: those that rest, ready for the next exchange with their origin, and those in use. The one
// that rested last is used first, so that the others can grow old and be closed. There may be any number of them.

import { startTimer } from '../timeouts.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { ConnectionFailure } from './failure.ts';
import type { Origin } from './place.ts';
import { Dialer } from './socket.ts';

/** In milliseconds. A server that says nothing of it may keep a connection for longer or not; if not, we are told. */
const usualRest = 30_000;
const longestRest = 300_000;
/** So much earlier than the server, or a request might meet its close on the way. */
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
    if (rested === undefined) this.open(exchange);
    else rested.connection.send(exchange, this.#now() - rested.since);
  }

  open(exchange: Exchange): void {
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
    const since = this.#now();
    const entry = { connection, since, until: since + rest };
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

  #take(origin: Origin): Rest | undefined {
    const rested = this.#resting.get(origin)?.pop();
    if (rested === undefined || rested.until > this.#now()) return rested;
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
  readonly since: number;
  readonly until: number;
}
