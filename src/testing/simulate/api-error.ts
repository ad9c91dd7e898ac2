// The errors of a simulated API: the message of the real API, with its field and code.

import { SimpleAgentsError, type ErrorKind } from '../../core/error.ts';

export interface ApiErrorDetails {
  readonly kind?: ErrorKind;
  /** The HTTP status, if it differs from that of the error's kind. */
  readonly status?: number;
  /** OpenAI's `param`. */
  readonly field?: string;
  /** OpenAI's `code`. */
  readonly code?: string;
}

export function throwApiError(message: string, { kind = 'bad-request', ...details }: ApiErrorDetails = {}): never {
  throw new SimpleAgentsError(kind, message, details);
}

/** Formats any value for a message. */
export function quote(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
