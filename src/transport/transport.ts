// Bytes out, bytes in: the seam between a provider and the network. `http.ts` fulfils it with real
// connections, `recorded.ts` with a folder of earlier answers.

export interface Transport {
  /**
   * Rejects with `network` or `timeout` when there is no answer; an answer of any status resolves.
   * Once the signal aborts, the call and whoever waits for its body get the signal's reason as it is.
   */
  send(request: TransportRequest, signal: EndSignal): Promise<TransportResponse>;
  /** Closes every connection, also those in use. */
  close(): Promise<void>;
}

/** What is used of an `AbortSignal`. Who ends a call need not make a real one: two for each call cost 5 µs. */
export interface EndSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** For what takes only a real one, such as `fetch`. */
export function toAbortSignal(signal: EndSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const end = (): void => controller.abort(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return controller.signal;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** In milliseconds; left out, the transport's own. */
  readonly connectTimeout?: number;
}

export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** All of it in one piece, where that can be had for less than piece by piece. */
  readonly whole?: () => Promise<Uint8Array>;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed and capped. For one reader; leaving the loop closes the connection. */
  readonly body: ResponseBody;
}
