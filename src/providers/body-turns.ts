// Reads a body in turns of the event loop. While data is buffered, reading it takes no macrotask, so one fast upstream
// would stop every other call. Invariants:
//   1. Between two turns of the event loop, one body gives at most `bytesPerTurn` bytes. Longer chunks are cut.
//   2. The bytes are the same, and a body that is slower than that waits for nothing.

import { macrotask } from '../core/macrotask.ts';

/** Decoding and sending this much takes about a millisecond. A turn costs a few microseconds. */
export const bytesPerTurn = 64 * 1024;

type Read = IteratorResult<Uint8Array>;

/** Pass what `next` resolves with through `take`. They are separate because another promise per chunk costs 10 %. */
export class BodyTurns {
  readonly #body: AsyncIterator<Uint8Array>;
  #given = 0;
  /** The part of a long chunk that is given in later turns. */
  #rest: Uint8Array | undefined;

  constructor(body: AsyncIterator<Uint8Array>) {
    this.#body = body;
  }

  next(): Promise<Read> {
    if (this.#given >= bytesPerTurn) return macrotask().then(this.#beginTurn);
    const rest = this.#rest;
    if (rest === undefined) return this.#body.next();
    this.#rest = undefined;
    return Promise.resolve({ done: false, value: rest });
  }

  take(result: Read): Read {
    if (result.done) return result;
    const room = bytesPerTurn - this.#given;
    const { value } = result;
    this.#given += Math.min(value.length, room);
    this.#rest = value.length > room ? value.subarray(room) : undefined;
    return this.#rest === undefined ? result : { done: false, value: value.subarray(0, room) };
  }

  readonly #beginTurn = (): Promise<Read> => {
    this.#given = 0;
    return this.next();
  };
}

export async function* inTurns(body: Chunks): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = chunksOf(body);
  const turns = new BodyTurns(iterator);
  try {
    for (;;) {
      const { done, value } = turns.take(await turns.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return();
  }
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

async function* chunksOf(body: Chunks): AsyncGenerator<Uint8Array, void, undefined> {
  yield* body;
}
