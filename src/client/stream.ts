// A streamed answer as a library user reads it: iterate the events, or await the whole. The call is made when
// reading begins; leaving the loop cancels it.
// Invariants:
//   1. An answer is whole only with its message-end: a stream that just stops has failed.
//   2. `final` takes no event away from whoever iterates.

import { MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { Notice, StreamEvent } from '../core/event.ts';
import type { ModelStream } from '../core/provider.ts';
import { toCompletion, type Completion } from './completion.ts';

type End = { readonly completion: Completion } | { readonly error: unknown };

const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class CompletionStream implements AsyncIterable<StreamEvent> {
  readonly #open: (signal: AbortSignal) => Promise<ModelStream>;
  readonly #cancel = new AbortController();
  readonly #assembler = new MessageAssembler();
  readonly #notices: Notice[] = [];
  #target = '';
  #opening: Promise<AsyncIterator<StreamEvent>> | undefined;
  #events: AsyncIterator<StreamEvent> | undefined;
  #pulls = 0;
  /** What `final` read ahead of the one who iterates. */
  #unread: StreamEvent[] = [];
  #reader: 'nobody' | 'iterator' | 'final' = 'nobody';
  #isLeft = false;
  #end: End | undefined;

  constructor(open: (signal: AbortSignal) => Promise<ModelStream>) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, undefined, undefined> {
    if (this.#reader !== 'nobody') throw new SimpleAgentsError('bad-request', 'a stream can be read only once');
    this.#reader = 'iterator';
    return { next: () => this.#next(), return: () => Promise.resolve(this.#leave()) };
  }

  /** What has arrived so far, also after a failure. Tool calls appear only when whole. */
  get partial(): AssembledMessage {
    return this.#assembler.message();
  }

  /** The whole answer, reading what has not been read. Throws what the stream failed with. */
  async final(): Promise<Completion> {
    if (this.#reader === 'nobody') this.#reader = 'final';
    while (this.#end === undefined) await this.#pull();
    if ('error' in this.#end) throw this.#end.error;
    return this.#end.completion;
  }

  async #next(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#unread.length === 0) await this.#pull();
    const event = this.#unread.shift();
    if (event !== undefined) return { done: false, value: event };
    if (!this.#isLeft && this.#end !== undefined && 'error' in this.#end) throw this.#end.error;
    return finished;
  }

  /** Takes one event, or learns how the stream ended. */
  async #pull(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#pulls++;
    try {
      this.#opening ??= this.#begin();
      const result = await (await this.#opening).next();
      if (result.done) this.#end ??= { error: this.#stopped() };
      else if (!this.#isLeft) this.#take(result.value);
    } catch (error) {
      this.#end ??= { error };
    } finally {
      this.#pulls--;
    }
  }

  async #begin(): Promise<AsyncIterator<StreamEvent>> {
    const stream = await this.#open(this.#cancel.signal);
    this.#target = stream.target;
    this.#events = stream[Symbol.asyncIterator]();
    return this.#events;
  }

  #take(event: StreamEvent): void {
    this.#assembler.push(event);
    if (event.type === 'notice') this.#notices.push(event);
    if (event.type === 'message-end') {
      this.#end = { completion: toCompletion(this.#assembler.message(), this.#target, this.#notices) };
    }
    if (this.#reader === 'iterator') this.#unread.push(event);
  }

  #leave(): IteratorReturnResult<undefined> {
    this.#isLeft = true;
    this.#unread = [];
    if (this.#end === undefined) {
      this.#end = {
        error: new SimpleAgentsError('bad-request', 'the stream was left before its end: it is not whole'),
      };
      void this.#close();
    }
    return finished;
  }

  /**
   * Lets the inner stream know first that it was left, unless somebody waits for its next event: a generator would
   * have them wait to the end.
   */
  async #close(): Promise<void> {
    if (this.#pulls > 0) this.#cancel.abort();
    try {
      await this.#events?.return?.();
    } catch {
      // Nobody is left to be told.
    } finally {
      this.#cancel.abort();
    }
  }

  #stopped(): SimpleAgentsError {
    const details = this.#target === '' ? {} : { target: this.#target };
    return new SimpleAgentsError('network', 'the stream stopped without a stop reason', details);
  }
}
