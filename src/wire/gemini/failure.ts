// The errors of Google's APIs: a status with a name, and details that say how long to wait, which quota is exhausted, or
// that the key is wrong.

import type { FailureReport } from '../../core/error.ts';
import { isRecord, omitUndefined } from '../../core/json.ts';
import { failureReason } from '../failure-reason.ts';

/** A prompt that is too long has no code of its own. */
const overflow = /\binput token count\b.*\bexceeds the maximum\b/is;

/** Some routes send a list with one error. */
export function decodeError(body: unknown): FailureReport {
  const sent: unknown = Array.isArray(body) ? body[0] : body;
  return reportOf(isRecord(sent) ? sent['error'] : undefined);
}

export function reportOf(error: unknown): FailureReport {
  const message = failureReason(error);
  const { status, details } = isRecord(error) ? error : {};
  const found = Array.isArray(details) ? details.filter(isRecord) : [];
  return omitUndefined({
    message,
    type: typeof status === 'string' ? status : undefined,
    code: overflow.test(message) ? 'context_length_exceeded' : codeOf(found),
    retryAfterMs: retryDelayOf(found),
  });
}

type Detail = Readonly<Record<string, unknown>>;

function detailOf(details: readonly Detail[], type: string): Detail | undefined {
  return details.find((detail) => String(detail['@type']).endsWith(type));
}

/** A daily quota does not recover in time for a retry. */
function codeOf(details: readonly Detail[]): string | undefined {
  const violations = detailOf(details, 'QuotaFailure')?.['violations'];
  const isDaily = Array.isArray(violations) && violations.some((violation) => /PerDay/.test(JSON.stringify(violation)));
  if (isDaily) return 'insufficient_quota';
  const reason = detailOf(details, 'ErrorInfo')?.['reason'];
  return typeof reason === 'string' ? reason : undefined;
}

/** A duration such as `34.07s`. */
function retryDelayOf(details: readonly Detail[]): number | undefined {
  const delay = detailOf(details, 'RetryInfo')?.['retryDelay'];
  const seconds = typeof delay === 'string' && /^\d+(?:\.\d+)?s$/.test(delay) ? Number(delay.slice(0, -1)) : undefined;
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
}
