// The calls of a program in another language, and their replies. One call has one reply; a stream is read by calls, so a
// program that reads slowly slows down the provider, and nothing piles up.

import type { ErrorDetails, ErrorKind } from '../core/error.ts';

/** The caller numbers its calls. */
export type Call =
  | { readonly call: 'open-client'; readonly options?: unknown }
  | { readonly call: 'close-client'; readonly client: number }
  | ({ readonly call: 'complete' } & ModelCall)
  | ({ readonly call: 'open-stream'; readonly partials?: boolean | 'live' } & ModelCall)
  | { readonly call: 'read-stream' | 'close-stream'; readonly stream: number }
  | { readonly call: 'heal'; readonly text: string; readonly schema?: unknown; readonly options?: unknown }
  /** Ends the call with this id. Its own reply is an error with the kind `aborted`. */
  | { readonly call: 'cancel'; readonly target: number };

interface ModelCall {
  readonly client: number;
  /** As in the library: a text, messages, or a request. */
  readonly input: unknown;
  readonly model?: string;
}

export type Reply = { readonly id: number } & ({ readonly result: unknown } | { readonly error: ErrorReply });

/** The results of `read-stream`. */
export type StreamItem = { readonly event: unknown } | { readonly partial: unknown } | { readonly completion: unknown };

export interface ErrorReply extends Omit<ErrorDetails, 'cause'> {
  readonly kind: ErrorKind | 'aborted';
  readonly message: string;
  readonly retryable: boolean;
}
