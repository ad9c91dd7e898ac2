// A route: where it is, who may use it, in whose words it fails, and what it does. Each is one file in `routes/` and one
// line in `routes.ts`.

import type { KeyScope } from '../../core/gateway-key.ts';
import type { WireServer } from '../../wire/wire.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ServerState } from '../server-state.ts';

export interface HttpRoute {
  readonly method: 'GET' | 'POST';
  /** One that ends with a slash stands for everything below it. */
  readonly path: string;
  /** The scope a key needs, where there are keys. `user`: the route finds out who asks. `open`: no key is needed. */
  readonly access: KeyScope | 'user' | 'open';
  /** Left out: the client's version header decides. */
  readonly wire?: WireServer;
  handle(exchange: Exchange, state: ServerState): void | Promise<void>;
}
