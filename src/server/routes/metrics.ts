// `GET /metrics`: for Prometheus, which sends a key as a bearer token where there are keys.

import type { Route } from '../route.ts';

export const metrics: Route = {
  method: 'GET',
  path: '/metrics',
  access: 'key',
  handle(exchange, state) {
    exchange.send(200, state.metrics.render(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  },
};
