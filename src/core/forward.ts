// A request that passes to a provider unread, for routes that the gateway does not translate: images, audio, files, ….

export const forwardMethods = ['GET', 'POST', 'DELETE'] as const;
export type ForwardMethod = (typeof forwardMethods)[number];

export interface ForwardRequest {
  /** The client's wire. Only a provider of the same format gets the request. */
  readonly wire: string;
  readonly method: ForwardMethod;
  /** From `/v1` on. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Only headers about the content. The provider's key is added. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, whose model name the gateway may replace. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** A body of any other type, as it arrives. */
  readonly upload?: AsyncIterable<Uint8Array>;
  /** The name of the provider to call. */
  readonly provider?: string;
  /** The providers to prefer, in this order, if the request names none. */
  readonly preferred?: readonly string[];
}

export interface ForwardResponse {
  /** The provider that responded. */
  readonly target: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Can be read once. Leaving the loop closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}
