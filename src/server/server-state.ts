// The state that the routes of one server share.

import type { Observer } from '../core/call.ts';
import type { Provider } from '../core/provider.ts';
import type { ModelListing } from '../core/model-listing.ts';
import type { Authentication } from './http/authentication.ts';
import type { Chat } from './chat/chat.ts';
import type { CallExchange } from './http/exchange.ts';
import type { KeepAlive } from './http/keep-alive.ts';
import type { LiveFeed } from './live/live-feed.ts';
import type { SignedIds } from './responses/signed-id.ts';
import type { ResponseStore } from './responses/response-store.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { GatewayAccess, Simulation } from './options.ts';
import type { ServerSettings } from './settings.ts';

export interface ServerState {
  readonly provider: Provider;
  /** The provider as it was passed in, without healing of responses. */
  readonly source: Provider;
  readonly settings: Required<ServerSettings>;
  readonly authentication: Authentication;
  readonly keepAlive: KeepAlive;
  readonly metrics: Metrics;
  readonly live: LiveFeed;
  readonly chat: Chat;
  readonly responses: ResponseStore;
  /** Responses that are not stored, and that only their connection may continue. */
  readonly connectionResponses: ResponseStore;
  readonly responseIds: SignedIds;
  readonly conversationIds: SignedIds;
  readonly isDraining: boolean;
  /** What routes use of a gateway besides model calls. A provider that is no gateway lacks it. */
  readonly gateway: GatewayAccess;
  /** Creates the observer of one call. `key`: the name of the key that the request was sent with. */
  observeCall(key: string | undefined): Observer;
  models(): Promise<readonly ModelListing[]>;
  simulation(): Simulation | undefined;
  /** One line of text for the page. */
  readonly note: string | undefined;
  logFailure(exchange: CallExchange, thrown: unknown): void;
}
