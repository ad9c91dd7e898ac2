// Chooses the proxy for a URL, if there is one. The settings work like the environment variables of the same names.
// No error contains the URL of a proxy, because it may contain a password.

import { SimpleAgentsError } from '../core/error.ts';
import { isProxyBypassed } from './no-proxy.ts';

/** The equivalents of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  /** Also used for https when `httpsProxy` is not set. */
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts to reach directly, separated by commas; `*` for all. */
  readonly noProxy?: string;
}

export interface Proxy {
  /** Without user and password. */
  readonly origin: string;
  /** The value of the `proxy-authorization` header, if the URL has a user. */
  readonly authorization?: string;
}

export function proxyFor(
  url: URL,
  { httpProxy = '', httpsProxy = '', noProxy = '' }: ProxySettings,
): Proxy | undefined {
  if (httpProxy === '' && httpsProxy === '') return undefined;
  const [http, https] = [httpProxy, httpsProxy].map((text) => (text === '' ? undefined : parseProxy(text)));
  const isSecure = url.protocol === 'https:';
  const proxy = isSecure ? (https ?? http) : http;
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  return proxy === undefined || isProxyBypassed({ hostname: url.hostname, port }, noProxy) ? undefined : proxy;
}

function parseProxy(text: string): Proxy {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalidProxy();
  if (url.username === '') return { origin: url.origin };
  const credentials = new TextEncoder().encode(`${decode(url.username)}:${decode(url.password)}`);
  return { origin: url.origin, authorization: `Basic ${btoa(String.fromCharCode(...credentials))}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidProxy();
  }
}

function invalidProxy(): SimpleAgentsError {
  return new SimpleAgentsError('configuration', 'the proxy must be a URL like http://host:port', { field: 'proxy' });
}
