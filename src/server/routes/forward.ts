// The routes that the gateway does not translate: images, audio, moderations, files, batches and others. They pass to a
// provider of the client's own format that has them. Invariants:
//   1. The client's key never reaches a provider, and the provider's key never reaches a client: headers of both sides are
//      allow-lists.
//   2. A JSON body is read, because its model chooses the provider. Any other body passes as it arrives, byte by byte.
//   3. Whatever content type the provider sends, a browser saves the response and does not show it as a page of the
//      gateway.
//   4. Nothing is retried, because a body that was sent cannot be sent again.

import type { CallEnd } from '../../core/call.ts';
import { isAbort, toError } from '../../core/error.ts';
import { forwardMethods, type ForwardRequest, type ForwardResponse } from '../../core/forward.ts';
import { isRecord } from '../../core/json.ts';
import { recodePath } from '../../core/path-segment.ts';
import type { Provider } from '../../core/provider.ts';
import { noUsage } from '../../core/usage.ts';
import { providerHeader } from '../../gateway/routing/forward-target.ts';
import { forwardedRoutes } from '../../gateway/routing/forwarded-routes.ts';
import { decodeVersion } from '../../wire/anthropic-messages/api-version.ts';
import { guardUpload, toOwnIdempotency } from '../account/guarded-request.ts';
import { checkForwardedRoute } from '../account/shared-account.ts';
import type { Exchange } from '../http/exchange.ts';
import { throwHttpError, toHeaderValue } from '../http/http-error.ts';
import { toAttachment } from '../responses/forwarded-body.ts';
import { toPassedQuery } from '../http/passed-query.ts';
import type { ServerState } from '../server-state.ts';
import type { HttpRoute } from './http-route.ts';

/** Headers of the client that describe the content and the version of the API, and nothing about the client. */
const passedToProvider = [
  'accept',
  'content-type',
  'openai-beta',
  'anthropic-beta',
  'anthropic-version',
  'idempotency-key',
];
const passedToClient = ['content-type', 'retry-after'];

export const forwardRoutes: readonly HttpRoute[] = forwardedRoutes.flatMap((family) =>
  [`/v1/${family}`, `/v1/${family}/`].flatMap((path) =>
    forwardMethods.map((method) => ({ method, path, access: 'call', handle: forward }) as const),
  ),
);

async function forward(exchange: Exchange, state: ServerState): Promise<void> {
  const { source } = state;
  if (source.forward === undefined) {
    return throwHttpError(404, `unknown route: ${exchange.path.slice(0, 100)}`, {
      kind: 'not-found',
      code: 'not_found',
    });
  }
  checkForwardedRoute(exchange, state);
  const request = await toForwardRequest(exchange, state);
  await observe(exchange, state, request, async () => {
    const response = await openForward(source, request, exchange);
    await sendBody(response, exchange);
    return response.target;
  });
}

/** An error of the upload itself, such as its size, is not an error of the provider. */
async function openForward(source: Provider, request: ForwardRequest, { signal }: Exchange): Promise<ForwardResponse> {
  const { upload } = request;
  let failure: { readonly error: unknown } | undefined;
  const watched = upload && watchErrors(upload, (error) => (failure = { error }));
  try {
    return await source.forward!(watched === undefined ? request : { ...request, upload: watched }, signal);
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
}

async function* watchErrors(
  chunks: AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    onError(error);
    throw error;
  }
}

async function toForwardRequest(exchange: Exchange, state: ServerState): Promise<ForwardRequest> {
  const { settings } = state;
  const { request, path, query } = exchange;
  const { headers, method = 'GET' } = request;
  decodeVersion(headers);
  const provider = headers[providerHeader];
  const head = {
    wire: exchange.wire.name,
    preferred: settings.forwardProviders,
    method: method === 'HEAD' ? 'GET' : (method as ForwardRequest['method']),
    path: recodePath(path, 'path'),
    query: toPassedQuery(query),
    headers: toOwnIdempotency(
      exchange,
      Object.fromEntries(passedToProvider.flatMap((name) => toEntry(name, headers[name]))),
    ),
    ...(typeof provider === 'string' ? { provider } : {}),
  };
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!hasBody || headers['content-length'] === '0') return head;
  if (!isJson(headers['content-type'])) {
    return { ...head, upload: guardUpload(exchange, state, exchange.streamBody(settings.uploadLimit)) };
  }
  const json = await exchange.readJson(settings);
  return isRecord(json) ? { ...head, json } : throwHttpError(400, 'the request body must be an object');
}

function toEntry(name: string, value: string | string[] | undefined): (readonly [string, string])[] {
  return typeof value === 'string' ? [[name, value]] : [];
}

function isJson(type: string | undefined): boolean {
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

async function sendBody({ target, status, headers, body }: ForwardResponse, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const passed: Record<string, string> = {
    'x-simple-agents-target': toHeaderValue(target),
    'content-disposition': toHeaderValue(toAttachment(headers['content-disposition'])),
  };
  for (const [name, value] of Object.entries(headers)) {
    if (passedToClient.includes(name) || name.startsWith('x-ratelimit-')) passed[name] = toHeaderValue(value);
    else if (name === 'x-request-id') passed['x-simple-agents-upstream-request-id'] = toHeaderValue(value);
  }
  response.writeHead(status, exchange.toHead(passed));
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(exchange);
  }
  response.end();
}

/** Resolves when the client has read what was sent, or has left. */
function drained({ response }: Exchange): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** Reports the call to the log and the metrics, like a call of a model. */
async function observe(
  { id: call, key, signal, route }: Exchange,
  state: ServerState,
  { json }: ForwardRequest,
  run: () => Promise<string>,
): Promise<void> {
  const report = state.observeCall(key?.name);
  const begun = performance.now();
  const model = json?.['model'];
  report({ type: 'call-start', call, model: typeof model === 'string' ? model : route, stream: false });
  const end = (result: Pick<CallEnd, 'outcome' | 'target' | 'error'>): void =>
    report({ type: 'call-end', call, duration: performance.now() - begun, usage: noUsage, ...result });
  try {
    end({ outcome: 'complete', target: await run() });
  } catch (error) {
    end(isAbort(error, signal) ? { outcome: 'left' } : { outcome: 'failed', error: toError(error) });
    throw error;
  }
}
