// `GET /metrics`: metrics for Prometheus. If the server has keys, Prometheus sends one with the scope `metrics` as a bearer
// token.

import type { HttpRoute } from './http-route.ts';

export const metrics: HttpRoute = {
  method: 'GET',
  path: '/metrics',
  access: 'metrics',
  handle(exchange, state) {
    exchange.send(200, state.metrics.render(), { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  },
};
