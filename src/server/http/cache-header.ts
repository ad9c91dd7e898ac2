// What a client wants of the answers that are kept, where some are: `x-simple-agents-cache: off`, `read` or `refresh`.

import type { IncomingHttpHeaders } from 'node:http';

import { throwHttpError } from './http-error.ts';

const modes = ['off', 'read', 'refresh'] as const;

export function cacheControlOf(headers: IncomingHttpHeaders): (typeof modes)[number] | undefined {
  const wanted = headers['x-simple-agents-cache'];
  if (wanted === undefined) return undefined;
  const mode = modes.find((known) => known === wanted);
  return mode ?? throwHttpError(400, `x-simple-agents-cache: must be one of ${modes.join(', ')}`);
}
