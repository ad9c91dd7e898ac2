// Reads a remote stream as events: returns the decoder's events one by one, and reads a chunk only when there are none left.

import { SimpleAgentsError } from '../core/error.ts';
import { isContent, type StreamEvent } from '../core/event.ts';
import { finished, PullIterator } from '../core/pull-iterator.ts';
import type { Usage } from '../core/usage.ts';
import type { StreamDecoder } from '../wire/wire.ts';
import type { BodyTurns } from './body-turns.ts';
import type { RemoteCall } from './remote-call.ts';
import type { StreamOutcome } from './stream-outcome.ts';
import type { Upstream } from './upstream.ts';

export class EventReader extends PullIterator<StreamEvent> {
  readonly #call: RemoteCall;
  readonly #body: BodyTurns;
  readonly #decoder: StreamDecoder;
  readonly #outcome: StreamOutcome;
  #events: StreamEvent[];
  #position = 0;
  /** Set when no more events will be decoded. Thrown after the remaining events, unless they end the message. */
  #failure: { readonly error: unknown } | undefined;
  #isFresh = true;
  #isClosed = false;

  constructor({ wire, decoding, body, call }: Upstream, outcome: StreamOutcome, opening: StreamEvent[]) {
    super();
    this.#call = call;
    this.#body = body;
    this.#decoder = wire.decodeStream(decoding);
    this.#outcome = outcome;
    this.#events = opening;
  }

  /** Reads up to the first content and returns the chunks that it read, for the byte reader. */
  async commit(): Promise<Uint8Array[]> {
    const chunks: Uint8Array[] = [];
    while (!this.#events.some(isContent)) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const chunk = await this.#read();
      if (chunk !== undefined) chunks.push(chunk);
    }
    return chunks;
  }

  get usage(): Usage {
    return this.#decoder.usage;
  }

  protected override take(): IteratorResult<StreamEvent, undefined> | undefined {
    if (this.#isClosed) return finished;
    if (this.#call.aborted) throw this.#fail(this.#call.signal.reason);
    const event = this.#events[this.#position];
    if (event !== undefined) return this.#hand(event);
    if (this.#failure !== undefined) throw this.#fail(this.#failure.error);
    return undefined;
  }

  protected override request(): void {
    this.#read().then(this.#proceed, this.#stop);
  }

  readonly #proceed = (): void => this.wake();

  /** The decoder threw an error. */
  readonly #stop = (error: unknown): void => {
    this.#failure = { error };
    this.wake();
  };

  protected override leave(): void {
    this.#isClosed = true;
    this.#outcome.leave(this.usage);
  }

  #hand(event: StreamEvent): IteratorYieldResult<StreamEvent> {
    this.#position++;
    if (event.type === 'message-end') {
      this.#isClosed = true;
      this.#outcome.complete(event.stopReason, event.usage);
    }
    return { done: false, value: event };
  }

  #fail(error: unknown): unknown {
    this.#isClosed = true;
    return this.#outcome.fail(error, this.usage);
  }

  #read(): Promise<Uint8Array | undefined> {
    this.#call.startWaiting(this.#isFresh);
    return this.#body.next().then(this.#accept, this.#interrupt);
  }

  readonly #accept = (result: IteratorResult<Uint8Array>): Uint8Array | undefined => {
    this.#call.stopWaiting();
    const { done, value } = this.#body.take(result);
    const chunk = done ? undefined : value;
    this.#take(chunk === undefined ? this.#decoder.end() : this.#decoder.push(chunk));
    if (chunk === undefined || this.#decoder.done || this.#decoder.failure !== undefined) {
      this.#failure = {
        error: this.#decoder.failure ?? new SimpleAgentsError('internal', 'the decoder produced no message-end'),
      };
    }
    return chunk;
  };

  readonly #interrupt = (error: unknown): undefined => {
    this.#call.stopWaiting();
    this.#take(this.#decoder.end());
    this.#failure = { error };
  };

  #take(events: StreamEvent[]): void {
    this.#isFresh = events.some(isContent);
    if (this.#position === this.#events.length) {
      this.#events = events;
      this.#position = 0;
    } else for (const event of events) this.#events.push(event);
  }
}
