// The interface between a provider and the network: it sends a request and returns the bytes of the response. `undici.ts` and
// `fetch.ts` implement it with real connections, `recorded/` with a folder of recorded exchanges.

export interface Transport {
  /**
   * Rejects with `network`, `timeout` or `bad-response` if there is no response; a response of any status resolves.
   * Once the signal aborts, the call and the reader of its body get the signal's reason unchanged. Redirects are never
   * followed, and a request is sent at most once.
   */
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
  /** Ends every call and closes every connection of this transport, also those in use. */
  close(): Promise<void>;
  /** The transport ends a call after a long silence, so a streamed response is safer than one plain body. */
  readonly prefersStreams?: boolean;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A body that is sent as it is produced, at the pace of the server, instead of `body`. */
  readonly upload?: AsyncIterable<Uint8Array>;
  /** In milliseconds, 0 for no limit. Defaults to the transport's setting. The `fetch` transport ignores it. */
  readonly connectTimeout?: number;
}

export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** Reads the complete body at once. Present if that is cheaper than reading chunk by chunk. */
  readonly readAll?: () => Promise<Uint8Array>;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body was compressed, or it has a coding that is not known: reading it may fail at any byte. */
  readonly isEncoded?: true;
  /** Decompressed and limited in size. Can be read once; leaving the loop closes the connection. */
  readonly body: ResponseBody;
}

/** The default maximum size of a response in bytes, after decompression. */
export const defaultMaxResponseBytes = 64 * 1024 * 1024;
