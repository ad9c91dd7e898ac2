// The content codings of a response, and the limits on them: each coding is another decoder around the body, and a few
// kilobytes can decode to gigabytes.

import { SimpleAgentsError } from '../core/error.ts';

/** No real server applies more: an application may compress once and a proxy once more. */
const mostCodings = 2;

const known = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** All names in the value of a content-encoding header, in lower case. */
export function codingNamesOf(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
}

/** The names that stand for a coding, in the order they were applied. */
export function codingsOf(encoding: string): string[] {
  return codingNamesOf(encoding).filter((name) => name !== '' && name !== 'identity');
}

/** Why the body cannot be decoded, or nothing. */
export function findUndecodable(codings: readonly string[]): SimpleAgentsError | undefined {
  if (codings.length > mostCodings) {
    const message = `the response has ${codings.length} content codings; at most ${mostCodings} are accepted`;
    return new SimpleAgentsError('bad-response', message);
  }
  const unknown = codings.find((name) => !known.has(name));
  if (unknown === undefined) return undefined;
  return new SimpleAgentsError('bad-response', `unknown content coding "${unknown}" in the response`);
}

/**
 * Why the body cannot be told from its framing, or nothing. Clients pass a transfer coding that they do not know to the
 * reader as if it were the content.
 */
export function findMisframed({ 'transfer-encoding': encoding }: Readonly<Record<string, string>>) {
  if (encoding === undefined || encoding.toLowerCase() === 'chunked') return undefined;
  const message = `unsupported transfer-encoding ${JSON.stringify(encoding)} in the response`;
  return new SimpleAgentsError('bad-response', message);
}

export function tooLarge(cap: number): SimpleAgentsError {
  return new SimpleAgentsError('bad-response', `the answer is larger than ${cap} bytes, the most that is accepted`);
}
