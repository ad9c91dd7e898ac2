// The state that the routes of one server share.

import type { Observer } from '../core/call.ts';
import type { Provider } from '../core/provider.ts';
import type { ModelListing } from '../core/model-listing.ts';
import type { Authentication } from './http/authentication.ts';
import type { Chat } from './chat/chat.ts';
import type { Exchange } from './http/exchange.ts';
import type { KeepAlive } from './http/keep-alive.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { ServerSettings } from './settings.ts';

export interface ServerState {
  readonly provider: Provider;
  readonly settings: Required<ServerSettings>;
  readonly authentication: Authentication;
  readonly keepAlive: KeepAlive;
  readonly metrics: Metrics;
  readonly chat: Chat;
  readonly isDraining: boolean;
  /** Creates the observer of one call. `key`: the name of the key that the request was sent with. */
  observeCall(key: string | undefined): Observer;
  models(): Promise<readonly ModelListing[]>;
  /** One line of text for the page. */
  readonly note: string | undefined;
  logFailure(exchange: Exchange, thrown: unknown): void;
}
