// The options of a server, the changes it accepts while running, and its interface.

import type { ModelSource } from '../agent/agent.ts';
import type { ModelListing } from '../core/model-listing.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { HealingSettings } from '../gateway/output/healing.ts';
import type { Clock } from '../core/clock.ts';
import type { ApplicationRoute } from './routes/application-route.ts';
import type { ChatSettings } from './chat/settings.ts';
import type { Authenticate, ChatUser, ToolSource } from './chat/user.ts';
import type { Logger } from './logger.ts';
import type { ServerSettings } from './settings.ts';

export type GatewayAccess = Partial<Pick<Gateway, 'forward' | 'hasProvider' | 'modelListing' | 'resolve'>>;

export interface ServerOptions<User extends ChatUser = ChatUser> extends ServerSettings {
  /** Handles the model calls: a gateway, or any other provider. */
  readonly provider: ModelSource & GatewayAccess;
  /** Identifies the user of the chat and of `routes`. Left out: each of the `keys` is a user. */
  readonly authenticate?: Authenticate<User>;
  /** The tools of the chat, `POST /api/chat/stream`. They run on behalf of the user. */
  readonly tools?: ToolSource<User>;
  readonly chat?: ChatSettings;
  /** The application's own routes. They take precedence over the server's. */
  readonly routes?: readonly ApplicationRoute<User>[];
  /** What `GET /v1/models` lists. */
  readonly models?: () => readonly ModelListing[] | Promise<readonly ModelListing[]>;
  /**
   * The metrics label of a requested model or of a target. It must not be a name that clients can choose freely. Left
   * out: the name itself if `models` lists it, else `other`.
   */
  readonly modelLabel?: (name: string) => string;
  /** How responses with a schema are healed. Called for each model call. */
  readonly healing?: () => HealingSettings;
  /** The simulated targets whose faults `POST /api/simulation` switches. Called for each request. */
  readonly simulation?: () => Simulation | undefined;
  /**
   * The secret that signs the ids of responses, at least 32 bytes. Servers that share it accept each other's ids. Left
   * out: a random one, so the ids are valid until the process ends.
   */
  readonly signingKey?: Uint8Array;
  /** One line of text for the page at `/`. */
  readonly note?: string;
  readonly logger?: Logger;
  /** The clock and random source of the chat, for tests. */
  readonly clock?: Clock;
}

/** Simulated targets behind one model name. */
export interface Simulation {
  /** The model name whose calls they share. */
  readonly model: string;
  targets(): Promise<readonly { readonly name: string; readonly fault: object }[]>;
  /** Throws `bad-request` if there is no such target, or if the fault is invalid. `{}` removes the fault. */
  setFault(target: string, fault: unknown): Promise<void>;
}

/** What may change while the server is running. */
export interface ServerChanges extends Pick<
  ServerSettings,
  'keys' | 'corsOrigins' | 'allowedHosts' | 'forwardProviders'
> {
  readonly chat?: ChatSettings;
  readonly tools?: ToolSource;
}

export interface GatewayServer {
  /** Resolves with the server's address when it is listening. Throws `configuration` when it cannot or must not listen. */
  listen(): Promise<string>;
  /** `http://127.0.0.1:4000`; undefined while the server is not listening. */
  readonly address: string | undefined;
  /**
   * Replaces keys, origins, host names and chat settings. Throws, and changes nothing, when they are invalid or would
   * remove protection: only a new server can run without the last key.
   */
  update(changes: ServerChanges): void;
  /**
   * Logs an uncaught failure with its stack, and counts it. For process-wide handlers, which the server does not install:
   * `process.on('unhandledRejection', (reason) => server.reportUnhandled('rejection', reason))`.
   */
  reportUnhandled(kind: 'rejection' | 'exception', thrown: unknown): void;
  /** Stops accepting calls, waits up to `drain` milliseconds for those in progress, then ends them with an error. */
  close(options?: { readonly drain?: number }): Promise<void>;
}
