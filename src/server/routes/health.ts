// `GET /health`: the process is alive and answers.

import { version } from '../../core/version.ts';
import type { Route } from './route.ts';

export const health: Route = {
  method: 'GET',
  path: '/health',
  access: 'open',
  handle: (exchange) => exchange.sendJson(200, { status: 'ok', version }),
};
