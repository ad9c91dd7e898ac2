// Where the body of a response ends and whether its connection can be used again, read from the head. What two readers
// could understand differently is refused: more than one length, a length beside chunks, another transfer encoding than
// chunked, chunks in HTTP/1.0, a length that is not a plain number.

import { notHttp } from './failure.ts';
import type { AnswerHead } from './head-parser.ts';

export interface Framing {
  /** In bytes; without a number the body ends with its last chunk or with the connection. */
  readonly length: number | 'chunked' | 'until-close';
  readonly isReusable: boolean;
  /** In milliseconds: how long the server says it keeps a connection that nobody uses. */
  readonly keptFor: number | undefined;
}

export function framingOf(head: AnswerHead): Framing {
  const { status, headers } = head;
  // RFC 9112, 6.3: these end with their head, whatever their headers say.
  const isBare = status === 204 || status === 304;
  const length = isBare ? 0 : lengthOf(head);
  // A server that sends the announced body all the same would have it taken for the next response.
  const announcesBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
  const isReusable = length !== 'until-close' && !(isBare && announcesBody) && persists(head);
  return { length, isReusable, keptFor: isReusable ? keptFor(headers['keep-alive']) : undefined };
}

function lengthOf({ minor, headers }: AnswerHead): Framing['length'] {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (encoding !== undefined) {
    if (length !== undefined) throw notHttp('content-length beside transfer-encoding');
    if (encoding.toLowerCase() !== 'chunked') throw notHttp('a transfer-encoding other than chunked');
    if (minor === 0) throw notHttp('transfer-encoding in HTTP/1.0');
    return 'chunked';
  }
  if (length === undefined) return 'until-close';
  if (!/^\d{1,15}$/.test(length)) throw notHttp('content-length is not one number');
  return Number(length);
}

function persists({ minor, headers: { connection } }: AnswerHead): boolean {
  if (connection === undefined) return minor === 1;
  const options = connection.toLowerCase().split(/[\t ]*,[\t ]*/);
  return !options.includes('close') && (minor === 1 || options.includes('keep-alive'));
}

function keptFor(header: string | undefined): number | undefined {
  const seconds = header === undefined ? undefined : /(?:^|[\s,])timeout=(\d{1,9})(?!\d)/i.exec(header)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
