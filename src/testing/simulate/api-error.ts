// How a simulated API says no: an error with the real API's words, the field it calls by name, and its code.

import { SimpleAgentsError, type ErrorKind } from '../../core/error.ts';

export interface ApiErrorDetails {
  readonly kind?: ErrorKind;
  /** The HTTP status, where the error's kind does not say it. */
  readonly status?: number;
  /** OpenAI's `param`. */
  readonly field?: string;
  /** OpenAI's `code`. */
  readonly code?: string;
}

export function throwApiError(message: string, { kind = 'bad-request', ...details }: ApiErrorDetails = {}): never {
  throw new SimpleAgentsError(kind, message, details);
}

/** A value of any kind, to stand in a sentence. */
export function quote(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
