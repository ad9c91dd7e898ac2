// A request as it goes over the wire: one text, written at once. What would make it two requests is refused here, before
// anything is sent: names that are no token, values with control characters, headers that are the transport's own.

import { SimpleAgentsError } from '../../core/error.ts';
import { acceptedEncodings } from '../decompress.ts';
import type { TransportRequest } from '../transport.ts';
import type { Place } from './place.ts';

export interface RequestText {
  readonly method: TransportRequest['method'];
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}

/** How long the body is and how long a connection lasts is not for others to say. */
const ownHeaders = new Set(['content-length', 'expect', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']);

const illegalName = /[^\w!#$%&'*+.^`|~-]|^$/;
const illegalValue = /[^\t -~\u0080-\u00ff]/;
// oxlint-disable-next-line no-control-regex -- these are the characters that are the same in both encodings
const plain = /^[\0-\u007f]*$/;

export function encodeRequest(place: Place, request: TransportRequest): RequestText {
  const { method, body } = request;
  const head = place.knownHead(request) ?? place.remember(request, encodeHead(place, request));
  if (body === undefined) {
    return { method, text: method === 'GET' ? `${head}\r\n` : `${head}content-length: 0\r\n\r\n`, encoding: 'latin1' };
  }
  const length = Buffer.byteLength(body);
  const text = `${head}content-length: ${length}\r\n\r\n${body}`;
  if (length === body.length) return { method, text, encoding: 'latin1' };
  if (plain.test(head)) return { method, text, encoding: 'utf8' };
  // The only way to have both encodings in one text: the bytes of the body, each as a character.
  const bytes = Buffer.from(body).toString('latin1');
  return { method, text: `${head}content-length: ${length}\r\n\r\n${bytes}`, encoding: 'latin1' };
}

function encodeHead(place: Place, request: TransportRequest): string {
  const { origin, target } = place;
  let text = `${request.method} ${target} HTTP/1.1\r\n`;
  const headers: Record<string, string> = {
    'host': origin.host,
    'connection': 'keep-alive',
    'accept-encoding': acceptedEncodings,
  };
  for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
  const { authorization } = origin.proxy ?? {};
  if (authorization !== undefined && !origin.isTunnelled) headers['proxy-authorization'] = authorization;
  for (const [name, value] of Object.entries(headers)) {
    check(name, value, origin.name);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

function check(name: string, value: string, origin: string): void {
  if (illegalName.test(name)) throw cannotSend(origin, `invalid header name ${JSON.stringify(name)}`);
  const isOdd = name === 'connection' && !/^(?:close|keep-alive)$/i.test(value);
  if (isOdd || ownHeaders.has(name) || illegalValue.test(value)) throw cannotSend(origin, `invalid ${name} header`);
}

function cannotSend(origin: string, why: string): SimpleAgentsError {
  return new SimpleAgentsError('configuration', `the request to ${origin} cannot be sent: ${why}`);
}
