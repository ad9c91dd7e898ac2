// The interface of every model, every policy around a model, and every test double.

import type { CallContext } from './call.ts';
import type { StreamEvent, StopReason } from './event.ts';
import type { ChatRequest } from './request.ts';
import type { Usage } from './usage.ts';

export interface Provider {
  readonly name: string;
  /**
   * Resolves at the first event with content (or message-end): from then on the stream is committed.
   * Rejects if there is a failure before that: a rejected call may be retried at the same or another target.
   * A policy passes the context on to the providers it calls; a model does not need one.
   */
  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream>;
}

/** Read either the events or the bytes, once. Leaving the loop early cancels the call. */
export interface ModelStream extends AsyncIterable<StreamEvent> {
  /** The provider that responded. */
  readonly target: string;
  /** How the stream ended: read to its end, failed, or left by its reader. Never rejects. */
  readonly ended: Promise<Outcome>;
  /** The upstream's own bytes. Absent if something on the way may change the response. */
  readonly bytes?: WireBytes;
  /** The upstream's headers, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response as it was received, for pass-through to a client of the same wire. */
export interface WireBytes extends AsyncIterable<Uint8Array> {
  readonly wire: string;
  /** Server-sent events, or one JSON document. */
  readonly form: 'stream' | 'body';
  /** Reads everything at once. Present if everything has arrived. */
  readonly readAll?: () => Uint8Array;
}

export type Outcome =
  | { readonly type: 'complete'; readonly stopReason: StopReason; readonly usage: Usage }
  | { readonly type: 'failed'; readonly error: unknown; readonly usage: Usage }
  | { readonly type: 'left'; readonly usage: Usage };
