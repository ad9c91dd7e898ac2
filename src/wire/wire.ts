// A wire is a codec with two sides: `WireClient` speaks it to a provider, `WireServer` speaks it to our own clients. Both
// sides are synchronous state machines without I/O, so a test can cut a stream at every byte.
// Invariant: decode(encode(events)) = events, after the normalization that each wire documents.

import type { AssembledMessage } from '../core/assembler.ts';
import type { FailureReport, SimpleAgentsError } from '../core/error.ts';
import type { StopReason, StreamEvent } from '../core/event.ts';
import type { JsonObject } from '../core/json.ts';
import type { ModelListing } from '../core/model-listing.ts';
import type { ChatRequest, ClientFormat } from '../core/request.ts';
import type { Usage } from '../core/usage.ts';
import type { Unsupported } from './unsupported.ts';

export interface WireClient {
  readonly name: string;
  /** Appended to a provider's base URL, unless the encoded request has its own path. */
  readonly path: string;
  /** The request header with the version of the API. */
  readonly versionHeader?: string;
  /** For streams that are not server-sent events. */
  readonly framing?: StreamFraming;
  /** The route that counts the tokens of a prompt. Absent if the wire has none. */
  readonly counting?: CountingRoute;
  /** The route that lists the models. Left out: that of OpenAI. */
  readonly listing?: ListingRoute;
  /** Finds a part of the request that this wire cannot express and that changes the meaning of the response. */
  findUnsupported(request: ChatRequest, options?: EncodeOptions): Unsupported | undefined;
  /** Leaves out what is unsupported. The caller checks `findUnsupported` first. */
  encodeRequest(request: ChatRequest, options?: EncodeOptions): EncodedRequest;
  /** For server-sent events: a response of type `text/event-stream`, or what `framing` makes of another one. */
  decodeStream(options?: DecodeOptions): StreamDecoder;
  /** For a plain JSON response. Throws the classified error if the body contains one. */
  decodeBody(body: unknown, options?: DecodeOptions): StreamEvent[];
  /** The stop reason and usage of a plain body, if they can be read without decoding it. Decoding then cannot fail. */
  summarizeBody?(body: unknown): BodySummary | undefined;
  /** Reads the body of an error response. The caller adds the status and classifies it. `headers`: names in lower case. */
  decodeError(body: unknown, headers?: Readonly<Record<string, string>>): FailureReport;
  /** Follows a stream whose bytes pass unchanged, without decoding it. */
  scanStream(): StreamScanner;
}

/** Another framing of a stream, whose frames are translated into server-sent events before anything reads them. */
export interface StreamFraming {
  readonly mediaType: string;
  open(): FrameTranslator;
}

/** Takes chunks cut anywhere. A failure is not thrown, because the events before it must not be lost. */
export interface FrameTranslator {
  push(chunk: Uint8Array): Uint8Array;
  readonly failure: SimpleAgentsError | undefined;
}

export interface CountingRoute {
  encode(request: ChatRequest, options?: EncodeOptions): { readonly path: string; readonly body: JsonObject };
  /** The count in a response; anything but a whole number is an error. */
  decode(body: Readonly<Record<string, unknown>>): unknown;
}

export interface ListingRoute {
  readonly path: string;
  /** The names of the models in a response. Values that are not strings are ignored. */
  decode(body: unknown): readonly unknown[];
}

export interface WireServer {
  readonly name: string;
  /** The response header with the request id, for support requests. */
  readonly requestIdHeader: string;
  /** A header that every client of this wire sends, and no other client. */
  readonly versionHeader?: string;
  /** The parameter of the URL that may contain the key. */
  readonly keyParameter?: string;
  /** A stream begins with the tokens of the prompt. */
  readonly startsWithUsage?: boolean;
  /** Tool arguments are text in a body, so a call that the token limit cut off can be sent incomplete. */
  readonly hasTextArguments?: boolean;
  /**
   * Throws `bad-request` naming the field. Unknown fields are stored in `extra` under this wire's name. `headers` has
   * lower-case names; only those that are part of the request are read.
   */
  decodeRequest(body: unknown, headers?: RequestHeaders): ChatRequest;
  /** For wires with versions: the one that the client asks for, and what it refuses. Throws `bad-request`. */
  decodeVersion?(headers: RequestHeaders, body: unknown): Omit<ClientFormat, 'wire'>;
  encodeStream(options?: EncodeResponseOptions): StreamEncoder;
  /** The names of members of `ChatRequest` in this wire. */
  readonly fieldNames: Readonly<Record<string, string>>;
  /** What the response depends on in the body of the request. */
  encodeOptionsOf(body: unknown): Pick<EncodeResponseOptions, 'includeUsage' | 'hidesReasoning' | 'echo'>;
  /** For a stream whose bytes pass unchanged. */
  passStream(options?: Pick<EncodeResponseOptions, 'includeUsage' | 'identity'>): StreamPassthrough;
  /** For a plain body that passes unchanged except for its ids. Left out: the wire's ids are not replaced. */
  passBody?(body: Uint8Array, identity: ResponseIdentity): Uint8Array;
  /** What breaks a long silence in a stream, for wires whose clients do not skip comments. Left out: a comment. */
  readonly keepAlive?: string;
  /**
   * Adds a report of the call to the last of these frames, for the same wires. Their `passStream` holds the last frame back
   * until the end. Left out: the report is a comment before the last frame.
   */
  addReport?(frames: string, report: JsonObject): string;
  encodeBody(message: AssembledMessage, options?: EncodeResponseOptions): JsonObject;
  encodeError(error: SimpleAgentsError): { readonly status: number; readonly body: JsonObject };
  encodeModel(model: ModelListing): JsonObject;
  /** `hasMore`: the list is one page of several. */
  encodeModels(models: readonly ModelListing[], hasMore?: boolean): JsonObject;
}

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface EncodeOptions {
  /** The provider's name. Blocks that another provider signed are not sent. */
  readonly provider?: string;
  readonly quirks?: Quirks;
}

/** How a vendor differs from the vendor that defined the wire. Part of the vendor's row; absent means no difference. */
export interface Quirks {
  /** The field of the token limit. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** How prompt-cache markers are written; `none`: the vendor rejects or ignores them. */
  readonly cacheMarkers?: 'breakpoint' | 'cache-control' | 'none';
  /** The richest response format the vendor accepts; `json-schema-only`: it rejects plain JSON. */
  readonly responseFormat?: 'json-schema' | 'json-schema-only' | 'json' | 'none';
  /** The form in which the vendor's own reasoning is sent back; `none`: it is not sent. */
  readonly reasoning?: 'content' | 'details' | 'none';
  readonly seedField?: 'seed' | 'random_seed';
  /** The only form of tool-call ids the vendor accepts, also for ids that another vendor created. */
  readonly toolCallIds?: 'nine-alphanumeric';
  /** The vendor rejects `stream_options`. */
  readonly noStreamOptions?: boolean;
  /** The vendor rejects `user`. */
  readonly noUser?: boolean;
  /** The vendor rejects the role `developer`, so such a message is sent as a system message. */
  readonly noDeveloperRole?: true;
  /** The token count of a prompt is requested with the members of the prompt, not with a whole request inside. */
  readonly flatCount?: boolean;
  /** `false`: requests are translated without the rules of the model's family. */
  readonly rules?: false;
}

export interface EncodedRequest {
  readonly body: JsonObject;
  /** Replaces the path of the wire, for wires that have the model in the path. It may have a query. */
  readonly path?: string;
  /** Headers of this request, in addition to those of every request. Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the wire could not express, one sentence each. */
  readonly losses: readonly string[];
  /** The fields among them that affect the response. */
  readonly dropped: readonly string[];
  /** What to require of the response when it is decoded. */
  readonly expected?: Pick<DecodeOptions, 'logprobs' | 'model'>;
}

export interface BodySummary {
  readonly stopReason: StopReason;
  readonly usage: Usage;
}

export interface DecodeOptions {
  /** Stored in signed and unknown blocks as their origin. */
  readonly provider?: string;
  /** The request asks for log probabilities, so a response without them is an error. */
  readonly logprobs?: boolean;
  /** The requested model, for wires whose responses do not name it. */
  readonly model?: string;
  /** The provider's id of the request, for wires whose responses have no id. */
  readonly requestId?: string;
}

/**
 * Takes chunks cut anywhere. A failure is not thrown, because the events before it must not be lost: read the events, then
 * check `failure`.
 */
export interface StreamDecoder {
  push(chunk: Uint8Array): StreamEvent[];
  /** Call when the bytes have ended for any reason. Without a stop reason the stream was cut, and `failure` is set. */
  end(): StreamEvent[];
  /** `message-end` was emitted. Further input is ignored. */
  readonly done: boolean;
  readonly failure: SimpleAgentsError | undefined;
  /** Token counts reported so far. A stream that is cut or abandoned is billed too. */
  readonly usage: Usage;
}

export interface StreamScanner {
  push(chunk: Uint8Array): void;
  end(): void;
  /** Whether content has passed. */
  readonly committed: boolean;
  /** The number of frames so far, without pings and comments. Used to detect a stream that has gone silent. */
  readonly frames: number;
  readonly done: boolean;
  readonly failure: SimpleAgentsError | undefined;
  /** Whether the provider reported the failure in the stream, so that the client has received it. */
  readonly isReported: boolean;
  readonly usage: Usage;
  readonly stopReason: StopReason | undefined;
}

export interface EncodeResponseOptions {
  /** Unix seconds, for wires that have a time. Passed in so that encoding is a pure function. */
  readonly created?: number;
  /** Replaces the ids, for wires whose responses can be retrieved by their id. */
  readonly identity?: ResponseIdentity;
  /** The members of the request that the response repeats. */
  readonly echo?: JsonObject;
  /** Whether the client requested usage in the stream, for wires that leave it out by default. */
  readonly includeUsage?: boolean;
  /** An estimate of the tokens of the prompt, for wires that begin a stream with them. The end of the stream has the count. */
  readonly promptTokens?: number;
  /** Whether the client gets signatures of reasoning without its text, for wires that show it only on request. */
  readonly hidesReasoning?: boolean;
}

/** The ids of a response, as its client gets them. */
export interface ResponseIdentity {
  /** `own`: the provider's id, if the response passes unchanged otherwise. The same id for each call with the same `own`. */
  of(own?: string): string;
  /** The id of the response before it, as the client sent it. */
  readonly previous?: string;
  /** The id of the conversation that the response belongs to, by the provider's. */
  readonly conversation?: (own: string) => string;
}

/**
 * Passes a stream of this wire to a client of the same wire: complete frames, unchanged, without those the client did not
 * request. A keep-alive or an error may follow at any time.
 */
export interface StreamPassthrough {
  /** The bytes to send, possibly none. */
  push(chunk: Uint8Array): Uint8Array;
  /** The remaining bytes of a stream that ended normally. */
  end(): Uint8Array;
}

/** Each call returns the text to send, possibly empty. `message-end` closes the stream. */
export interface StreamEncoder {
  /** Whether the end of the stream includes the usage and the cost. */
  readonly includesUsage: boolean;
  /** `cost`, with `message-end`: in US dollars. */
  push(event: StreamEvent, cost?: number): string;
  /** Encodes the error that ends a failed stream. */
  fail(error: SimpleAgentsError): string;
}
