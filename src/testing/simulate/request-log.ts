// What the simulator was asked, in the order it was asked, for a test to look at. Credentials are masked on the way in.

import type { IncomingHttpHeaders } from 'node:http';

export interface LoggedRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON, otherwise the text. */
  readonly body: unknown;
}

/** Older ones are forgotten, so that a simulator may run for weeks. */
const mostKept = 1000;
const secretHeaders = /^(?:authorization|proxy-authorization|cookie|x-api-key|api-key|x-goog-api-key)$/u;

export class RequestLog {
  readonly requests: LoggedRequest[] = [];
  #count = 0;

  record(method: string, path: string, content: { headers: IncomingHttpHeaders; body: unknown }): void {
    this.#count += 1;
    this.requests.push({
      number: this.#count,
      method,
      path,
      headers: maskHeaders(content.headers),
      body: content.body,
    });
    if (this.requests.length > mostKept) this.requests.shift();
  }

  clear(): void {
    this.requests.length = 0;
  }
}

function maskHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
    // The scheme tells which kind of credential came; the rest is nobody's business.
    masked[name] = secretHeaders.test(name)
      ? (/^(?:Bearer|Basic)(?=\s)/iu.exec(text)?.[0] ?? '').concat(' ***').trim()
      : text;
  }
  return masked;
}
