// The contract every model, every policy around a model, and every test double fulfils.

import type { CallContext } from './call.ts';
import type { StreamEvent, StopReason } from './event.ts';
import type { ChatRequest } from './request.ts';
import type { Usage } from './usage.ts';

export interface Provider {
  readonly name: string;
  /**
   * Resolves at the first content-bearing event (or message-end): from then on the stream is committed.
   * Rejects while nothing has been produced: a rejected call may be tried again or elsewhere.
   * A policy hands the context on to the providers it asks; a model needs none.
   */
  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream>;
}

/** Read the events or the bytes, not both. Leaving either loop early cancels the call. */
export interface ModelStream extends AsyncIterable<StreamEvent> {
  /** Who answered. */
  readonly target: string;
  /** How it ended. Settles once the stream was read to its end, failed or was left; never rejects. */
  readonly ended: Promise<Outcome>;
  /** The upstream's own bytes. There are none where something on the way may change the answer. */
  readonly bytes?: WireBytes;
  /** The upstream's headers, in small letters. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer as it came, for pass-through to a client of the same wire. */
export interface WireBytes extends AsyncIterable<Uint8Array> {
  readonly wire: string;
  /** Server-sent events, or one JSON document. */
  readonly form: 'stream' | 'body';
  /** Reads all of it at once, where all of it is there. */
  readonly readAll?: () => Uint8Array;
}

export type Outcome =
  | { readonly type: 'complete'; readonly stopReason: StopReason; readonly usage: Usage }
  | { readonly type: 'failed'; readonly error: unknown; readonly usage: Usage }
  | { readonly type: 'left'; readonly usage: Usage };
