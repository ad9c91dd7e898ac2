// What may be said of a server, in milliseconds and bytes, and what holds when nothing is said.

import type { GatewayKey } from '../core/gateway-key.ts';

export interface ServerSettings {
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** A key may be given by its SHA-256 alone, in hex. Without any, only this machine may reach the server. */
  readonly keys?: readonly (string | GatewayKey)[];
  /** Origins whose pages may call it. */
  readonly corsOrigins?: readonly string[];
  /** The names it is called by, beside those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** The largest body of a request. */
  readonly bodyLimit?: number;
  /** Connections open at the same time; further ones are refused with 503. */
  readonly maxConnections?: number;
  /** Bytes that the bodies of all requests in progress may take together; further ones are refused with 503. */
  readonly maxBodyMemory?: number;
  /** How long a request may take to arrive. */
  readonly requestTimeout?: number;
  /** The longest silence in a stream, before its first word as well; 0: as long as it takes. */
  readonly keepAlive?: number;
  /** How long calls under way may go on when the server closes. */
  readonly drain?: number;
}

export const defaultServerSettings: Required<ServerSettings> = {
  host: '127.0.0.1',
  port: 4000,
  keys: [],
  corsOrigins: [],
  allowedHosts: [],
  bodyLimit: 32 * 1024 * 1024,
  maxConnections: 10_000,
  maxBodyMemory: 256 * 1024 * 1024,
  requestTimeout: 120_000,
  keepAlive: 15_000,
  drain: 30_000,
};
