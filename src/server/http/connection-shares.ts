// How many connections each key may have. Half of all connections is divided equally among the keys, and the other half is
// for any key, in the order of arrival, so no key can take all.
// Invariants: a key can always have its own part; a key that is alone can have all; a connection counts for the key that
// used it last.

import type { Socket } from 'node:net';

export class ConnectionShares {
  readonly #limit: number;
  readonly #ownerOf = new Map<Socket, string>();
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts the connection for `owner`, one of `owners` keys. Returns false, and counts nothing, if it has too many. */
  claim(socket: Socket, owner: string, owners: number): boolean {
    const before = this.#ownerOf.get(socket);
    if (before === owner) return true;
    this.release(socket);
    if (!this.#hasRoom(owner, owners)) return false;
    if (before === undefined) socket.once('close', () => this.release(socket));
    this.#ownerOf.set(socket, owner);
    this.#counts.set(owner, this.#countOf(owner) + 1);
    return true;
  }

  release(socket: Socket): void {
    const owner = this.#ownerOf.get(socket);
    if (owner === undefined) return;
    this.#ownerOf.delete(socket);
    const rest = this.#countOf(owner) - 1;
    if (rest > 0) this.#counts.set(owner, rest);
    else this.#counts.delete(owner);
  }

  has(socket: Socket): boolean {
    return this.#ownerOf.has(socket);
  }

  #hasRoom(owner: string, owners: number): boolean {
    const own = Math.floor(this.#limit / 2 / owners);
    if (owners < 2 || this.#countOf(owner) < own) return true;
    let borrowed = 0;
    for (const count of this.#counts.values()) borrowed += Math.max(0, count - own);
    return borrowed < this.#limit - owners * own;
  }

  #countOf(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }
}
