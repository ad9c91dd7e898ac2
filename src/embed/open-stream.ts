// A stream that the caller reads call by call: its events, or its partial values, then the completion.

import type { CompletionStream } from '../client/completion-stream.ts';
import { TypedStream } from '../client/typed-stream.ts';
import { badCall } from './error-reply.ts';
import type { StreamItem } from './protocol.ts';

type ClientStream = CompletionStream | TypedStream<unknown, unknown>;

export class OpenStream {
  readonly #stream: ClientStream;
  readonly #cancel: AbortController;
  readonly #isPartial: boolean;
  readonly #items: AsyncIterator<unknown>;
  isReading = false;

  /** `partials`: read partial values instead of events; `live` values may be corrected later. */
  constructor(stream: ClientStream, cancel: AbortController, partials: boolean | 'live') {
    this.#stream = stream;
    this.#cancel = cancel;
    this.#isPartial = partials !== false;
    this.#items = partials === false ? stream[Symbol.asyncIterator]() : partialsOf(stream, partials !== 'live');
  }

  /** `signal` cancels the stream. One call at a time. */
  async read(signal: AbortSignal): Promise<StreamItem> {
    this.isReading = true;
    const abort = (): void => this.#cancel.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const { done, value } = await this.#items.next();
      if (done === true) return { completion: await this.#stream.final() };
      return this.#isPartial ? { partial: value } : { event: value };
    } finally {
      this.isReading = false;
      signal.removeEventListener('abort', abort);
    }
  }

  close(): void {
    this.#cancel.abort();
    void this.#items.return?.();
  }
}

function partialsOf(stream: ClientStream, monotone: boolean): AsyncIterator<unknown> {
  if (!(stream instanceof TypedStream)) throw badCall('partials: need a request with a schema');
  return stream.partials({ monotone });
}
