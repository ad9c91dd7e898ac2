// The errors of a remote provider: error statuses as decoded by its wire, and responses in an unknown format. Every error
// names its target, and credentials are redacted in its text.

import {
  addressesIn,
  classifyFailure,
  SimpleAgentsError,
  toError,
  type ErrorDetails,
  type FailureReport,
} from '../core/error.ts';
import { isRecord, omitUndefined, type JsonObject } from '../core/json.ts';
import type { WireClient } from '../wire/wire.ts';
import { readText } from './body.ts';
import { retryAfterOf } from './retry-after.ts';
import { redact, redactExcerpt, redactJson } from '../transport/secret.ts';
import type { TransportResponse } from '../transport/transport.ts';

/** Without a name, the response never passes to a client as it is. */
export type ErrorDecoder = Pick<WireClient, 'decodeError'> & Partial<Pick<WireClient, 'name'>>;

const refusalCap = 1024 * 1024;
const excerptLength = 200;

/** Where an error comes from. */
export interface Attribution {
  readonly target: string;
  readonly requestId: string | undefined;
  readonly secrets: readonly string[];
}

export function attribute(thrown: unknown, { target, requestId, secrets }: Attribution): SimpleAgentsError {
  const error = toError(thrown);
  const { kind, status, retryAfterMs, field, code, cause, response } = error;
  const body = response && redactJson(response.body, secrets);
  const clean = (text: string | undefined) => text && redact(text, secrets);
  const details = {
    status,
    retryAfterMs,
    field: clean(field),
    code: clean(code),
    target: error.target ?? target,
    requestId: clean(error.requestId ?? requestId),
    addresses: addressesIn(error)?.map((address) => redact(address, secrets)),
    response: response && body && { ...response, body },
    // A cause may quote a credential that the message does not.
    cause: cause instanceof Error && redact(cause.message, secrets) === cause.message ? cause : undefined,
  };
  return new SimpleAgentsError(kind, redactExcerpt(error.message, secrets), omitUndefined(details as ErrorDetails));
}

/** The error for a response whose status is not 2xx. */
export async function toStatusError(response: TransportResponse, wire: ErrorDecoder): Promise<SimpleAgentsError> {
  const { status, headers } = response;
  // The status is enough if the body cannot be read.
  const text = await readText(response.body, refusalCap).catch(() => '');
  const report = reportOf(response, text, wire);
  return classifyFailure(
    omitUndefined({
      ...report,
      status,
      retryAfterMs: retryAfterOf(headers) ?? report.retryAfterMs,
      requestId: requestIdOf(headers),
    } as FailureReport),
  );
}

function reportOf({ status, headers }: TransportResponse, text: string, wire: ErrorDecoder): FailureReport {
  const { name } = wire;
  if (status < 400) {
    const place = headers['location']?.replace(/[?#].*/, '') ?? 'nowhere';
    return {
      message: `the server redirects to ${place}; redirects are not followed, so set the base URL to the new address`,
      ...(/^(?:https?:)?\/\/./i.test(place) ? { addresses: [place] } : {}),
    };
  }
  const body = parseJson(text);
  if (body !== undefined) {
    // All wires have an object here. An error of another shape is translated into it.
    const response =
      name !== undefined && isRecord(body) && isRecord(body['error'])
        ? { wire: name, status, body: body as JsonObject }
        : undefined;
    return omitUndefined({ ...wire.decodeError(body, headers), response });
  }
  return {
    message: `the server responded with status ${status}${text === '' ? ' and no body' : `: ${excerpt(text)}`}`,
  };
}

/** The error for a successful response in a format that no wire uses. */
export async function toWrongFormat({ headers, body }: TransportResponse): Promise<SimpleAgentsError> {
  const type = headers['content-type'] ?? 'no content type';
  const text = await readText(body, 4 * excerptLength);
  return new SimpleAgentsError('bad-response', `expected an event stream or JSON, but got ${type}: ${excerpt(text)}`);
}

/** Parses a JSON body; throws if it is not JSON. */
export function parseBody(text: string): unknown {
  const body = parseJson(text);
  if (body !== undefined) return body;
  throw new SimpleAgentsError('bad-response', `the body is declared as JSON but is not valid: ${excerpt(text)}`);
}

export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  return headers['request-id'] ?? headers['x-request-id'] ?? headers['x-amzn-requestid'];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return '(an empty body)';
  return line.length <= excerptLength ? line : `${line.slice(0, excerptLength)}…`;
}
