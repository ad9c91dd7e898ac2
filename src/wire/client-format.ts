// The format in which a client of the server sent a request.

import type { ClientFormat } from '../core/request.ts';
import type { RequestHeaders, WireServer } from './wire.ts';

/** Throws `bad-request` for a malformed version. */
export function clientFormatOf(wire: WireServer, headers: RequestHeaders, body: unknown): ClientFormat {
  return { wire: wire.name, ...wire.decodeVersion?.(headers, body) };
}
