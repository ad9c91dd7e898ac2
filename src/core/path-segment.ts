// Text that a client chose, such as a model name or a file id, as one segment of a URL path. Invariant: no server or proxy
// on the way can read it as several segments or as a step to another folder, also if it decodes the path twice.

import { SimpleAgentsError } from './error.ts';

/** The code of the errors below. */
export const unsafePath = 'unsafe-path';

const separator = /\\|%[0-9a-f]{2}/i;

/** Encodes the text. Throws `bad-request` for the field if a part between slashes is empty, `.` or `..`. */
export function toPathSegment(text: string, field: string): string {
  const parts = text.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    refuse(field, 'must not have empty parts, "." or ".." in a path');
  if (parts.some((part) => separator.test(part)))
    refuse(field, 'must not contain backslashes or percent-encoded characters');
  if (!text.isWellFormed() || /\p{Cc}/u.test(text))
    refuse(field, 'must not contain control characters or incomplete characters');
  return encodeURIComponent(text);
}

/** The same for a segment that the client has already encoded. It must not contain an encoded slash. */
export function recodePathSegment(segment: string, field: string): string {
  const text = decode(segment);
  if (text === undefined) return refuse(field, 'has an invalid percent-encoding');
  if (text.includes('/')) return refuse(field, 'must not contain an encoded slash');
  return toPathSegment(text, field);
}

/** Every segment of a path that begins with a slash. */
export function recodePath(path: string, field: string): string {
  const segments = path.replace(/^\//, '').split('/');
  return segments.map((segment) => `/${recodePathSegment(segment, field)}`).join('');
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function refuse(field: string, problem: string): never {
  throw new SimpleAgentsError('bad-request', `${field}: ${problem}`, { field, code: unsafePath });
}
