// A browser's question whether a page may ask: answered for pages of the origins that are listed, as admission found.

import type { Exchange } from './exchange.ts';
import { toHeaderValue } from './http-error.ts';

/** Whether it was one. */
export function handlePreflight({ request, response, headers }: Exchange): boolean {
  const { 'access-control-request-method': method, 'access-control-request-headers': wanted } = request.headers;
  if (method === undefined || headers['access-control-allow-origin'] === undefined) return false;
  response.writeHead(204, {
    ...headers,
    'access-control-allow-methods': 'GET, POST',
    // A page we trust with the gateway we trust to choose its headers.
    ...(wanted === undefined ? {} : { 'access-control-allow-headers': toHeaderValue(wanted) }),
    'access-control-max-age': '600',
  });
  response.end();
  return true;
}
