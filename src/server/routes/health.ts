// `GET /health`: the process is alive and answers.

import { version } from '../../core/version.ts';
import type { HttpRoute } from './http-route.ts';

export const health: HttpRoute = {
  method: 'GET',
  path: '/health',
  access: 'open',
  handle: (exchange) => exchange.sendJson(200, { status: 'ok', version }),
};
