// Which proxy, if any, leads to an origin. The settings mean what the environment variables of the same names mean.
// No error names a proxy: its URL may hold a password.

import { SimpleAgentsError } from '../../core/error.ts';
import { isProxyBypassed } from '../no-proxy.ts';

/** As the environment variables of the same names are understood. */
export interface ProxySettings {
  /** Also used for https when `httpsProxy` is left out. */
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  /** Hosts to reach directly, separated by commas; `*` for all. */
  readonly noProxy?: string;
}

export interface Proxy {
  readonly address: Address;
  /** The header it wants, if its URL has a user. */
  readonly authorization?: string;
}

/** Where a connection leads to. */
export interface Address {
  readonly isSecure: boolean;
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
}

export function addressOf({ protocol, hostname, port }: URL): Address {
  const isSecure = protocol === 'https:';
  const usual = isSecure ? 443 : 80;
  return { isSecure, hostname: hostname.replace(/^\[(.+)\]$/, '$1'), port: port === '' ? usual : Number(port) };
}

export function proxyFor(address: Address, settings: ProxySettings): Proxy | undefined {
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = settings;
  const proxies = [httpProxy, httpsProxy].map((text) => (text === '' ? undefined : parseProxy(text)));
  const proxy = address.isSecure ? (proxies[1] ?? proxies[0]) : proxies[0];
  return proxy === undefined || isProxyBypassed(address, noProxy) ? undefined : proxy;
}

function parseProxy(text: string): Proxy {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw noProxyUrl();
  const address = addressOf(url);
  if (url.username === '') return { address };
  const credentials = `${decode(url.username)}:${decode(url.password)}`;
  return { address, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw noProxyUrl();
  }
}

function noProxyUrl(): SimpleAgentsError {
  return new SimpleAgentsError('configuration', 'the proxy is not a URL like http://host:port', { field: 'proxy' });
}
