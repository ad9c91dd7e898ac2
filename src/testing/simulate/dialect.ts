// The two simulated APIs: their paths, authentication, headers and error texts. The wires encode and decode the bodies; a
// dialect has only what surrounds them.

import type { IncomingHttpHeaders } from 'node:http';

import { isRecord, type JsonObject } from '../../core/json.ts';
import { anthropicMessagesServer } from '../../wire/anthropic-messages/server.ts';
import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import type { WireServer } from '../../wire/wire.ts';
import { throwApiError } from './api-error.ts';
import { validateAnthropic } from './validate-anthropic.ts';
import { validateOpenai } from './validate-openai.ts';

export interface Dialect {
  readonly wire: WireServer;
  readonly path: string;
  readonly requestIdHeader: string;
  /** The keep-alive frame of a stream. */
  readonly ping: string;
  /** Error types by status, for statuses that the error's kind does not distinguish. */
  readonly errorTypes: Readonly<Record<number, string>>;
  readonly notJson: string;
  /** Throws `auth` unless the request has a key. Accepts every key but `invalid` and those that begin with `bad`. */
  authenticate(headers: IncomingHttpHeaders): void;
  /** Throws unless the request has the headers that the API requires. */
  checkHeaders(headers: IncomingHttpHeaders): void;
  validate(body: unknown): void;
  /** Whether a stream reports token counts. */
  wantsUsage(body: unknown): boolean;
  listModels(ids: readonly string[]): JsonObject;
}

const anthropic: Dialect = {
  wire: anthropicMessagesServer,
  path: '/v1/messages',
  requestIdHeader: 'request-id',
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',
  errorTypes: { 403: 'permission_error', 413: 'request_too_large' },
  notJson: 'The request body is not valid JSON',
  authenticate(headers) {
    const key = headers['x-api-key'] ?? bearerOf(headers);
    if (typeof key !== 'string' || key === '') return throwApiError('x-api-key header is required', { kind: 'auth' });
    if (isBadKey(key)) return throwApiError('invalid x-api-key', { kind: 'auth' });
  },
  checkHeaders(headers) {
    if (!headers['anthropic-version']) throwApiError('anthropic-version: header is required');
  },
  validate: (body) => validateAnthropic(body),
  wantsUsage: () => true,
  listModels: (ids) => ({
    data: ids.map((id) => ({ type: 'model', id, display_name: id, created_at: '2025-01-01T00:00:00Z' })),
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  }),
};

const openai: Dialect = {
  wire: openaiChatServer,
  path: '/v1/chat/completions',
  requestIdHeader: 'x-request-id',
  ping: ': ping\n\n',
  errorTypes: {},
  notJson: 'We could not parse the JSON body of your request.',
  authenticate(headers) {
    const key = bearerOf(headers);
    if (key === '') {
      return throwApiError(
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
        { kind: 'auth', code: 'invalid_api_key' },
      );
    }
    if (isBadKey(key)) return throwApiError('Incorrect API key provided.', { kind: 'auth', code: 'invalid_api_key' });
  },
  checkHeaders() {},
  validate: validateOpenai,
  wantsUsage: (body) =>
    isRecord(body) && isRecord(body['stream_options']) && body['stream_options']['include_usage'] === true,
  listModels: (ids) => ({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', created: 1735689600, owned_by: 'simple-agents' })),
  }),
};

/** The APIs share some paths. Only Anthropic clients send a version header. */
export function dialectOf(path: string, headers: IncomingHttpHeaders): Dialect {
  if (path.startsWith(anthropic.path)) return anthropic;
  return path !== openai.path && headers['anthropic-version'] !== undefined ? anthropic : openai;
}

function bearerOf({ authorization = '' }: IncomingHttpHeaders): string {
  return /^bearer\s+(.*)$/iu.exec(authorization)?.[1]?.trim() ?? '';
}

function isBadKey(key: string): boolean {
  return key === 'invalid' || key.startsWith('bad');
}
