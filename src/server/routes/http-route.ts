// A route of the server: its path, who may use it, the wire of its errors, and its handler. Each is defined in `routes/`
// and listed in `routes.ts`.

import type { KeyScope } from '../../core/gateway-key.ts';
import type { WireServer } from '../../wire/wire.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ServerState } from '../server-state.ts';

export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** A path that ends with a slash matches everything below it. */
  readonly path: string;
  /** The scope that the key needs. `user`: the route identifies the user itself. `open`: no key is needed. */
  readonly access: KeyScope | 'user' | 'open';
  /** The wire of its errors. Left out: chosen by the client's version header. */
  readonly wire?: WireServer;
  /** The body does not reach a provider. */
  readonly isLocal?: true;
  /** Members of the body that the route checks itself for objects of other keys: ids of responses, and their items. */
  readonly verified?: readonly string[];
  handle(exchange: Exchange, state: ServerState): void | Promise<void>;
}
