// The seam between a provider and the network: a request goes out, the bytes of a response come back. `undici.ts` and
// `fetch.ts` implement it with real connections, `recorded/` with a folder of recorded exchanges.

export interface Transport {
  /**
   * Rejects with `network`, `timeout` or `bad-response` when there is no response; a response of any status resolves.
   * Once the signal aborts, the call and the reader of its body get the signal's reason unchanged. Redirects are never
   * followed, and a request is written at most once.
   */
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
  /** Ends every call and closes every connection of this transport, also those in use. */
  close(): Promise<void>;
  /** A long silence before the response ends the call, so a streamed response is safer than one plain body. */
  readonly prefersStreams?: boolean;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In milliseconds, 0 for no limit. Defaults to the transport's own. A transport over `fetch` ignores it. */
  readonly connectTimeout?: number;
}

export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** Reads all of it at once, where that is cheaper than chunk by chunk. */
  readonly readAll?: () => Promise<Uint8Array>;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed and capped. For one reader; leaving the loop closes the connection. */
  readonly body: ResponseBody;
}

/** The most bytes a response may have after decompression, unless a transport is told otherwise. */
export const defaultMaxResponseBytes = 64 * 1024 * 1024;
