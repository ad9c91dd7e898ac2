// Passes a request to a provider and its response back, without reading either. Only the key is added.

import { SimpleAgentsError } from '../core/error.ts';
import type { ForwardRequest, ForwardResponse } from '../core/forward.ts';
import { recodePath } from '../core/path-segment.ts';
import { filterQuery } from '../core/query.ts';
import type { WireClient } from '../wire/wire.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { versionHeader } from '../wire/anthropic-messages/api-version.ts';
import { versionHeaders } from './api-version.ts';
import { inTurns } from './body-turns.ts';
import { toRemoteAccess, type AccessOptions } from './remote-access.ts';
import { RemoteCall } from './remote-call.ts';
import { attribute, requestIdOf, toStatusError } from './remote-error.ts';
import { defaultTimeouts, plainTimeouts, type Timeouts } from './timeouts.ts';

/** Bytes of a body that its provider compressed. A few kilobytes can decode to gigabytes. */
const largestDecoded = 16 * 1024 * 1024;

export interface ForwardOptions extends AccessOptions {
  readonly timeouts?: Partial<Timeouts>;
  readonly transport: Transport;
  readonly wire: Pick<WireClient, 'decodeError' | 'name' | 'versionHeader'>;
  readonly versions?: readonly string[];
}

export async function forwardRequest(
  options: ForwardOptions,
  request: ForwardRequest,
  signal: AbortSignal,
): Promise<ForwardResponse> {
  signal.throwIfAborted();
  const { name, transport, timeouts, wire } = options;
  const { url, headers: usual, secrets } = toRemoteAccess(options, recodePath(request.path, 'path'), undefined);
  const { [versionHeader]: version, ...own } = request.headers;
  const chosen = version === undefined ? {} : versionHeaders(options, { wire: wire.name, version });
  const call = new RemoteCall(signal, name, plainTimeouts({ ...defaultTimeouts, ...timeouts }));
  let requestId: string | undefined;
  const explain = (error: unknown): unknown => {
    if (call.aborted) return signal.reason;
    return attribute(call.signal.aborted ? call.signal.reason : error, { target: name, requestId, secrets });
  };
  try {
    const response = await transport.send(
      toTransport({ ...request, headers: own }, url, { ...usual, ...chosen }),
      call.signal,
    );
    requestId = requestIdOf(response.headers);
    if (response.status < 200 || response.status > 299) throw await toStatusError(response, wire);
    const { status, headers: received, isEncoded } = response;
    const body = readBody(inTurns(isEncoded ? await readEncoded(response.body) : response.body), call, explain);
    return { target: name, status, headers: received, body };
  } catch (error) {
    const explained = explain(error);
    call.cancel();
    throw explained;
  }
}

function toTransport(
  { method, query, headers: own, json, upload }: ForwardRequest,
  url: string,
  headers: Readonly<Record<string, string>>,
): TransportRequest {
  const content = json === undefined ? {} : { 'content-type': 'application/json' };
  return {
    method,
    url: withQuery(url, query),
    // Compression would delay the parts of a stream.
    headers: { 'accept-encoding': 'identity', ...own, ...content, ...headers },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(upload === undefined ? {} : { upload }),
  };
}

/** The parameters of the base URL, such as the version of the API, are not the client's to choose. */
function withQuery(url: string, query: string): string {
  const { searchParams } = new URL(url);
  const added = filterQuery(query, (name) => !searchParams.has(name));
  return added === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${added}`;
}

/**
 * Reads the body before anything is sent, so that the client gets an error if it cannot be decoded. Few providers compress
 * although the request asks for no compression.
 */
async function readEncoded(body: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > largestDecoded) {
      const message = `the provider's compressed response has more than ${largestDecoded} bytes when decoded, the maximum`;
      throw new SimpleAgentsError('bad-response', message);
    }
    chunks.push(chunk);
  }
  return chunks;
}

async function* readBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  call: RemoteCall,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw explain(error);
  } finally {
    call.cancel();
  }
}
