// The message in a provider's error, which may be a string, an object with a message, or other data. Other data is quoted,
// because the user has no other information.

import { isRecord } from '../core/json.ts';

const longestQuote = 500;

export function failureReason(error: unknown): string {
  const message = isRecord(error) && 'message' in error ? error['message'] : error;
  if (typeof message === 'string' && message !== '') return message;
  const isEmpty = message === undefined || message === null || Object.keys(message).length === 0;
  return isEmpty ? 'the provider returned an error without a message' : JSON.stringify(message).slice(0, longestQuote);
}
