// The words of a provider's failure, whatever shape it gave them: a sentence, an object with a message, or data of
// its own, which is quoted, for it is all a person has to go by.

import { isRecord } from '../core/json.ts';

const longestQuote = 500;

export function failureReason(error: unknown): string {
  const message = isRecord(error) && 'message' in error ? error['message'] : error;
  if (typeof message === 'string' && message !== '') return message;
  const isEmpty = message === undefined || message === null || Object.keys(message).length === 0;
  return isEmpty ? 'the provider gave no reason' : JSON.stringify(message).slice(0, longestQuote);
}
