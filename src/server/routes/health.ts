// `GET /health`: whether the process is alive. `GET /ready`: whether it accepts new calls, which it does not while it is
// shutting down.

import { version } from '../../core/version.ts';
import type { HttpRoute } from './http-route.ts';

export const health: HttpRoute = {
  method: 'GET',
  path: '/health',
  access: 'open',
  handle: (exchange) => exchange.sendJson(200, { status: 'ok', version }),
};

export const ready: HttpRoute = {
  method: 'GET',
  path: '/ready',
  access: 'open',
  handle(exchange, { isDraining }) {
    exchange.sendJson(isDraining ? 503 : 200, { status: isDraining ? 'draining' : 'ready' });
  },
};
