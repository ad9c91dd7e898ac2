// The errors of Amazon's services, as data for `classifyFailure`: an exception has a name, in a header, in the body or in
// a message of a stream, and a text.

import type { FailureReport } from '../core/error.ts';
import { entryOf, isRecord, omitUndefined } from '../core/json.ts';
import { failureReason } from './failure-reason.ts';

/** The types that `core/error.ts` knows, by the name of an exception in lower case. */
const types: Readonly<Record<string, string>> = {
  accessdeniedexception: 'permission_error',
  expiredtokenexception: 'authentication_error',
  incompletesignatureexception: 'authentication_error',
  internalserverexception: 'api_error',
  invalidsignatureexception: 'authentication_error',
  missingauthenticationtokenexception: 'authentication_error',
  modelerrorexception: 'api_error',
  modelnotreadyexception: 'overloaded_error',
  modelstreamerrorexception: 'api_error',
  modeltimeoutexception: 'timeout_error',
  resourcenotfoundexception: 'not_found_error',
  servicequotaexceededexception: 'billing_error',
  serviceunavailableexception: 'overloaded_error',
  throttlingexception: 'rate_limit_error',
  unrecognizedclientexception: 'authentication_error',
  validationexception: 'invalid_request_error',
};

/** The service has no code for a prompt that is too long. These are the texts of the models behind it. */
const overflow =
  /^(?:input is too long|prompt is too long)|input length and `max_tokens` exceed context limit|exceeds? the (?:model's )?maximum (?:context|input) length|too many input tokens/i;

/** For a response with an error status. */
export function decodeAwsError(body: unknown, headers: Readonly<Record<string, string>> = {}): FailureReport {
  const { __type: type, message, Message: other } = isRecord(body) ? body : {};
  const name = headers['x-amzn-errortype'] ?? (typeof type === 'string' ? type : '');
  return toFailureReport(name, message ?? other);
}

/** `exception`: `ThrottlingException`, also with a namespace before it or an address after it. */
export function toFailureReport(exception: string, message: unknown): FailureReport {
  const name = exception.replace(/^.*#/, '').replace(/:.*$/, '');
  const text = failureReason(message);
  const type = entryOf(types, name.toLowerCase());
  const isOverflow = type === 'invalid_request_error' && overflow.test(text);
  const code = isOverflow ? 'context_length_exceeded' : name;
  return omitUndefined({ type, message: text, code: code === '' ? undefined : code });
}
