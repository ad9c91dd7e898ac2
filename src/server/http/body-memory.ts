// Limits the memory of the bodies of all requests in progress. A body counts from its first byte until it is released.
// Bytes count as they arrive, so a client that announces a large body and sends nothing uses no memory. Invariants:
//   1. The memory of a request is released exactly once, however the request ends.
//   2. A single request always has room, so a body within the limit of one body is never rejected forever.

export class BodyMemory {
  readonly #limit: number;
  #used = 0;

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

  /** Whether a request that holds no memory yet could take this many bytes. */
  hasRoom(bytes: number): boolean {
    return bytes <= this.free || this.#used === 0;
  }

  /** Opens the account of one request. */
  open(): BodyShare {
    let held = 0;
    return {
      take: (bytes) => {
        const isAlone = this.#used === held;
        if (bytes > this.free && !isAlone) return false;
        held += bytes;
        this.#used += bytes;
        return true;
      },
      release: () => {
        this.#used -= held;
        held = 0;
      },
    };
  }
}

export interface BodyShare {
  /** Takes more bytes. Returns false, and takes nothing, when there is no room. */
  take(bytes: number): boolean;
  /** Releases all bytes. May be called more than once. */
  release(): void;
}
