// A committed answer of `text/event-stream`, read either as events or as bytes. Both readers are written by
// hand, not as generators: a buffered event costs one promise, and a chunk one wake-up.
// Invariants:
//   1. Every event decoded before a failure is handed out before the failure is thrown; an abort waits for nothing.
//   2. `ended` says `failed` with what the reader threw, and `left` only when the loop was left.
//   3. Once the stop reason is known, no failure of the connection makes the answer incomplete.

import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream, Outcome, WireBytes } from '../core/provider.ts';
import { noUsage } from '../core/usage.ts';
import { ByteReader } from './byte-reader.ts';
import { StreamOutcome } from './stream-outcome.ts';
import { EventReader } from './event-reader.ts';
import type { Upstream } from './upstream.ts';

/** Resolves at the first content, holding `opening` and all that came before it; rejects when none comes. */
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
  /** Nothing once somebody reads: a reader of bytes has no use for its decoder, and an idle stream is kept for long. */
  #events: EventReader | undefined;
  /** The one who reads events, who knows what was reported so far. */
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
      // A reader that is told of a time-out may still find the answer complete; an absent one never will.
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
