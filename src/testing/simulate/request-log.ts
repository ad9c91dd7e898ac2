// The requests that the simulator received, in order, for tests to inspect. Credentials are masked before they are stored.

import type { IncomingHttpHeaders } from 'node:http';

export interface LoggedRequest {
  /** Starts at 1, in order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
  /** Set if the client disconnected before the response was complete. */
  disconnected?: true;
}

/** Older requests are dropped, so that a simulator can run for weeks. */
const mostKept = 1000;
const secretHeaders = /^(?:authorization|proxy-authorization|cookie|x-api-key|api-key|x-goog-api-key)$/u;

export class RequestLog {
  readonly requests: LoggedRequest[] = [];
  #count = 0;

  record(method: string, path: string, content: { headers: IncomingHttpHeaders; body: unknown }): LoggedRequest {
    this.#count += 1;
    const logged = { number: this.#count, method, path, headers: maskHeaders(content.headers), body: content.body };
    this.requests.push(logged);
    if (this.requests.length > mostKept) this.requests.shift();
    return logged;
  }

  clear(): void {
    this.requests.length = 0;
  }
}

function maskHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    // Only the scheme of a credential is kept.
    masked[name] = secretHeaders.test(name)
      ? (/^(?:Bearer|Basic)(?=\s)/iu.exec(text)?.[0] ?? '').concat(' ***').trim()
      : text;
  }
  return masked;
}
