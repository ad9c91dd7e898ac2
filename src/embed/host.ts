// What a host gives the engine that runs this code, and what the engine gives back. Everything that crosses the border is
// text, except the bytes of a response. The host never waits inside one of these functions: results come back through the
// methods of `Engine`.

export interface EngineHost {
  /** A reply for the caller: the id of its call, and the JSON of a `Reply`. */
  post(id: number, reply: string): void;
  /** Starts an HTTP request: the JSON of a `HostRequest`. Its head, or its failure, comes through `Engine`. */
  fetch(id: number, request: string): void;
  /** Asks for the next chunk of a response. Nothing is sent before. */
  pull(id: number): void;
  /** The response is not needed any more. Nothing comes for this id after that. */
  cancel(id: number): void;
  /** Of the UTF-8 of a text, as 64 hexadecimal digits. */
  sha256(text: string): string;
  /** The environment variables, as the JSON of an object. */
  environment(): string;
  /** The text of a configuration file. Throws an error whose message is the reason, such as "file not found". */
  readText(path: string): string;
}

export interface HostRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connection: ConnectionOptions;
}

/** How to connect. Requests with equal options share their connections. */
export interface ConnectionOptions {
  /** Milliseconds, 0 for no limit. */
  readonly connectTimeout?: number;
  /** The proxy for this request, if it uses one. */
  readonly proxy?: { readonly origin: string; readonly authorization?: string };
  /** The address of this machine to connect from. */
  readonly localAddress?: string;
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAlive?: number;
  readonly caFile?: string;
  readonly clientCertFile?: string;
  readonly clientKeyFile?: string;
}

export interface HostResponseHead {
  readonly status: number;
  /** The body is decompressed by the host, which leaves out `content-encoding` then. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface HostFailure {
  /** As Node names it: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_CONNECT_TIMEOUT`, …; `configurationFailure` for a setting. */
  readonly code: string;
  readonly message: string;
  /** The setting that is wrong. */
  readonly field?: string;
}

/** The code of a failure that a setting causes, such as a file without certificates. */
export const configurationFailure = 'ERR_CONFIGURATION';

/** What the host calls. No method throws. */
export interface Engine {
  /** A call with its id: the JSON of a `Call`. It gets exactly one reply. */
  receive(id: number, call: string): void;
  /** The JSON of a `HostResponseHead`. */
  takeHead(id: number, head: string): void;
  /** The next chunk; undefined at the end of the body. */
  takeChunk(id: number, bytes: Uint8Array | undefined): void;
  /** The JSON of a `HostFailure`. */
  takeFailure(id: number, failure: string): void;
}
