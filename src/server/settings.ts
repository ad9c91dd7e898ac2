// The settings of a server and their defaults. Times are in milliseconds, sizes in bytes.

import { getHeapStatistics } from 'node:v8';

import type { GatewayKey } from '../core/gateway-key.ts';

export interface ServerSettings {
  readonly host?: string;
  /** 0: any free port. */
  readonly port?: number;
  /** A key may be given as its SHA-256 hash, in hex. Without keys, the server listens on this machine only. */
  readonly keys?: readonly (string | GatewayKey)[];
  /** Origins whose web pages may call the server. */
  readonly corsOrigins?: readonly string[];
  /** Accepted host names, in addition to those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** The size limit of a request body. */
  readonly bodyLimit?: number;
  /** How many objects, arrays and texts a request body may have. */
  readonly maxBodyValues?: number;
  /** The size limit of a body that passes to a provider without being held in memory, such as a file. */
  readonly uploadLimit?: number;
  /** The providers that get forwarded requests which name none. The first one of the client's format counts. */
  readonly forwardProviders?: readonly string[];
  /** Connections open at the same time. Further ones get 503. */
  readonly maxConnections?: number;
  /** Memory for the bodies of all requests in progress. Further requests get 503. Defaults to at most a third of the heap. */
  readonly maxBodyMemory?: number;
  /** How long a request may take to arrive. */
  readonly requestTimeout?: number;
  /** The longest silence in a stream before a keep-alive is sent, also before its first event. 0: none. */
  readonly keepAlive?: number;
  /** How long calls in progress may continue when the server closes. */
  readonly drain?: number;
}

export const defaultServerSettings: Required<ServerSettings> = {
  host: '127.0.0.1',
  port: 4000,
  keys: [],
  corsOrigins: [],
  allowedHosts: [],
  bodyLimit: 32 * 1024 * 1024,
  // About 0.1 s of work. A full context window of a million tokens has fewer.
  maxBodyValues: 100_000,
  // The largest file that OpenAI accepts.
  uploadLimit: 512 * 1024 * 1024,
  forwardProviders: [],
  maxConnections: 10_000,
  maxBodyMemory: Math.min(256 * 1024 * 1024, Math.floor(getHeapStatistics()['heap_size_limit'] / 3)),
  requestTimeout: 120_000,
  keepAlive: 15_000,
  drain: 30_000,
};
