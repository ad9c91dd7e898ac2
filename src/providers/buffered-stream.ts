// A response that has completely arrived, as a stream of events or as bytes.

import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream, Outcome, WireBytes } from '../core/provider.ts';
import { finished } from '../core/pull-iterator.ts';
import { noUsage } from '../core/usage.ts';
import type { BodySummary } from '../wire/wire.ts';

export interface BufferedOptions {
  readonly signal: AbortSignal;
  /** Called when the stream is over. */
  readonly release?: () => void;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, and the wire it is encoded in. */
  readonly body?: { readonly wire: string; readonly bytes: Uint8Array };
}

export function bufferedStream(target: string, events: readonly StreamEvent[], options: BufferedOptions): ModelStream {
  return new BufferedStream(target, { events: () => events, conclusion: concludeEvents(events) }, options);
}

/** A response whose events are decoded only if they are read. */
export function lazyBufferedStream(target: string, answer: LazyBody, options: BufferedOptions): ModelStream {
  return new BufferedStream(target, answer, options);
}

export interface LazyBody {
  readonly conclusion: BodySummary | undefined;
  readonly events: () => readonly StreamEvent[];
}

export function concludeEvents(events: readonly StreamEvent[]): BodySummary | undefined {
  return events.find((event) => event.type === 'message-end');
}

class BufferedStream implements ModelStream {
  readonly target: string;
  readonly ended: Promise<Outcome>;
  declare readonly bytes?: WireBytes;
  declare readonly headers?: Readonly<Record<string, string>>;
  readonly #answer: LazyBody;
  readonly #signal: AbortSignal;
  readonly #settle: (outcome: Outcome) => void;
  readonly #onRelease: (() => void) | undefined;
  #isRead = false;
  /** A field, not a method, so that a copy of the stream made with `...` can be read as well. */
  readonly [Symbol.asyncIterator] = (): AsyncIterator<StreamEvent> =>
    this.#read(this.#answer.events(), (event) => {
      if (event.type === 'message-end') this.#complete();
    });

  constructor(target: string, answer: LazyBody, { signal, release, headers, body }: BufferedOptions) {
    this.target = target;
    this.#answer = answer;
    this.#signal = signal;
    this.#onRelease = release;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.ended = promise;
    this.#settle = resolve;
    if (headers !== undefined) this.headers = headers;
    if (body !== undefined) {
      const { wire, bytes } = body;
      this.bytes = {
        wire,
        form: 'body',
        readAll: () => this.#readWhole(bytes),
        [Symbol.asyncIterator]: () => this.#read([bytes], () => this.#complete()),
      };
    }
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Also after the events were read, for a reader that checks them first. */
  #readWhole(bytes: Uint8Array): Uint8Array {
    if (this.#isRead) return bytes;
    this.#begin();
    if (this.#signal.aborted) throw this.#signal.reason;
    this.#complete();
    return bytes;
  }

  #begin(): void {
    if (this.#isRead) throw new SimpleAgentsError('internal', 'a stream can be read only once');
    this.#isRead = true;
  }

  #read<T>(items: readonly T[], hand: (item: T) => void): AsyncIterator<T> {
    this.#begin();
    let position = 0;
    const end = (): Promise<IteratorResult<T>> => {
      position = items.length;
      this.#release({ type: 'left', usage: noUsage });
      return Promise.resolve(finished);
    };
    return {
      next: () => {
        const item = items[position++];
        if (item === undefined) return end();
        if (this.#signal.aborted) return end().then(() => Promise.reject(this.#signal.reason as Error));
        hand(item);
        return Promise.resolve({ done: false, value: item });
      },
      return: end,
    };
  }

  #complete(): void {
    const { conclusion } = this.#answer;
    if (conclusion === undefined) return;
    this.#release({ type: 'complete', stopReason: conclusion.stopReason, usage: conclusion.usage });
  }

  #release(outcome: Outcome): void {
    this.#settle(outcome);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#onRelease?.();
  }

  readonly #onAbort = (): void => {
    this.#settle({ type: 'failed', error: this.#signal.reason, usage: noUsage });
  };
}
