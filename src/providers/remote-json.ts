// One call with a JSON body in each direction, for the routes of a provider that do not stream. Errors name the provider,
// and credentials are redacted in them.

import type { CallContext } from '../core/call.ts';
import { sharedMacrotask } from '../core/macrotask.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { readWhole } from './body.ts';
import { toRemoteAccess, type AccessOptions } from './remote-access.ts';
import { RemoteCall } from './remote-call.ts';
import { attribute, parseBody, requestIdOf, toStatusError, toWrongFormat, type ErrorDecoder } from './remote-error.ts';
import { sendSigned } from './signed-request.ts';
import { defaultTimeouts, plainTimeouts, type Timeouts } from './timeouts.ts';

export interface JsonCallOptions extends AccessOptions {
  readonly timeouts?: Partial<Timeouts>;
  readonly transport: Transport;
  readonly errors: ErrorDecoder;
}

export interface JsonCall {
  readonly path: string;
  /** Left out: the request is a GET. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
  readonly context?: CallContext | undefined;
}

const utf8 = new TextDecoder();

/** Resolves with the parsed body of a successful response. */
export async function callJson(options: JsonCallOptions, { path, body, signal, context }: JsonCall): Promise<unknown> {
  signal.throwIfAborted();
  const { name, timeouts, errors } = options;
  const access = toRemoteAccess(options, path, body === undefined ? undefined : 'application/json');
  const { url, headers } = access;
  const secrets = [...access.secrets];
  const call = new RemoteCall(signal, name, plainTimeouts({ ...defaultTimeouts, ...timeouts }));
  let requestId: string | undefined;
  try {
    await context?.pace?.();
    const request: TransportRequest = {
      method: body === undefined ? 'GET' : 'POST',
      url,
      headers: { ...context?.traceHeaders?.(), accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(timeouts?.connect === undefined ? {} : { connectTimeout: timeouts.connect }),
    };
    const response = await sendSigned(options, request, { signal: call.signal, secrets });
    requestId = requestIdOf(response.headers);
    if (response.status < 200 || response.status > 299) throw await toStatusError(response, errors);
    if (!/\bjson\b/i.test(response.headers['content-type'] ?? 'json')) throw await toWrongFormat(response);
    const bytes = await readWhole(response.body);
    await sharedMacrotask();
    call.signal.throwIfAborted();
    return parseBody(utf8.decode(bytes));
  } catch (error) {
    if (call.aborted) throw signal.reason;
    throw attribute(call.signal.aborted ? call.signal.reason : error, { target: name, requestId, secrets });
  } finally {
    call.cancel();
  }
}
