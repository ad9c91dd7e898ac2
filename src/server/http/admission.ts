// Who may speak to the server at all, decided before a route is looked for. A web page that a user happens to have open
// must not reach a server on this machine: not by a name that was made to point here (`Host`), and not by asking across
// origins (`Origin`). Ambiguous requests, which two servers could read in two ways, are refused.

import type { IncomingMessage } from 'node:http';

import type { Exchange } from './exchange.ts';
import { throwHttpError, toHeaderValue } from './http-error.ts';

export interface AdmissionSettings {
  /** Further names the server is called by. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may call it. */
  readonly corsOrigins?: readonly string[];
  /** Whether only this machine reaches it. */
  readonly isLoopback: boolean;
}

const longestUrl = 8192;

/** Headers that decide something here: two of one are refused. */
const single = [
  'host',
  'origin',
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
];

/** A bit for each of them. Programs write their headers in small letters or in these; for others they are made small. */
const bits = new Map(single.flatMap((name, place) => [name, capitalised(name)].map((form) => [form, 1 << place])));

function capitalised(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

export class Admission {
  readonly #settings: AdmissionSettings;
  /** The last header that named this server, and as what: clients say the same one with every request. */
  #header: string | undefined;
  #host = '';

  constructor(settings: AdmissionSettings) {
    this.#settings = settings;
  }

  /** Gives the headers that tell a browser it may read the answer. */
  admit(request: IncomingMessage): Record<string, string> {
    checkRepeatedHeaders(request.rawHeaders);
    checkProtocol(request);
    const { url = '' } = request;
    // `GET http://elsewhere/ HTTP/1.1` is how one speaks to a proxy, and this is none.
    if (!url.startsWith('/'))
      throwHttpError(400, 'the address must begin with a slash: this is no proxy', { close: true });
    if (url.length > longestUrl)
      throwHttpError(414, `the address is longer than ${longestUrl} characters`, { close: true });
    return checkOrigin(request, this.#hostOf(request.headers.host), this.#settings);
  }

  #hostOf(header: string | undefined): string {
    if (header === undefined || header !== this.#header) {
      this.#host = checkHost(header, this.#settings);
      this.#header = header;
    }
    return this.#host;
  }
}

function checkRepeatedHeaders(raw: readonly string[]): void {
  let seen = 0;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const bit = bits.get(name) ?? bits.get(name.toLowerCase()) ?? 0;
    if ((seen & bit) !== 0) throwHttpError(400, `the header ${name.toLowerCase()} is there twice`, { close: true });
    seen |= bit;
  }
}

/** Node reads what calls itself HTTP/0.9 or HTTP/2.0 as if it were 1.1, and chunks where 1.0 has none. */
function checkProtocol({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throwHttpError(400, 'this server speaks HTTP/1.1', { close: true });
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    throwHttpError(400, 'HTTP/1.0 has no transfer-encoding', { close: true });
  }
  // An offer of HTTP/2, which some clients make with every request, may be passed over; a conversation may not.
  if (headers.upgrade !== undefined && /websocket/i.test(headers.upgrade))
    throwHttpError(400, 'there are no web sockets here', { close: true });
}

/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port. */
const hostForm = /^(?:([a-z0-9](?:[a-z0-9._-]{0,252}))|(\[[0-9a-f:.]{2,45}\]))(?::\d{1,5})?$/i;

function checkHost(header: string | undefined, { allowedHosts = [], isLoopback }: AdmissionSettings): string {
  const [, name, address] = hostForm.exec(header ?? '') ?? [];
  const host = (name ?? address)?.toLowerCase();
  if (header === undefined || host === undefined)
    return throwHttpError(400, 'the header host is not a host', { close: true });
  const isNamed = allowedHosts.some((allowed) => allowed.toLowerCase() === host);
  // Reached from elsewhere, it asks for keys, which no other page has; a list of names narrows it further.
  const isOpen = !isLoopback && allowedHosts.length === 0;
  if (isNamed || isOpen || isLoopbackName(host)) return header.toLowerCase();
  return throwHttpError(403, `this server is not called ${host}; add the name to allowed_hosts if it is`);
}

export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Programs send no origin; browsers do whenever a page asks another server, and with every POST. */
function checkOrigin(
  { headers }: IncomingMessage,
  host: string,
  { corsOrigins = [] }: AdmissionSettings,
): Record<string, string> {
  const { origin } = headers;
  if (origin === undefined) return checkFetchSite(headers['sec-fetch-site'], headers['sec-fetch-mode']);
  if (corsOrigins.includes(origin)) {
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*', 'vary': 'origin' };
  }
  if (origin.toLowerCase() === `http://${host}` || origin.toLowerCase() === `https://${host}`) return {};
  return throwHttpError(403, 'pages of this origin may not call the gateway; cors_origins lists those that may');
}

/** An image or a script that another page asks for has no origin, but says where it comes from. */
function checkFetchSite(
  site: string | string[] | undefined,
  mode: string | string[] | undefined,
): Record<string, string> {
  if (site === undefined || site === 'none' || site === 'same-origin' || mode === 'navigate') return {};
  return throwHttpError(403, 'other pages may not call the gateway');
}

/**
 * Answers a CORS preflight request from an allowed origin, which `Admission` has found. Returns whether the request was
 * one.
 */
export function handlePreflight({ request, response, headers }: Exchange): boolean {
  const { 'access-control-request-method': method, 'access-control-request-headers': requested } = request.headers;
  if (method === undefined || headers['access-control-allow-origin'] === undefined) return false;
  response.writeHead(204, {
    ...headers,
    'access-control-allow-methods': 'GET, POST',
    // A page that may call the gateway may also choose its headers.
    ...(requested === undefined ? {} : { 'access-control-allow-headers': toHeaderValue(requested) }),
    'access-control-max-age': '600',
  });
  response.end();
  return true;
}
