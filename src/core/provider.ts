// The interface of every model, every policy around a model, and every test double.

import type { CallContext } from './call.ts';
import type { EmbeddingRequest, EmbeddingResponse } from './embedding.ts';
import type { StreamEvent, StopReason } from './event.ts';
import type { ForwardRequest, ForwardResponse } from './forward.ts';
import type { ChatRequest } from './request.ts';
import type { Usage } from './usage.ts';

/** Something that can be called. Policies that do not look into requests and responses wrap any of them. */
export interface Callable<Request extends CallRequest, Response extends CallResponse> {
  readonly name: string;
  /** Rejects while nothing has been delivered: a rejected call may be retried at the same or another target. */
  open(request: Request, signal: AbortSignal, context?: CallContext): Promise<Response>;
}

export interface CallRequest {
  /** An empty name means the default model. */
  readonly model: string;
  readonly stream?: boolean;
}

export interface CallResponse {
  /** The provider that responded. */
  readonly target: string;
  /** How the response ended: read to its end, failed, or left by its reader. Never rejects. */
  readonly ended: Promise<Outcome>;
}

export interface Provider extends Callable<ChatRequest, ModelStream> {
  /**
   * Resolves at the first event with content (or message-end): from then on the stream is committed.
   * Rejects if there is a failure before that. A policy passes the context on to the providers it calls; a model does
   * not need one.
   */
  open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream>;
  /** The provider's own count of the prompt's tokens. Absent if it has no route for that. */
  countTokens?(request: ChatRequest, signal: AbortSignal): Promise<number | undefined>;
  /** The models that the provider lists, by their own names. Absent if it has no list. */
  listModels?(signal: AbortSignal): Promise<readonly string[]>;
  /** Sends a request of another route. Rejects if the provider responds with an error. */
  forward?(request: ForwardRequest, signal: AbortSignal): Promise<ForwardResponse>;
  /** Absent if the provider has no embeddings. */
  embed?(request: EmbeddingRequest, signal: AbortSignal, context?: CallContext): Promise<EmbeddingResponse>;
}

/** Read either the events or the bytes, once. Leaving the loop early cancels the call. */
export interface ModelStream extends AsyncIterable<StreamEvent>, CallResponse {
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
  /** Reads everything at once, possibly after the events. Present if everything has arrived. */
  readonly readAll?: () => Uint8Array;
}

export type Outcome =
  | { readonly type: 'complete'; readonly stopReason: StopReason; readonly usage: Usage }
  | { readonly type: 'failed'; readonly error: unknown; readonly usage: Usage }
  | { readonly type: 'left'; readonly usage: Usage };
