// The errors of a remote provider: a refusal as its wire reads it, an answer of the wrong kind, and for each
// error whose it was, with every key taken out of the text.

import { classifyFailure, SimpleAgentsError, toError, type ErrorDetails, type FailureReport } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { WireClient } from '../wire/wire.ts';
import { readText } from './body.ts';
import { retryAfterOf } from './retry-after.ts';
import { redact, redactExcerpt } from '../transport/secret.ts';
import type { TransportResponse } from '../transport/transport.ts';

const refusalCap = 1024 * 1024;
const excerptLength = 200;

/** Whose error it is. */
export interface Attribution {
  readonly target: string;
  readonly requestId: string | undefined;
  readonly secrets: readonly string[];
}

export function attribute(thrown: unknown, { target, requestId, secrets }: Attribution): SimpleAgentsError {
  const error = toError(thrown);
  const { kind, status, retryAfterMs, field, code, cause } = error;
  const clean = (text: string | undefined) => text && redact(text, secrets);
  const details = {
    status,
    retryAfterMs,
    field: clean(field),
    code: clean(code),
    target: error.target ?? target,
    requestId: clean(error.requestId ?? requestId),
    // A cause may quote what the message left out.
    cause: cause instanceof Error && redact(cause.message, secrets) === cause.message ? cause : undefined,
  };
  return new SimpleAgentsError(kind, redactExcerpt(error.message, secrets), omitUndefined(details as ErrorDetails));
}

/** An answer whose status is not 2xx. */
export async function toStatusError(response: TransportResponse, wire: WireClient): Promise<SimpleAgentsError> {
  const { status, headers } = response;
  // A body that fails takes nothing from what the status says.
  const text = await readText(response.body, refusalCap).catch(() => '');
  const report = reportOf(response, text, wire);
  return classifyFailure(
    omitUndefined({
      ...report,
      status,
      retryAfterMs: retryAfterOf(headers),
      requestId: requestIdOf(headers),
    } as FailureReport),
  );
}

function reportOf({ status, headers }: TransportResponse, text: string, wire: WireClient): FailureReport {
  if (status < 400) {
    const place = headers['location']?.replace(/[?#].*/, '') ?? 'nowhere';
    return { message: `the server redirects to ${place}; redirects are not followed, so set the base URL to fit` };
  }
  const body = parseJson(text);
  if (body !== undefined) return wire.decodeError(body);
  return { message: `the server answered ${status} ${text === '' ? 'without a body' : `with: ${excerpt(text)}`}` };
}

/** An answer that succeeded, but in a format no wire speaks. */
export async function toWrongFormat({ headers, body }: TransportResponse): Promise<SimpleAgentsError> {
  const type = headers['content-type'] ?? 'no content type';
  const text = await readText(body, 4 * excerptLength);
  return new SimpleAgentsError('bad-response', `expected an event stream or JSON, but got ${type}: ${excerpt(text)}`);
}

/** A JSON body, or the error that it is none. */
export function parseBody(text: string): unknown {
  const body = parseJson(text);
  if (body !== undefined) return body;
  throw new SimpleAgentsError('bad-response', `the body says it is JSON but is not: ${excerpt(text)}`);
}

export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  return headers['request-id'] ?? headers['x-request-id'];
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
