// A committed response of type `text/event-stream`, read either as events or as bytes.
// Invariants:
//   1. Events that were decoded before a failure are returned before it is thrown. An abort is thrown at once.
//   2. `ended` is `failed` with the error that the reader threw, and `left` only if the loop was left.
//   3. Once the stop reason is known, a failure of the connection does not make the response incomplete.

import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream, Outcome, WireBytes } from '../core/provider.ts';
import { noUsage } from '../core/usage.ts';
import { ByteReader } from './byte-reader.ts';
import { StreamOutcome } from './stream-outcome.ts';
import { EventReader } from './event-reader.ts';
import type { Upstream } from './upstream.ts';

/** Resolves at the first content; `opening` and everything before it are kept. Rejects if there is no content. */
export async function openRemoteStream(upstream: Upstream, opening: StreamEvent[]): Promise<ModelStream> {
  const outcome = new StreamOutcome(upstream);
  const events = new EventReader(upstream, outcome, opening);
  const chunks = await events.commit();
  upstream.call.commit();
  return new RemoteStream(upstream, outcome, { events, bytes: () => new ByteReader(upstream, outcome, chunks) });
}

class RemoteStream implements ModelStream {
  readonly target: string;
  readonly ended: Promise<Outcome>;
  readonly bytes: WireBytes;
  readonly headers: Readonly<Record<string, string>>;
  /** Released when reading starts, because a reader of bytes needs no decoder and a stream may live long. */
  #events: EventReader | undefined;
  /** The reader of events, if events are read. It knows the usage so far. */
  #reader: EventReader | undefined;

  constructor(
    { target, wire, call, headers }: Upstream,
    outcome: StreamOutcome,
    { events, bytes }: { readonly events: EventReader; readonly bytes: () => ByteReader },
  ) {
    this.target = target;
    this.ended = outcome.ended;
    this.#events = events;
    this.headers = headers;
    this.bytes = {
      wire: wire.name,
      form: 'stream',
      [Symbol.asyncIterator]: () => {
        this.#begin();
        return bytes();
      },
    };
    call.signal.addEventListener('abort', () => {
      // After a time-out, a reader may still find that the response is complete. Without a reader, the stream has failed.
      if (call.aborted || this.#events !== undefined) outcome.fail(call.signal.reason, this.#reader?.usage ?? noUsage);
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
    this.#reader = this.#begin();
    return this.#reader;
  }

  #begin(): EventReader {
    const events = this.#events;
    if (events === undefined) {
      throw new SimpleAgentsError('internal', 'a stream can be read once, either as events or as bytes');
    }
    this.#events = undefined;
    return events;
  }
}
