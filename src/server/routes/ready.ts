// `GET /ready`: whether new calls should come here. Not while the server is ending.

import type { HttpRoute } from './http-route.ts';

export const ready: HttpRoute = {
  method: 'GET',
  path: '/ready',
  access: 'open',
  handle(exchange, { isDraining }) {
    exchange.sendJson(isDraining ? 503 : 200, { status: isDraining ? 'draining' : 'ready' });
  },
};
