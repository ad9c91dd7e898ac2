// The memory that the bodies of all requests in progress may take together. A body counts from its first byte until
// nothing needs it any more. Bytes count as they arrive: a client that announces a large body and sends nothing takes
// nothing from others. Invariants:
//   1. What a request took is given back once, however the request ends.
//   2. A request that is alone always has room, so no body that is within the limit of one body is refused for ever.

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

  /** Whether so many bytes could be taken by a request that has none yet. */
  hasRoom(bytes: number): boolean {
    return bytes <= this.free || this.#used === 0;
  }

  /** For the body of one request. */
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
  /** Whether there was room for so many more bytes. */
  take(bytes: number): boolean;
  /** Gives everything back; may be called again. */
  release(): void;
}
