// A streamed answer as a library user reads it: iterate the events, or await the whole. The call is made when
// reading begins; leaving the loop cancels it.

import { MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Notice, StreamEvent } from '../core/event.ts';
import type { ModelStream } from '../core/provider.ts';
import { toCompletion, type Completion } from './completion.ts';

export class CompletionStream implements AsyncIterable<StreamEvent> {
  readonly #open: (signal: AbortSignal) => Promise<ModelStream>;
  readonly #cancel = new AbortController();
  readonly #assembler = new MessageAssembler();
  readonly #notices: Notice[] = [];
  #target = '';
  #begun = false;
  #completion: Completion | undefined;

  constructor(open: (signal: AbortSignal) => Promise<ModelStream>) {
    this.#open = open;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    if (this.#begun) throw new SimpleAgentsError('bad-request', 'a stream can be read only once');
    this.#begun = true;
    try {
      const stream = await this.#open(this.#cancel.signal);
      this.#target = stream.target;
      for await (const event of stream) {
        this.#assembler.push(event);
        if (event.type === 'notice') this.#notices.push(event);
        if (event.type === 'message-end') this.#complete();
        yield event;
      }
    } finally {
      if (this.#completion === undefined) this.#cancel.abort();
    }
  }

  /** What has arrived so far, also after a failure. Tool calls appear only when whole. */
  get partial(): AssembledMessage {
    return this.#assembler.message();
  }

  /** The whole answer, reading what has not been read. */
  async final(): Promise<Completion> {
    if (!this.#begun) for await (const _event of this);
    if (this.#completion === undefined) {
      throw new SimpleAgentsError('bad-request', 'the stream was left before its end: there is no whole answer');
    }
    return this.#completion;
  }

  #complete(): void {
    this.#completion = toCompletion(this.#assembler.message(), this.#target, this.#notices);
  }
}
