// Converts a Node request to a web `Request`, for the functions that an application passes in.

import type { IncomingMessage } from 'node:http';

/** The body is passed in as text, because the caller reads it within the limits. */
export function toWebRequest(request: IncomingMessage, about: { body?: string; signal?: AbortSignal } = {}): Request {
  const { method = 'GET', url = '/', rawHeaders, headers: named } = request;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return new Request(`http://${named.host ?? 'localhost'}${url}`, { method, headers, ...about });
}
