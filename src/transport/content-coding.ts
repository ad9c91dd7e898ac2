// The content codings of a response, and limits for them: every coding adds a decoder, and a few kilobytes can decode to
// gigabytes.

import { SimpleAgentsError } from '../core/error.ts';

/** Real servers apply at most two: the application compresses once, and a proxy once more. */
const mostCodings = 2;

const known = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);

/** All names in the value of a content-encoding header, in lower case. */
export function codingNamesOf(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
}

/** The names without empty ones and `identity`, in the order in which the codings were applied. */
export function codingsOf(encoding: string): string[] {
  return codingNamesOf(encoding).filter((name) => name !== '' && name !== 'identity');
}

/** The reason why the body cannot be decoded, if there is one. */
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
 * The reason why the framing of the body cannot be trusted, if there is one. HTTP clients pass the bytes of an unknown
 * transfer coding to the reader as if they were the content.
 */
export function findMisframed({ 'transfer-encoding': encoding }: Readonly<Record<string, string>>) {
  if (encoding === undefined || encoding.toLowerCase() === 'chunked') return undefined;
  const message = `unsupported transfer-encoding ${JSON.stringify(encoding)} in the response`;
  return new SimpleAgentsError('bad-response', message);
}

export function tooLarge(cap: number): SimpleAgentsError {
  return new SimpleAgentsError('bad-response', `the response is larger than ${cap} bytes, the maximum`);
}
