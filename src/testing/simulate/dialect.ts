// The simulated APIs: their paths, authentication, headers and error texts. The wires encode and decode the bodies; a
// dialect has only what surrounds them.

import type { IncomingHttpHeaders } from 'node:http';

import type { StreamEvent } from '../../core/event.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { apiVersions, versionHeader } from '../../wire/anthropic-messages/api-version.ts';
import { anthropicMessagesServer } from '../../wire/anthropic-messages/server.ts';
import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import { openaiResponsesServer } from '../../wire/openai-responses/server.ts';
import type { WireServer } from '../../wire/wire.ts';
import type { SimpleAgentsError } from '../../core/error.ts';
import type { Fault } from '../model/fault.ts';
import { throwApiError } from './api-error.ts';
import { bedrockDialect, bedrockRoute } from './bedrock/dialect.ts';
import { geminiDialect, geminiRoute } from './gemini/dialect.ts';
import { chatLogprobs, responsesLogprobs, type LogprobWriter } from './logprobs.ts';
import type { OutgoingResponse } from './outgoing-response.ts';
import { validateAnthropic } from './validate-anthropic.ts';
import { validateOpenai } from './validate-openai.ts';
import { validateResponses } from './validate-responses.ts';

/** What the simulator needs of the server side of a wire. */
export type SimulatedWire = Pick<
  WireServer,
  'name' | 'hasTextArguments' | 'decodeRequest' | 'encodeOptionsOf' | 'encodeStream' | 'encodeBody' | 'encodeError'
>;

export interface Dialect {
  readonly wire: SimulatedWire;
  readonly path: string;
  readonly requestIdHeader: string;
  /** The keep-alive frame of a stream. Left out: it has none. */
  readonly ping?: string;
  /** For streams that are not server-sent events: makes their bytes from those. */
  readonly framing?: { readonly mediaType: string; encode(events: string): Uint8Array };
  /** Error types by status, for statuses that the error's kind does not distinguish. */
  readonly errorTypes: Readonly<Record<number, string>>;
  readonly notJson: string;
  /** Throws `auth` unless the request has a key. Accepts every key but `invalid` and those that begin with `bad`. */
  authenticate(headers: IncomingHttpHeaders, body: string): void;
  /** Throws unless the request has the headers that the API requires. */
  checkHeaders(headers: IncomingHttpHeaders): void;
  /** The body with what the path says about the request. */
  readonly toBody?: (body: unknown) => unknown;
  validate(body: unknown, headers: IncomingHttpHeaders): void;
  /** For errors in another form than that of the wire. */
  readonly encodeFailure?: (error: SimpleAgentsError, fault?: Fault) => OutgoingResponse;
  /** `false`: a stream ends with its stop reason. */
  readonly hasTerminator?: false;
  /** The id of a response; left out: that of the message. */
  readonly toId?: (id: string) => string;
  /** The API stores responses. */
  readonly isStateful?: true;
  /** Leaves out what the request did not ask for. */
  readonly select?: (events: readonly StreamEvent[], body: unknown) => readonly StreamEvent[];
  /** For a request that asks for log probabilities. Left out: the API has none. */
  readonly logprobs?: (body: unknown) => LogprobWriter | undefined;
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
    const version = String(headers[versionHeader] ?? '');
    if (version === '') return throwApiError('anthropic-version: header is required');
    if (!apiVersions.includes(version)) throwApiError(`anthropic-version: "${version}" is not a valid version`);
  },
  validate: (body, headers) => validateAnthropic(body, { version: String(headers[versionHeader]) }),
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
  logprobs: chatLogprobs,
  listModels: (ids) => ({
    object: 'list',
    data: ids.map((id) => ({ id, object: 'model', created: 1735689600, owned_by: 'simple-agents' })),
  }),
};

const responses: Dialect = {
  ...openai,
  wire: openaiResponsesServer,
  path: '/v1/responses',
  isStateful: true,
  logprobs: responsesLogprobs,
  validate: validateResponses,
  toId: (id) => id.replace(/^(?:msg_)?/, 'resp_'),
  select: (events, body) => events.map((event) => withoutUnrequested(event, body)),
};

/** Reasoning is shown only as a summary, and encrypted, each on request. */
function withoutUnrequested(event: StreamEvent, body: unknown): StreamEvent {
  const { reasoning, include } = (isRecord(body) ? body : {}) as { reasoning?: unknown; include?: unknown };
  const hasSummary = isRecord(reasoning) && Boolean(reasoning['summary'] ?? reasoning['generate_summary']);
  if (event.type === 'reasoning-delta' && !hasSummary) return { type: 'notice', kind: 'loss', detail: 'no summary' };
  if (event.type !== 'block-end' || event.block.type !== 'reasoning') return event;
  const { signature, ...block } = event.block;
  const isEncrypted = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  const text = hasSummary ? block.text : '';
  return { ...event, block: { ...block, text, ...(isEncrypted && signature !== undefined ? { signature } : {}) } };
}

/** The APIs share some paths. Only Anthropic clients send a version header. */
export function dialectOf(path: string, headers: IncomingHttpHeaders): Dialect {
  const bedrock = bedrockRoute(path);
  if (bedrock !== undefined) return bedrockDialect(path, bedrock);
  const gemini = geminiRoute(path, headers);
  if (gemini !== undefined) return geminiDialect(path, gemini);
  if (path.startsWith(anthropic.path)) return anthropic;
  if (path === responses.path || path.startsWith(`${responses.path}/`)) return responses;
  return path !== openai.path && headers['anthropic-version'] !== undefined ? anthropic : openai;
}

function bearerOf({ authorization = '' }: IncomingHttpHeaders): string {
  return /^bearer\s+(.*)$/iu.exec(authorization)?.[1]?.trim() ?? '';
}

function isBadKey(key: string): boolean {
  return key === 'invalid' || key.startsWith('bad');
}
