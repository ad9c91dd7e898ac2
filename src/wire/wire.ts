// A wire is a codec with two sides: `WireClient` speaks it to a provider, `WireServer` speaks it to our own
// clients. Both sides are synchronous machines that know nothing of sockets, so a test can cut a stream at
// every byte and a server can translate inside one data callback.
// Invariant: decode(encode(events)) = events, after the normalisation each wire documents.

import type { AssembledMessage } from '../core/assembler.ts';
import type { FailureReport, SimpleAgentsError } from '../core/error.ts';
import type { StopReason, StreamEvent } from '../core/event.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelListing } from '../core/model-listing.ts';
import type { ChatRequest } from '../core/request.ts';
import type { Usage } from '../core/usage.ts';
import type { Unsupported } from './unsupported.ts';

export interface WireClient {
  readonly name: string;
  /** Appended to a provider's base URL. */
  readonly path: string;
  /** What the request asks for that this wire cannot say and that changes the meaning of the answer. */
  findUnsupported(request: ChatRequest, options?: EncodeOptions): Unsupported | undefined;
  /** Leaves out what is unsupported: whoever sends the request asks `findUnsupported` first. */
  encodeRequest(request: ChatRequest, options?: EncodeOptions): EncodedRequest;
  /** For a body of `text/event-stream`. */
  decodeStream(options?: DecodeOptions): StreamDecoder;
  /** For a plain JSON body. Throws the classified error when the body is one. */
  decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[];
  /** How a plain body ends, where that can be told without decoding it: then decoding it cannot fail either. */
  summarizeBody?(body: unknown): BodySummary | undefined;
  /** What the body of a failed answer says; the caller adds status and headers and classifies it. */
  decodeError(body: unknown): FailureReport;
  /** For the byte path: follows a stream without decoding it. */
  scanStream(): StreamScanner;
}

export interface WireServer {
  readonly name: string;
  /** The header that names a request, for whoever asks for help. */
  readonly requestIdHeader: string;
  /** A header that every client of this wire sends, and no other. */
  readonly versionHeader?: string;
  /** Arguments of tool calls are text in a body, so a call that the token limit cut can be sent as far as it came. */
  readonly hasTextArguments?: boolean;
  /**
   * Throws `bad-request` naming the field. Fields we do not know go to `extra` under this wire's name. Of the headers, by
   * names in small letters, only those that are part of the request are read.
   */
  decodeRequest(body: unknown, headers?: RequestHeaders): ChatRequest;
  encodeStream(options?: EncodeStreamOptions): StreamEncoder;
  /** How this wire calls a member of the hub's request. */
  readonly fieldNames: Readonly<Record<string, string>>;
  /** What the body says of the form of a stream. */
  streamOptionsOf(body: unknown): Pick<EncodeStreamOptions, 'includeUsage'>;
  /** For the byte path. */
  passStream(options?: Pick<EncodeStreamOptions, 'includeUsage'>): StreamPassthrough;
  /** `created` as in `EncodeStreamOptions`. */
  encodeBody(message: AssembledMessage, created?: number): JsonObject;
  encodeError(error: SimpleAgentsError): { readonly status: number; readonly body: JsonObject };
  encodeModel(model: ModelListing): JsonObject;
  encodeModels(models: readonly ModelListing[]): JsonObject;
}

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface EncodeOptions {
  /** The provider's name: blocks another provider signed are not sent. */
  readonly provider?: string;
  readonly quirks?: Quirks;
}

/** How a vendor differs from the wire's inventor. Data in the vendor's row; absent means "as the inventor". */
export interface Quirks {
  /** Where the answer's token limit goes. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** How prompt-cache markers are written; `none`: the vendor rejects or ignores them. */
  readonly cacheMarkers?: 'breakpoint' | 'cache-control' | 'none';
  /** The richest response format the vendor accepts; `json-schema-only`: it refuses plain JSON. */
  readonly responseFormat?: 'json-schema' | 'json-schema-only' | 'json' | 'none';
  /** How the vendor wants its own reasoning back; `none`: not at all. */
  readonly reasoning?: 'content' | 'details' | 'none';
  readonly seedField?: 'seed' | 'random_seed';
  /** The only form of tool-call ids the vendor accepts, also of those that others made. */
  readonly toolCallIds?: 'nine-alphanumeric';
  /** The vendor rejects `stream_options`. */
  readonly noStreamOptions?: boolean;
  /** The vendor rejects `user`. */
  readonly noUser?: boolean;
}

export interface EncodedRequest {
  readonly body: JsonObject;
  /** That belong to this request, beside those of every request. Names in small letters. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the wire could not say, one sentence each. */
  readonly losses: readonly string[];
  /** The fields among them that tune the answer. */
  readonly dropped: readonly string[];
  /** What to demand of the answer when it is decoded. */
  readonly expected?: Pick<DecodeOptions, 'logprobs'>;
}

export interface BodySummary {
  readonly stopReason: StopReason;
  readonly usage: Usage;
}

export interface DecodeOptions {
  /** Stamped on signed and unknown blocks as their origin. */
  readonly provider?: string;
  /** The request wants log probabilities: an answer without them is an error. */
  readonly logprobs?: boolean;
}

/**
 * Fed with chunks cut anywhere. A failure does not throw, because the events before it must not be lost:
 * read the events, then look at `failure`.
 */
export interface StreamDecoder {
  push(chunk: Uint8Array): StreamEvent[];
  /** The bytes have ended, for whatever reason. Without a stop reason that is a cut: `failure` is then set. */
  end(): StreamEvent[];
  /** `message-end` was emitted; what follows does not matter. */
  readonly done: boolean;
  readonly failure: SimpleAgentsError | undefined;
  /** What the provider has reported so far, for a stream that is cut or left: it is billed all the same. */
  readonly usage: Usage;
}

export interface StreamScanner {
  push(chunk: Uint8Array): void;
  end(): void;
  /** Content has passed. */
  readonly committed: boolean;
  /** How many frames have passed; pings and comments are none. Standing still, it tells a stream that fell silent. */
  readonly frames: number;
  readonly done: boolean;
  readonly failure: SimpleAgentsError | undefined;
  /** The provider reported the failure in the stream itself, so a client can read it there. */
  readonly isReported: boolean;
  readonly usage: Usage;
  readonly stopReason: StopReason | undefined;
}

export interface EncodeStreamOptions {
  /** Unix seconds, where the wire wants a time; passed in so that encoding is a pure function. */
  readonly created?: number;
  /** Whether the client asked for usage in the stream, where the wire leaves it out by default. */
  readonly includeUsage?: boolean;
}

/**
 * A stream of this wire on its way to a client of this wire: whole frames, unchanged, without those the client did not
 * ask for. So whatever follows, a comment or a failure, begins a frame of its own.
 */
export interface StreamPassthrough {
  /** The bytes to send, possibly none. */
  push(chunk: Uint8Array): Uint8Array;
  /** What is left when the stream has ended well. */
  end(): Uint8Array;
}

/** Each call gives the text to send, possibly empty. `message-end` closes the stream. */
export interface StreamEncoder {
  /** Whether the end of the stream tells the usage, and with it what the answer cost. */
  readonly includesUsage: boolean;
  /** `cost`, with `message-end`: in US dollars. */
  push(event: StreamEvent, cost?: number): string;
  /** The explicit end of a stream that failed. */
  fail(error: SimpleAgentsError): string;
}
