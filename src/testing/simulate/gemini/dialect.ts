// Google's Gemini API, as the simulator speaks it: at `/v1beta/models/…`, and at the path that Vertex AI has for a project.

import type { IncomingHttpHeaders } from 'node:http';

import type { SimpleAgentsError } from '../../../core/error.ts';
import { isRecord, omitUndefined, type JsonValue } from '../../../core/json.ts';
import { geminiServer } from '../../../wire/gemini/server.ts';
import { modelMethods, parseModelPath } from '../../../wire/gemini/types.ts';
import type { Fault } from '../../model/fault.ts';
import { throwApiError } from '../api-error.ts';
import type { Dialect } from '../dialect.ts';
import type { OutgoingResponse } from '../outgoing-response.ts';
import { asBytes, selectThoughts, withSignature } from './signature.ts';
import { validateGemini } from './validate.ts';

export interface GeminiRoute {
  /** Empty for the list of models. */
  readonly model: string;
  /** Empty for a model itself. */
  readonly method: string;
}

const paths =
  /^\/v1(?:beta1?)?(\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google)?\/(?:models|tunedModels)(?:\/(.*))?$/;

/** Below `/v1/models`, OpenAI's API has no methods, and clients of Google's send a header of their own. */
export function geminiRoute(path: string, headers: IncomingHttpHeaders): GeminiRoute | undefined {
  const found = paths.exec(path);
  if (found === null) return undefined;
  const route = parseModelPath(decodeURIComponent(found[2] ?? ''));
  const isShared = path.startsWith('/v1/') && found[1] === undefined && !modelMethods.has(route.method);
  return isShared && !('x-goog-api-client' in headers) ? undefined : route;
}

export function geminiDialect(path: string, { model, method }: GeminiRoute): Dialect {
  return {
    wire: geminiServer,
    path,
    requestIdHeader: 'x-request-id',
    errorTypes: {},
    notJson: 'Invalid JSON payload received. Unexpected token.',
    authenticate,
    checkHeaders() {},
    toBody: (body) => (isRecord(body) ? { ...body, model, stream: method === 'streamGenerateContent' } : body),
    validate: (body) => validateGemini(body, model),
    encodeFailure,
    hasTerminator: false,
    select: (events, body) => selectThoughts(withSignature(asBytes(events), model), body),
    listModels: (ids) => ({ models: ids.map(toListedModel) }),
  };
}

export function toListedModel(id: string) {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}

function authenticate(headers: IncomingHttpHeaders): void {
  const bearer = /^bearer\s+(.*)$/iu.exec(headers.authorization ?? '')?.[1]?.trim() ?? '';
  const key = String(headers['x-goog-api-key'] ?? bearer);
  if (key === '') {
    throwApiError(
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      { kind: 'auth', status: 403 },
    );
  }
  if (key === 'invalid' || key.startsWith('bad'))
    throwApiError('API key not valid. Please pass a valid API key.', { status: 400, code: 'API_KEY_INVALID' });
}

/** The names of statuses that the error's kind does not distinguish. */
const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const typePrefix = 'type.googleapis.com/google.rpc.';

function encodeFailure(error: SimpleAgentsError, fault: Fault = {}): OutgoingResponse {
  const encoded = geminiServer.encodeError(error);
  const code = error.status ?? encoded.status;
  const sent = encoded.body['error'] as { readonly details?: readonly JsonValue[]; readonly status: string };
  const { retryAfter, errorType } = fault;
  const details: JsonValue[] = [...(sent.details ?? [])];
  if (error.code === 'API_KEY_INVALID')
    details.push({ '@type': `${typePrefix}ErrorInfo`, reason: error.code, domain: 'googleapis.com' });
  if (retryAfter !== undefined && /^\d+$/.test(retryAfter))
    details.push({ '@type': `${typePrefix}RetryInfo`, retryDelay: `${retryAfter}s` });
  const body = omitUndefined({
    code,
    message: error.message,
    status: errorType ?? statusNames[code] ?? sent.status,
    details: details.length === 0 ? undefined : details,
  });
  const response = { status: code, contentType: 'application/json', body: JSON.stringify({ error: body }) };
  return retryAfter === undefined ? response : { ...response, headers: { 'retry-after': retryAfter } };
}
