// Decides which requests reach the routes, by their headers. A web page that a user has open must not reach a server on
// this machine: neither through a host name that was made to point here (DNS rebinding, checked by `Host`) nor through a
// cross-origin request (`Origin`). Ambiguous requests, which two servers could read differently, are rejected.

import type { IncomingMessage } from 'node:http';

import type { Exchange } from './exchange.ts';
import { isLoopbackName } from '../../core/loopback.ts';
import { throwHttpError, toHeaderValue } from './http-error.ts';

export interface AdmissionSettings {
  /** Accepted host names, in addition to those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose web pages may call the server. */
  readonly corsOrigins?: readonly string[];
  /** Whether only this machine can reach the server. */
  readonly isLoopback: boolean;
}

const longestUrl = 8192;

/** Headers that affect routing, authentication or framing. A request that repeats one of them is rejected. */
const singleHeaders = [
  'host',
  'origin',
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
];

/** A bit for each of them, by its two usual spellings. Other spellings are converted to lower case first. */
const bits = new Map(
  singleHeaders.flatMap((name, index) => [name, capitalized(name)].map((form) => [form, 1 << index])),
);

function capitalized(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

export class Admission {
  readonly #settings: AdmissionSettings;
  /** The last accepted `Host` header and its parsed form. Clients repeat the same header with every request. */
  #header: string | undefined;
  #host = '';

  constructor(settings: AdmissionSettings) {
    this.#settings = settings;
  }

  /**
   * Throws 400, 403 or 414. Returns the CORS headers of the response. `isPage`: links on other sites may lead to the
   * address.
   */
  admit(request: IncomingMessage, isPage = false): Record<string, string> {
    checkRepeatedHeaders(request.rawHeaders);
    checkProtocol(request);
    const { url = '' } = request;
    // `GET http://elsewhere/ HTTP/1.1` is a request to a proxy.
    if (!url.startsWith('/'))
      throwHttpError(400, 'the request target must begin with a slash: this server is not a proxy', { close: true });
    if (url.length > longestUrl)
      throwHttpError(414, `the URL is longer than ${longestUrl} characters`, { close: true });
    const host = this.#hostOf(request.headers.host);
    if (request.headers.origin === undefined) return checkFetchSite(request, isPage);
    return checkOrigin(request.headers.origin, host, this.#settings);
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
    if ((seen & bit) !== 0)
      throwHttpError(400, `the header ${name.toLowerCase()} is repeated; send it once`, { close: true });
    seen |= bit;
  }
}

/** Node parses HTTP/0.9 and HTTP/2.0 requests as if they were 1.1, and accepts chunked bodies in HTTP/1.0. */
function checkProtocol({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throwHttpError(400, 'unsupported HTTP version; use HTTP/1.1', { close: true });
  if (httpVersion === '1.0' && headers['transfer-encoding'] !== undefined) {
    throwHttpError(400, 'transfer-encoding is not allowed in HTTP/1.0; use HTTP/1.1', { close: true });
  }
}

/**
 * Throws 400 for an offer to speak WebSocket, where a route does not. Some clients offer an upgrade to HTTP/2 with every
 * request, which can be ignored.
 */
export function refuseWebSocket({ headers }: IncomingMessage): void {
  if (isWebSocket(headers.upgrade)) throwHttpError(400, 'WebSocket is not supported at this address', { close: true });
}

export function isWebSocket(upgrade: string | undefined): boolean {
  return upgrade !== undefined && /websocket/i.test(upgrade);
}

/** A name, an IPv4 address or an IPv6 address in brackets, and optionally a port. */
const hostForm = /^(?:([a-z0-9](?:[a-z0-9._-]{0,252}))|(\[[0-9a-f:.]{2,45}\]))(?::\d{1,5})?$/i;

function checkHost(header: string | undefined, { allowedHosts = [], isLoopback }: AdmissionSettings): string {
  const [, name, address] = hostForm.exec(header ?? '') ?? [];
  const host = (name ?? address)?.toLowerCase();
  if (header === undefined || host === undefined)
    return throwHttpError(400, 'the Host header is missing or invalid', { close: true });
  const isNamed = allowedHosts.some((allowed) => allowed.toLowerCase() === host);
  // A server that other machines can reach requires keys, which other pages do not have. A list of names narrows it
  // further.
  const isOpen = !isLoopback && allowedHosts.length === 0;
  if (isNamed || isOpen || isLoopbackName(host)) return header.toLowerCase();
  return throwHttpError(
    403,
    `the host name ${host} is not allowed; add it to allowed_hosts if it is a name of this server`,
  );
}

/** Programs send no `Origin`. Browsers send it with every cross-origin request and with every POST. */
function checkOrigin(origin: string, host: string, { corsOrigins = [] }: AdmissionSettings): Record<string, string> {
  if (corsOrigins.includes(origin)) {
    return { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*', 'vary': 'origin' };
  }
  if (origin.toLowerCase() === `http://${host}` || origin.toLowerCase() === `https://${host}`) return {};
  return throwHttpError(
    403,
    'pages of this origin may not call the gateway; add the origin to cors_origins to allow it',
  );
}

/**
 * Throws 403 for the page of an allowed origin. For routes that change the gateway: `cors_origins` are origins that may
 * call models.
 */
export function refuseOtherOrigins({ headers }: Exchange): void {
  if (headers['access-control-allow-origin'] === undefined) return;
  throwHttpError(403, 'only the page of the gateway itself may change this');
}

/**
 * An image or a script that another page loads has no `Origin`, but has `Sec-Fetch-Site`. So has a link, which would
 * call a provider with the operator's key.
 */
function checkFetchSite({ headers }: IncomingMessage, isPage: boolean): Record<string, string> {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  const isLink = isPage && mode === 'navigate';
  if (site === undefined || site === 'none' || site === 'same-origin' || isLink) return {};
  return throwHttpError(403, 'pages of other sites may not call the gateway');
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
    'access-control-allow-methods': 'GET, POST, DELETE',
    // A page that may call the gateway may also choose its headers.
    ...(requested === undefined ? {} : { 'access-control-allow-headers': toHeaderValue(requested) }),
    'access-control-max-age': '600',
  });
  response.end();
  return true;
}
