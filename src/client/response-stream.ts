// What every streamed answer is to a library user: iterate the events, or await the whole. The call is made when
// reading begins; leaving the loop cancels it. What the whole is, and when it is there, the kind of stream says.
// Invariants:
//   1. An answer is whole only with its message-end: a stream that just stops has failed.
//   2. `final` takes no event away from whoever iterates.

import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import { finished } from '../core/pull-iterator.ts';

type StreamEnd<Whole> = { readonly whole: Whole } | { readonly error: unknown };

export abstract class ResponseStream<Whole> implements AsyncIterable<StreamEvent> {
  readonly #cancel = new AbortController();
  #opening: Promise<AsyncIterator<StreamEvent>> | undefined;
  #events: AsyncIterator<StreamEvent> | undefined;
  #pulls = 0;
  /** What `final` read ahead of the one who iterates. */
  #unread: StreamEvent[] = [];
  #reader: 'none' | 'iterator' | 'final' = 'none';
  #isLeft = false;
  #end: StreamEnd<Whole> | undefined;
  /** Who answers, once that is known. */
  protected target = '';

  /** Makes the call. */
  protected abstract open(signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>;

  /** Gives the whole with the last event, or throws why there is none. */
  protected abstract take(event: StreamEvent): Whole | undefined;

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, undefined, undefined> {
    if (this.#reader !== 'none') throw new SimpleAgentsError('bad-request', 'a stream can be read only once');
    this.#reader = 'iterator';
    return { next: () => this.#next(), return: () => Promise.resolve(this.#leave()) };
  }

  /** The whole answer, reading what has not been read. Throws what the stream failed with. */
  async final(): Promise<Whole> {
    if (this.#reader === 'none') this.#reader = 'final';
    while (this.#end === undefined) await this.#pull();
    if ('error' in this.#end) throw this.#end.error;
    return this.#end.whole;
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
    const whole = this.take(event);
    if (whole !== undefined) this.#end = { whole };
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
    const details = this.target === '' ? {} : { target: this.target };
    return new SimpleAgentsError('network', 'the stream stopped without a stop reason', details);
  }
}
