// The base of all streamed responses of a client: iterate the events, or await the final result. The call is made when
// reading begins; leaving the loop cancels it. Subclasses define the result.
// Invariants:
//   1. A response is complete only with its message-end: a stream that just stops has failed.
//   2. `final` does not take events away from an iterating reader.

import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import { finished } from '../core/pull-iterator.ts';

type StreamEnd<Result> = { readonly result: Result } | { readonly error: unknown };

export abstract class ResponseStream<Result> implements AsyncIterable<StreamEvent> {
  readonly #cancel = new AbortController();
  #opening: Promise<AsyncIterator<StreamEvent>> | undefined;
  #events: AsyncIterator<StreamEvent> | undefined;
  #pulls = 0;
  /** Events that `final` read ahead of the iterator. */
  #unread: StreamEvent[] = [];
  #reader: 'none' | 'iterator' | 'final' = 'none';
  #isLeft = false;
  #end: StreamEnd<Result> | undefined;
  /** The target that responds, once it is known. */
  protected target = '';

  /** Makes the call. */
  protected abstract open(signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>;

  /** Takes an event; returns the result with the last one, or throws if there is none. */
  protected abstract take(event: StreamEvent): Result | undefined;

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, undefined, undefined> {
    if (this.#reader !== 'none') throw new SimpleAgentsError('bad-request', 'a stream can be read only once');
    this.#reader = 'iterator';
    return { next: () => this.#next(), return: () => Promise.resolve(this.#leave()) };
  }

  /** Reads the rest of the stream and returns the result. Throws the error that the stream failed with. */
  async final(): Promise<Result> {
    if (this.#reader === 'none') this.#reader = 'final';
    while (this.#end === undefined) await this.#pull();
    if ('error' in this.#end) throw this.#end.error;
    return this.#end.result;
  }

  async #next(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#unread.length === 0) await this.#pull();
    const event = this.#unread.shift();
    if (event !== undefined) return { done: false, value: event };
    if (!this.#isLeft && this.#end !== undefined && 'error' in this.#end) throw this.#end.error;
    return finished;
  }

  /** Reads one event, or the end of the stream. */
  async #pull(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#pulls++;
    try {
      this.#opening ??= this.#begin();
      const result = await (await this.#opening).next();
      if (result.done) this.#end ??= { error: this.#stopped() };
      else if (!this.#isLeft) this.#receive(result.value);
    } catch (error) {
      this.#end ??= { error };
    } finally {
      this.#pulls--;
    }
  }

  async #begin(): Promise<AsyncIterator<StreamEvent>> {
    const events = await this.open(this.#cancel.signal);
    this.#events = events[Symbol.asyncIterator]();
    return this.#events;
  }

  #receive(event: StreamEvent): void {
    if (this.#reader === 'iterator') this.#unread.push(event);
    const result = this.take(event);
    if (result !== undefined) this.#end = { result };
  }

  #leave(): IteratorReturnResult<undefined> {
    this.#isLeft = true;
    this.#unread = [];
    if (this.#end === undefined) {
      this.#end = {
        error: new SimpleAgentsError(
          'bad-request',
          'the stream was cancelled before its end, so there is no complete response',
        ),
      };
      void this.#close();
    }
    return finished;
  }

  /**
   * Closes the inner stream, then cancels the call. While a read is pending the call is cancelled first, because a
   * generator would finish that read before it closes.
   */
  async #close(): Promise<void> {
    if (this.#pulls > 0) this.#cancel.abort();
    try {
      await this.#events?.return?.();
    } catch {
      // The reader has left, so the error cannot be reported.
    } finally {
      this.#cancel.abort();
    }
  }

  #stopped(): SimpleAgentsError {
    const details = this.target === '' ? {} : { target: this.target };
    return new SimpleAgentsError('network', 'the stream stopped without a stop reason', details);
  }
}
