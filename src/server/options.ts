// What a server is made of, what may change while it works, and what can be done with it.

import type { ModelSource } from '../agent/agent.ts';
import type { ModelListing } from '../core/model-listing.ts';
import type { HealingSettings } from '../gateway/output/healing.ts';
import type { Clock } from '../core/clock.ts';
import type { ApplicationRoute } from './routes/application-route.ts';
import type { ChatSettings } from './chat/settings.ts';
import type { Authenticate, ChatUser, ToolSource } from './chat/user.ts';
import type { Logger } from './logger.ts';
import type { ServerSettings } from './settings.ts';

export interface ServerOptions<User extends ChatUser = ChatUser> extends ServerSettings {
  /** Who answers: a gateway, or any other provider. */
  readonly provider: ModelSource;
  /** Who a user of the chat and of `routes` is. Left out: whoever holds one of the `keys`. */
  readonly authenticate?: Authenticate<User>;
  /** What the model may do in the chat, `POST /api/chat/stream`, in the user's name. */
  readonly tools?: ToolSource<User>;
  readonly chat?: ChatSettings;
  /** Pages and data of the application's own, beside the server's routes and before them. */
  readonly routes?: readonly ApplicationRoute<User>[];
  /** What `GET /v1/models` tells. */
  readonly models?: () => readonly ModelListing[] | Promise<readonly ModelListing[]>;
  /**
   * What metrics call a model that a client asked for, or a target; never a name that a client can choose freely. Left
   * out: its name if `models` lists it, else `other`.
   */
  readonly modelLabel?: (name: string) => string;
  /** How answers with a schema are healed, asked for with each call. */
  readonly healing?: () => HealingSettings;
  /** One line for the page at `/`. */
  readonly note?: string;
  readonly logger?: Logger;
  /** Time and chance of the chat, for tests. */
  readonly clock?: Clock;
}

/** What may change while the server works. */
export interface ServerChanges extends Pick<ServerSettings, 'keys' | 'corsOrigins' | 'allowedHosts'> {
  readonly chat?: ChatSettings;
  readonly tools?: ToolSource;
}

export interface GatewayServer {
  /** Resolves when it listens, with its address. Throws `configuration` when it cannot or must not. */
  listen(): Promise<string>;
  /** `http://127.0.0.1:4000`; nothing while it does not listen. */
  readonly address: string | undefined;
  /**
   * Takes other keys, origins, names, and another chat. Throws, and changes nothing, when they are wrong or would open
   * what is closed: only a new server can do without its last key.
   */
  update(changes: ServerChanges): void;
  /**
   * Logs a failure that nobody caught, with its stack, and counts it. For the handlers of a process, which the server
   * does not install: `process.on('unhandledRejection', (reason) => server.reportUnhandled('rejection', reason))`.
   */
  reportUnhandled(kind: 'rejection' | 'exception', thrown: unknown): void;
  /** Takes no new calls, lets those under way end as long as the drain time allows, then ends them with an error. */
  close(options?: { readonly drain?: number }): Promise<void>;
}
