// A streamed answer as a library user reads it: iterate the events, or await the whole. The call is made when
// reading begins; leaving the loop cancels it.

import type { AssembledMessage } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { Completion } from './completion.ts';
import { Reading, type Open } from './reading.ts';

export class CompletionStream implements AsyncIterable<StreamEvent> {
  readonly #open: Open;
  readonly #cancel = new AbortController();
  readonly #reading = new Reading();
  #begun = false;

  constructor(open: Open) {
    this.#open = open;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#begun) throw readTwice();
    this.#begun = true;
    try {
      yield* this.#reading.read(await this.#open(this.#cancel.signal));
    } finally {
      if (this.#reading.completion === undefined) this.#cancel.abort();
    }
  }

  /** What has arrived so far, also after a failure. Tool calls appear only when whole. */
  get partial(): AssembledMessage {
    return this.#reading.message;
  }

  /** The whole answer, reading what has not been read. */
  async final(): Promise<Completion> {
    if (!this.#begun) for await (const _event of this);
    return this.#reading.completion ?? leftEarly();
  }
}

export function readTwice(): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', 'a stream can be read only once');
}

export function leftEarly(): never {
  throw new SimpleAgentsError('bad-request', 'the stream was left before its end: there is no whole answer');
}
