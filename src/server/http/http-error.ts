// How the server itself says no: an error, and the HTTP status where the error's kind does not tell it.

import { errorTable, SimpleAgentsError, toError, type ErrorKind } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import type { WireServer } from '../../wire/wire.ts';

export interface HttpErrorDetails {
  readonly kind?: ErrorKind;
  readonly field?: string;
  /** A word for programs, where the kind alone says too little. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What was sent cannot be read on, so the connection ends with the answer. */
  readonly close?: boolean;
}

export class HttpError extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly error: SimpleAgentsError;
  readonly headers: Readonly<Record<string, string>>;
  readonly close: boolean;

  constructor(status: number, error: SimpleAgentsError, details: HttpErrorDetails = {}) {
    super(error.message);
    this.status = status;
    this.error = error;
    this.headers = details.headers ?? {};
    this.close = details.close ?? false;
  }
}

export function throwHttpError(status: number, message: string, details: HttpErrorDetails = {}): never {
  const { kind = 'bad-request', field, code } = details;
  throw new HttpError(status, new SimpleAgentsError(kind, message, omitUndefined({ field, code })), details);
}

/** Anything thrown, as what a client is told of it. */
export function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  const error = toError(thrown);
  return new HttpError(errorTable[error.kind].status, withoutInternals(error), { headers: headersOf(error) });
}

/** The error with its field named as the client's wire names it, where we have a name of our own for it. */
export function withWireFieldName(
  error: SimpleAgentsError,
  { fieldNames }: Pick<WireServer, 'fieldNames'>,
): SimpleAgentsError {
  const { kind, code, field = '', message } = error;
  const name = fieldNames[field];
  if (name === undefined) return error;
  const renamed = message.startsWith(`${field}: `) ? `${name}${message.slice(field.length)}` : message;
  return new SimpleAgentsError(kind, renamed, omitUndefined({ cause: error, code, field: name }));
}

/** What nobody foresaw may say anything: the log has it, the client does not. */
function withoutInternals(error: SimpleAgentsError): SimpleAgentsError {
  return error.kind === 'internal' ? new SimpleAgentsError('internal', 'an internal error; the log says more') : error;
}

function headersOf(error: SimpleAgentsError): Record<string, string> {
  const { kind, retryAfterMs, target } = error;
  return {
    'x-simple-agents-error': kind,
    ...(target === undefined ? {} : { 'x-simple-agents-target': toHeaderValue(target) }),
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    // The official SDKs ask again after every 5xx unless they are told that it does not help.
    ...(error.retryable ? {} : { 'x-should-retry': 'false' }),
  };
}

const unreadable = /[^\u0020-\u007e]/;

/** A header carries no line ends, and we send only what everybody can read. */
export function toHeaderValue(text: string): string {
  return unreadable.test(text) ? text.replaceAll(/[^\u0020-\u007e]/g, '?') : text;
}
