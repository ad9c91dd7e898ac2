// The transport over undici: pools of kept connections, proxies, certificates, HTTP/2 as an option. Reads no environment:
// everything comes in as options. The only file that opens connections to providers, beside `fetch`.
// Loading it loads undici; `lazy-undici.ts` puts that off until the first request.

import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { omitUndefined } from '../core/json.ts';
import { loadSecureContext, type CertificateFiles } from './certificates.ts';
import { transportClosed } from './connection-error.ts';
import { acceptedEncodings } from './decompress.ts';
import { UndiciExchange } from './undici-exchange.ts';
import { proxyFor, type Proxy, type ProxySettings } from './proxy.ts';
import { checkHeaders, parseUrl } from './request-headers.ts';
import { defaultMaxResponseBytes, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';

/** How connections are made. */
export interface NetworkSettings extends CertificateFiles {
  /** The most connections to one origin at a time; further requests wait. Defaults to no limit. */
  readonly maxConnections?: number;
  /** Speak HTTP/2 with servers that offer it. */
  readonly http2?: boolean;
  /** The address of this machine to connect from. */
  readonly localAddress?: string;
  /** In milliseconds: how long an idle connection is kept when the server does not say. Defaults to 30 s. */
  readonly keepAlive?: number;
}

export interface UndiciOptions extends NetworkSettings {
  /** In milliseconds, for requests without one of their own; 0 means no limit. Defaults to 10 s. */
  readonly connectTimeout?: number;
  readonly proxy?: ProxySettings;
  /** The most bytes a response may have, after decompression. */
  readonly maxResponseBytes?: number;
}

const defaultConnectTimeout = 10_000;
const defaultKeepAlive = 30_000;
const longestKeepAlive = 300_000;
/** A connection is given up this much earlier than the server does, so that no request crosses its close. */
const keepAliveMargin = 1000;
const maxHeaderSize = 64 * 1024;

/** Rejects with a `configuration` error when a certificate cannot be read. */
export async function openUndiciTransport(options: UndiciOptions = {}): Promise<Transport> {
  const server = await loadSecureContext(options, nodeTls);
  const proxy = await loadSecureContext(omitUndefined({ caFile: options.caFile }), nodeTls);
  return new UndiciTransport(options, omitUndefined({ server, proxy }));
}

/** A proxy is not shown the client certificate. */
interface SecureContexts {
  readonly server?: SecureContext;
  readonly proxy?: SecureContext;
}

class UndiciTransport implements Transport {
  readonly #options: UndiciOptions;
  readonly #secureContexts: SecureContexts;
  /** By connect time-out and proxy. */
  readonly #agents = new Map<string, Dispatcher>();
  /** All that are open: undici leaves those alone that are still connecting when it is closed. */
  readonly #sockets = new Set<Socket>();

  constructor(options: UndiciOptions, secureContexts: SecureContexts) {
    this.#options = options;
    this.#secureContexts = secureContexts;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const { connectTimeout: usual = defaultConnectTimeout, proxy = {}, maxResponseBytes } = this.#options;
    const { method, body, connectTimeout = usual } = request;
    const url = parseUrl(request.url);
    const { origin } = url;
    const headers = checkHeaders({ 'accept-encoding': acceptedEncodings, ...request.headers }, origin);
    const agent = this.#agentFor(connectTimeout, proxyFor(url, proxy));
    const exchange = new UndiciExchange({
      origin,
      connectTimeout,
      cap: maxResponseBytes ?? defaultMaxResponseBytes,
      signal,
    });
    const path = url.pathname + url.search;
    agent.dispatch({ origin, path, method, headers, body: body ?? null, headersTimeout: 0, bodyTimeout: 0 }, exchange);
    return exchange.response;
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    const failure = Object.assign(new Error('the transport was closed'), { code: transportClosed });
    await Promise.all(agents.map((agent) => agent.destroy(failure)));
    for (const socket of this.#sockets) socket.destroy();
  }

  #agentFor(connectTimeout: number, proxy: Proxy | undefined): Dispatcher {
    const key = `${connectTimeout} ${proxy?.origin ?? ''} ${proxy?.authorization ?? ''}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const agent = proxy === undefined ? this.#direct(connectTimeout) : this.#through(proxy, connectTimeout);
    this.#agents.set(key, agent);
    return agent;
  }

  #direct(timeout: number): Dispatcher {
    const { http2: allowH2 = false } = this.#options;
    // One for all origins, so that TLS sessions outlive the pool of an origin.
    const connect = this.#track(buildConnector({ ...tlsOptions(this.#secureContexts.server), allowH2, timeout }));
    return new Agent({ ...this.#poolOptions(), allowH2, connect });
  }

  #through({ origin: uri, authorization: token }: Proxy, connectTimeout: number): Dispatcher {
    const { http2: allowH2 = false } = this.#options;
    const options = this.#poolOptions();
    const createPool = (url: string | URL, { connect, ...own }: Pool.Options): Pool =>
      new Pool(url, { ...options, ...own, connect: this.#track(connect as buildConnector.connector) });
    return new ProxyAgent({
      ...options,
      uri,
      ...(token === undefined ? {} : { token }),
      allowH2,
      connectTimeout,
      requestTls: { ...tlsOptions(this.#secureContexts.server), allowH2 },
      proxyTls: { ...tlsOptions(this.#secureContexts.proxy), allowH2: false },
      factory: (url, own) => createPool(url, own),
      // The answer to the request for a tunnel is part of connecting.
      clientFactory: (url, own) => createPool(url, { ...(own as Pool.Options), headersTimeout: connectTimeout }),
    });
  }

  #poolOptions(): Pool.Options {
    const { maxConnections, localAddress, keepAlive = defaultKeepAlive } = this.#options;
    return {
      ...(maxConnections === undefined ? {} : { connections: maxConnections }),
      ...(localAddress === undefined ? {} : { localAddress }),
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: longestKeepAlive,
      keepAliveTimeoutThreshold: keepAliveMargin,
      maxHeaderSize,
    };
  }

  /** A connector that makes its sockets known to `close`. */
  #track(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // Its types do not say that it returns the socket; the one of a tunnel returns a promise.
      const made: unknown = connect(options, callback);
      if (!isSocket(made)) return;
      this.#sockets.add(made);
      made.once('close', () => this.#sockets.delete(made));
    };
  }
}

/** Loaded only when certificates are configured; undici loads it for the first https URL. */
function nodeTls() {
  return process.getBuiltinModule('node:tls');
}

function tlsOptions(secureContext: SecureContext | undefined) {
  return secureContext === undefined ? {} : { secureContext };
}

function isSocket(value: unknown): value is Socket {
  return value instanceof process.getBuiltinModule('node:net').Socket;
}
