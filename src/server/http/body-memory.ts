// Limits the memory of the bodies of all requests in progress. A body counts from its first byte until it is released.
// Bytes count as they arrive, so a client that announces a large body and sends nothing uses no memory. Invariants:
//   1. The memory of a request is released exactly once, however the request ends.
//   2. A single request always has room, so a body within the limit of one body is never rejected forever.
//   3. With several owners, one owner holds at most as much as is still free, so another one always finds room.

export class BodyMemory {
  readonly #limit: number;
  readonly #heldBy = new Map<string, number>();
  #used = 0;
  /** Whether requests of several owners may arrive. A single owner may use all memory. */
  isShared = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes. */
  get used(): number {
    return this.#used;
  }

  get free(): number {
    return this.#limit - this.#used;
  }

  /** Whether a request of this owner that holds no memory yet could take this many bytes. */
  hasRoom(bytes: number, owner: string): boolean {
    return this.#used === 0 || this.#fits(bytes, owner);
  }

  /** Opens the account of one request. */
  open(owner: string): BodyShare {
    let held = 0;
    return {
      take: (bytes) => {
        const isAlone = this.#used === held;
        if (!isAlone && !this.#fits(bytes, owner)) return false;
        held += bytes;
        this.#add(owner, bytes);
        return true;
      },
      release: (bytes = held) => {
        this.#add(owner, -bytes);
        held -= bytes;
      },
    };
  }

  #fits(bytes: number, owner: string): boolean {
    if (bytes > this.free) return false;
    return !this.isShared || (this.#heldBy.get(owner) ?? 0) + bytes <= this.free;
  }

  #add(owner: string, bytes: number): void {
    this.#used += bytes;
    const held = (this.#heldBy.get(owner) ?? 0) + bytes;
    if (held === 0) this.#heldBy.delete(owner);
    else this.#heldBy.set(owner, held);
  }
}

export interface BodyShare {
  /** Takes more bytes. Returns false, and takes nothing, when there is no room. */
  take(bytes: number): boolean;
  /** Releases some bytes, or all that are held. May be called more than once. */
  release(bytes?: number): void;
}
