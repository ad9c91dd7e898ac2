// A request in the words everybody knows, for what an application writes itself: `Request` of the web.

import type { IncomingMessage } from 'node:http';

/** Its body, where there is one, is given: who reads it has to see to the limits. */
export function toWebRequest(request: IncomingMessage, about: { body?: string; signal?: AbortSignal } = {}): Request {
  const { method = 'GET', url = '/', rawHeaders, headers: named } = request;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return new Request(`http://${named.host ?? 'localhost'}${url}`, { method, headers, ...about });
}
