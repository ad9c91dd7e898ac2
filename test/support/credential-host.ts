// A host for the sources of cloud credentials: files, variables and servers in memory, and a date that the test sets.

import type { CredentialHost } from '../../src/providers/auth/credential-host.ts';
import type { TransportRequest, TransportResponse } from '../../src/transport/transport.ts';

type Answer = { readonly status?: number; readonly body: string | object; readonly headers?: Record<string, string> };
/** Undefined: there is no server. */
export type Respond = (request: TransportRequest) => Answer | undefined | Promise<Answer | undefined>;

export interface FakeCredentialHost extends CredentialHost {
  readonly env: Record<string, string>;
  readonly files: Record<string, string>;
  readonly requests: TransportRequest[];
  date: number;
  respond: Respond;
}

export function fakeCredentialHost(env: Record<string, string> = {}, respond: Respond = () => undefined) {
  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    host.requests.push(request);
    const answer = await host.respond(request);
    if (answer === undefined) throw new Error('connection refused');
    const { status = 200, body, headers = {} } = answer;
    const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
    return {
      status,
      headers,
      body: {
        async *[Symbol.asyncIterator]() {
          yield bytes;
        },
      },
    };
  };
  const host: FakeCredentialHost = {
    env: { HOME: '/home/u', ...env },
    files: {},
    requests: [],
    date: Date.UTC(2026, 10, 18),
    respond,
    variable: (name) => host.env[name] || undefined,
    readText: (path) => Promise.resolve(host.files[path]),
    transport: { send },
    direct: { send },
    now: () => host.date,
  };
  return host;
}
