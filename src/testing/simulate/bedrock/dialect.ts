// The simulated Amazon Bedrock: Converse, and Anthropic's messages inside InvokeModel. The path of a request has its
// model and says whether the response is a stream.

import { isRecord, omitUndefined } from '../../../core/json.ts';
import { anthropicMessagesServer } from '../../../wire/anthropic-messages/server.ts';
import { wireName } from '../../../wire/bedrock-converse/types.ts';
import { throwApiError } from '../api-error.ts';
import type { Dialect, SimulatedWire } from '../dialect.ts';
import { validateAnthropic } from '../validate-anthropic.ts';
import { authenticateAws } from './authentication.ts';
import { decodeConverseRequest } from './converse-request.ts';
import { encodeConverseBody, encodeConverseStream } from './converse-response.ts';
import { encodeException, exceptionOf } from './exception.ts';
import { converseMessages, invokeMessages } from './frames.ts';
import { checkModel, validateConverse } from './validate-converse.ts';

export const converseWire: SimulatedWire = {
  name: wireName,
  decodeRequest: decodeConverseRequest,
  encodeOptionsOf: () => ({}),
  encodeStream: encodeConverseStream,
  encodeBody: encodeConverseBody,
  encodeError: (error) => ({ status: exceptionOf(error).status, body: { message: error.message } }),
};

const mediaType = 'application/vnd.amazon.eventstream';

const shared = {
  requestIdHeader: 'x-amzn-requestid',
  errorTypes: {},
  notJson: 'The request body is not valid JSON',
  authenticate: authenticateAws,
  checkHeaders() {},
  encodeFailure: encodeException,
  listModels: () => throwApiError('This operation is not part of the runtime API.', { kind: 'not-found' }),
} as const satisfies Partial<Dialect>;

const route = /^\/model\/([^/]+)\/(converse|converse-stream|count-tokens|invoke|invoke-with-response-stream)$/u;

export interface BedrockRoute {
  readonly model: string;
  readonly operation: string;
}

/** The model and the operation of a path; undefined for a path of another API. */
export function bedrockRoute(path: string): BedrockRoute | undefined {
  const [, model, operation] = route.exec(path) ?? [];
  return model === undefined || operation === undefined ? undefined : { model: decodeURIComponent(model), operation };
}

export function bedrockDialect(path: string, { model, operation }: BedrockRoute): Dialect {
  const stream = operation.endsWith('stream');
  if (!operation.startsWith('invoke')) {
    return {
      ...shared,
      wire: converseWire,
      path,
      framing: { mediaType, encode: converseMessages },
      validate: validateConverse,
      toBody: (body) => (isRecord(body) ? { ...body, modelId: model, stream } : body),
    };
  }
  return {
    ...shared,
    wire: anthropicMessagesServer,
    path,
    framing: { mediaType, encode: invokeMessages },
    validate: (body) => validateInvoke(body),
    toBody: (body) => toAnthropicBody(body, model, stream),
  };
}

/** For routes whose body has no members for the path. */
export function withoutPath({ toBody: _toBody, ...dialect }: Dialect): Dialect {
  return dialect;
}

/** The documented version is `bedrock-2023-05-31`. Anthropic's SDK sends a date of its own API. */
const versionForm = /^(?:bedrock-)?\d{4}-\d\d-\d\d$/u;

/** The model and `stream` are not members of the body here. */
export function toAnthropicBody(body: unknown, model: string, stream: boolean): unknown {
  if (!isRecord(body)) return body;
  for (const name of ['model', 'stream']) {
    if (name in body) throwApiError(`${name}: Extra inputs are not permitted`);
  }
  const { anthropic_version: version, anthropic_beta: _betas, ...rest } = body;
  if (version === undefined) throwApiError('anthropic_version: Field required');
  if (typeof version !== 'string' || !versionForm.test(version)) throwApiError('Invalid API version');
  return omitUndefined({ ...rest, model, stream });
}

export function validateInvoke(body: unknown): void {
  if (isRecord(body)) checkModel(String(body['model']));
  validateAnthropic(body);
}
