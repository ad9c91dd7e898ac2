// The errors of the HTTP server: a `SimpleAgentsError` with the HTTP status and headers of its response.

import { addressesIn, errorTable, SimpleAgentsError, toError, type ErrorKind } from '../../core/error.ts';
import { omitUndefined, type JsonObject } from '../../core/json.ts';
import type { WireServer } from '../../wire/wire.ts';

export interface HttpErrorDetails {
  readonly kind?: ErrorKind;
  readonly field?: string;
  /** A machine-readable code, where the kind is not specific enough. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection after the response, because the rest of the request cannot be read. */
  readonly close?: boolean;
  /** Reads and drops the rest of the body before the connection closes. Only for a client with a valid key. */
  readonly drain?: boolean;
}

export class HttpError extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly error: SimpleAgentsError;
  readonly headers: Readonly<Record<string, string>>;
  readonly close: boolean;
  readonly drain: boolean;

  constructor(status: number, error: SimpleAgentsError, details: HttpErrorDetails = {}) {
    super(error.message);
    this.status = status;
    this.error = error;
    this.headers = details.headers ?? {};
    this.close = details.close ?? false;
    this.drain = details.drain ?? false;
  }
}

export function throwHttpError(status: number, message: string, details: HttpErrorDetails = {}): never {
  const { kind = 'bad-request', field, code } = details;
  throw new HttpError(status, new SimpleAgentsError(kind, message, omitUndefined({ field, code })), details);
}

/** Converts anything thrown to the error that the client gets. */
export function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  const error = toError(thrown);
  return new HttpError(errorTable[error.kind].status, toClientError(error), { headers: headersOf(error) });
}

/** The error response in the client's wire. The provider's own, if it may pass. */
export function encodeFailure(thrown: unknown, wire: WireServer): EncodedFailure {
  const { status, error, headers, close, drain } = toHttpError(thrown);
  const encoded = wire.encodeError(withWireFieldName(error, wire));
  return { ...encoded, headers, close, drain, ...(thrown instanceof HttpError ? { status } : {}) };
}

interface EncodedFailure extends Pick<HttpError, 'status' | 'headers' | 'close' | 'drain'> {
  readonly body: JsonObject;
}

/** The error with its field renamed to the name in the client's wire, where ours differs. */
export function withWireFieldName(
  error: SimpleAgentsError,
  wire: Pick<WireServer, 'name' | 'fieldNames'>,
): SimpleAgentsError {
  const { kind, code, field = '', message, response } = error;
  const name = response?.wire === wire.name ? undefined : wire.fieldNames[field];
  if (name === undefined) return error;
  const renamed = message.startsWith(`${field}: `) ? `${name}${message.slice(field.length)}` : message;
  return new SimpleAgentsError(kind, renamed, omitUndefined({ cause: error, code, field: name }));
}

/** The message of an unexpected error may contain anything, so only the log gets it. */
function toClientError(error: SimpleAgentsError): SimpleAgentsError {
  if (error.kind === 'internal') return new SimpleAgentsError('internal', 'internal error; see the log of the gateway');
  const message = withoutAddresses(error);
  if (message === error.message) return error;
  const { kind, status, retryAfterMs, target, field, code, requestId } = error;
  return new SimpleAgentsError(kind, message, omitUndefined({ status, retryAfterMs, target, field, code, requestId }));
}

/** The message without addresses of providers. The longest ones are replaced first, because they contain others. */
export function withoutAddresses(error: SimpleAgentsError): string {
  const addresses = [...(addressesIn(error) ?? [])].toSorted((left, right) => right.length - left.length);
  return addresses.reduce((message, address) => message.replaceAll(asWord(address), 'the provider'), error.message);
}

/** A host may have a short name, which must not be replaced inside other words. */
function asWord(address: string): RegExp {
  const literal = address.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\w.-])${literal}(?![\w-])`, 'g');
}

function headersOf(error: SimpleAgentsError): Record<string, string> {
  const { kind, retryAfterMs, target } = error;
  return {
    'x-simple-agents-error': kind,
    ...(target === undefined ? {} : { 'x-simple-agents-target': toHeaderValue(target) }),
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    // The official SDKs retry every 5xx response unless this header says otherwise.
    ...(error.retryable ? {} : { 'x-should-retry': 'false' }),
  };
}

/** Replaces everything but printable ASCII, so that the text is valid in a header. */
export function toHeaderValue(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/g, '?');
}
