// The body of a request as it arrives, up to a limit. It is never held in memory as a whole.

import type { IncomingMessage } from 'node:http';

import { throwHttpError } from './http-error.ts';

/** Throws 413 if the header already shows that the body is too large; else reading it throws at the limit. */
export function streamBody(request: IncomingMessage, limit: number): AsyncIterable<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > limit) tooLarge(limit);
  return limited(request as AsyncIterable<Buffer>, limit);
}

async function* limited(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > limit) tooLarge(limit);
    yield chunk;
  }
}

function tooLarge(limit: number): never {
  return throwHttpError(413, `the body is larger than ${limit} bytes`, { close: true });
}
