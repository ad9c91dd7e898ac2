// The only error class, the table that defines each kind, and the only place that chooses a kind. No other code inspects
// a status or message text. An abort is not an error of this class: it keeps the signal's reason.

import { entryOf, type JsonObject } from './json.ts';
import type { HealingFlag } from './message.ts';

export type ErrorKind =
  | 'bad-request'
  | 'context-overflow'
  | 'auth'
  | 'quota'
  | 'not-found'
  | 'rate-limit'
  | 'overloaded'
  | 'upstream'
  | 'network'
  | 'timeout'
  | 'bad-response'
  | 'healing'
  | 'configuration'
  | 'internal';

export interface ErrorRow {
  readonly retryable: boolean;
  /** The HTTP status that our own servers send. */
  readonly status: number;
  readonly exitCode: number;
  /** What the user can do about it. */
  readonly advice: string;
}

export const errorTable: Readonly<Record<ErrorKind, ErrorRow>> = {
  'bad-request': { retryable: false, status: 400, exitCode: 2, advice: 'Fix the request as the message describes.' },
  'context-overflow': {
    retryable: false,
    status: 400,
    exitCode: 2,
    advice: 'Shorten the conversation, or use a model with a larger context window.',
  },
  auth: { retryable: false, status: 401, exitCode: 3, advice: 'Check the API key and its permissions.' },
  quota: { retryable: false, status: 429, exitCode: 4, advice: 'Add credit or raise the limit at the provider.' },
  'not-found': { retryable: false, status: 404, exitCode: 5, advice: 'Check the model name and the base URL.' },
  'rate-limit': {
    retryable: true,
    status: 429,
    exitCode: 4,
    advice: 'Wait before the next request, or send fewer requests.',
  },
  overloaded: { retryable: true, status: 503, exitCode: 6, advice: 'Try again later, or use another provider.' },
  upstream: { retryable: true, status: 502, exitCode: 6, advice: 'The provider failed; try again.' },
  network: { retryable: true, status: 502, exitCode: 6, advice: 'Check the connection, the base URL and the proxy.' },
  timeout: { retryable: true, status: 504, exitCode: 6, advice: 'Try again, or raise the time-out.' },
  'bad-response': {
    retryable: false,
    status: 502,
    exitCode: 7,
    advice: 'The server does not speak the expected protocol; check the base URL and the wire.',
  },
  healing: {
    retryable: false,
    status: 422,
    exitCode: 7,
    advice: 'The response does not match the schema; relax the schema or the minimum confidence, or retry.',
  },
  configuration: {
    retryable: false,
    status: 500,
    exitCode: 2,
    advice: 'Fix the configuration as the message describes.',
  },
  internal: { retryable: false, status: 500, exitCode: 1, advice: 'This is a bug; please report it.' },
};

/** The exit code of a program stopped by Ctrl-C, which is not an error. */
export const abortExitCode = 130;

export interface ErrorDetails {
  readonly cause?: unknown;
  /** The provider's HTTP status, not ours. */
  readonly status?: number;
  /** How long the provider asked us to wait. Not clamped: policies decide what to do with it. */
  readonly retryAfterMs?: number;
  /** Which provider or target failed. */
  readonly target?: string;
  /** The field or option that is wrong. */
  readonly field?: string;
  /** The provider's own name for the error. */
  readonly code?: string;
  /** The provider's request id, for support requests. */
  readonly requestId?: string;
  /** Addresses in the message that only the operator of a server may know, not its clients. */
  readonly addresses?: readonly string[];
  /** The provider's error response as it arrived, without credentials. */
  readonly response?: ErrorResponse;
  /** For `healing`: what the model wrote. */
  readonly text?: string;
  /** For `healing`: the value that was found in the text, although it is not usable. */
  readonly value?: unknown;
  /** For `healing`: the changes that led to `value`. */
  readonly flags?: readonly HealingFlag[];
  /** For `healing`: 0 to 1. */
  readonly confidence?: number;
}

export interface ErrorResponse {
  /** The wire of the body. */
  readonly wire: string;
  /** Absent if the error was inside a successful response. */
  readonly status?: number;
  readonly body: JsonObject;
}

export class SimpleAgentsError extends Error {
  override readonly name = 'SimpleAgentsError';
  readonly kind: ErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly target: string | undefined;
  readonly field: string | undefined;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly addresses: readonly string[] | undefined;
  readonly response: ErrorResponse | undefined;
  readonly text: string | undefined;
  readonly value: unknown;
  readonly flags: readonly HealingFlag[] | undefined;
  readonly confidence: number | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.target = details.target;
    this.field = details.field;
    this.code = details.code;
    this.requestId = details.requestId;
    this.addresses = details.addresses;
    this.response = details.response;
    this.text = details.text;
    this.value = details.value;
    this.flags = details.flags;
    this.confidence = details.confidence;
  }

  get retryable(): boolean {
    return errorTable[this.kind].retryable;
  }

  get advice(): string {
    return errorTable[this.kind].advice;
  }
}

/** The addresses in the messages of an error and of its causes, which it may quote; `undefined` if there are none. */
export function addressesIn(...thrown: readonly unknown[]): readonly string[] | undefined {
  const found = thrown.flatMap((error) => {
    if (!(error instanceof Error)) return [];
    const own = error instanceof SimpleAgentsError ? (error.addresses ?? []) : [];
    return [...own, ...(addressesIn(error.cause) ?? [])];
  });
  return found.length === 0 ? undefined : [...new Set(found)];
}

/** The code of a `bad-request` that another model may accept: this model does not support the field. */
export const unsupportedField = 'unsupported-field';

/** The code of an `overloaded` that is not the server's fault: this machine ran out of files, ports or memory. */
export const localShortage = 'local-shortage';

/** Throws for a field, an option or an argument with a wrong value. */
export function rejectField(kind: ErrorKind, field: string, problem: string): never {
  throw new SimpleAgentsError(kind, `${field}: ${problem}`, { field });
}

export function isAbort(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted && (error === signal.reason || error === undefined)) return true;
  return error instanceof Error && error.name === 'AbortError';
}

/** Converts anything that was thrown. The caller must have handled aborts before. */
export function toError(thrown: unknown): SimpleAgentsError {
  if (thrown instanceof SimpleAgentsError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new SimpleAgentsError('internal', message, { cause: thrown });
}

/** A provider's error, as decoded by its wire. */
export interface FailureReport extends ErrorDetails {
  readonly type?: string;
  readonly message: string;
}

/** Names, used as a code or as a type, that determine the kind whatever the status is. */
const kindByName: Readonly<Record<string, ErrorKind>> = {
  'context_length_exceeded': 'context-overflow',
  'billing_error': 'quota',
  'insufficient_quota': 'quota',
  'invalid_api_key': 'auth',
  'API_KEY_INVALID': 'auth',
  'model_not_found': 'not-found',
  'rate_limit_exceeded': 'rate-limit',
};

const kindByStatus: Readonly<Record<number, ErrorKind>> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'not-found',
  408: 'timeout',
  424: 'upstream',
  429: 'rate-limit',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

const kindByType: Readonly<Record<string, ErrorKind>> = {
  'invalid_request_error': 'bad-request',
  'request_too_large': 'bad-request',
  'authentication_error': 'auth',
  'permission_error': 'auth',
  'not_found_error': 'not-found',
  'rate_limit_error': 'rate-limit',
  'overloaded_error': 'overloaded',
  'api_error': 'upstream',
  'server_error': 'upstream',
  'timeout_error': 'timeout',
  'INVALID_ARGUMENT': 'bad-request',
  'FAILED_PRECONDITION': 'bad-request',
  'UNAUTHENTICATED': 'auth',
  'PERMISSION_DENIED': 'auth',
  'NOT_FOUND': 'not-found',
  'RESOURCE_EXHAUSTED': 'rate-limit',
  'UNAVAILABLE': 'overloaded',
  'DEADLINE_EXCEEDED': 'timeout',
};

const keyCodes: ReadonlySet<string | undefined> = new Set(['invalid_api_key', 'API_KEY_INVALID']);

/** Whether the provider knows its caller and forbids the request, as opposed to rejecting the credential. */
export function isForbidden({ kind, status, code }: Pick<SimpleAgentsError, 'kind' | 'status' | 'code'>): boolean {
  return kind === 'auth' && status === 403 && !keyCodes.has(code);
}

/** The error for a provider's failure. A status of 200 means that the failure came inside the stream. */
export function classifyFailure(report: FailureReport): SimpleAgentsError {
  return new SimpleAgentsError(kindOfFailure(report), report.message, report);
}

/** The status says whether a retry may help, because some servers report their own faults as bad requests. The type says why. */
function kindOfFailure({ code, type, status = 200 }: FailureReport): ErrorKind {
  const decided = entryOf(kindByName, code) ?? entryOf(kindByName, type) ?? kindByStatus[status];
  if (decided !== undefined) return decided;
  const byType = entryOf(kindByType, type);
  if (status < 300) return byType ?? 'upstream';
  if (status < 400) return 'bad-response';
  const isTransient = status >= 500;
  if (byType !== undefined && errorTable[byType].retryable === isTransient) return byType;
  return isTransient ? 'upstream' : 'bad-request';
}
