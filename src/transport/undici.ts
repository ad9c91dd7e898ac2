// The transport over undici: connection pools, proxies, certificates, optional HTTP/2. It reads no environment variables;
// everything is an option. Besides `fetch.ts`, this is the only file that opens connections to providers.
// Importing it loads undici; `lazy-undici.ts` delays that until the first request.

import type { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { omitUndefined } from '../core/json.ts';
import { loadSecureContext, type CertificateFiles } from './certificates.ts';
import { transportClosed } from './connection-error.ts';
import { acceptedEncodings } from './decompress.ts';
import { ignoreInterimResponses } from './interim-response.ts';
import { UndiciExchange } from './undici-exchange.ts';
import { proxyFor, type Proxy, type ProxySettings } from './proxy.ts';
import { checkHeaders, parseUrl } from './request-headers.ts';
import { defaultMaxResponseBytes, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';

/** How connections are made. */
export interface NetworkSettings extends CertificateFiles {
  /** The maximum number of connections to one origin; further requests wait. Defaults to no limit. */
  readonly maxConnections?: number;
  /** Use HTTP/2 with servers that support it. */
  readonly http2?: boolean;
  /** The address of this machine to connect from. */
  readonly localAddress?: string;
  /** How long an idle connection is kept if the server sets no limit, in milliseconds. Defaults to 30 s. */
  readonly keepAlive?: number;
}

export interface UndiciOptions extends NetworkSettings {
  /** For requests that do not set their own, in milliseconds; 0 means no limit. Defaults to 10 s. */
  readonly connectTimeout?: number;
  readonly proxy?: ProxySettings;
  /** The maximum size of a response in bytes, after decompression. */
  readonly maxResponseBytes?: number;
}

const defaultConnectTimeout = 10_000;
const defaultKeepAlive = 30_000;
const longestKeepAlive = 300_000;
/** Connections are closed this much earlier than the server would, so that no request meets a closing connection. */
const keepAliveMargin = 1000;
const maxHeaderSize = 64 * 1024;

/** Rejects with a `configuration` error if a certificate cannot be read. */
export async function openUndiciTransport(options: UndiciOptions = {}): Promise<Transport> {
  const server = await loadSecureContext(options, nodeTls);
  const proxy = await loadSecureContext(omitUndefined({ caFile: options.caFile }), nodeTls);
  return new UndiciTransport(options, omitUndefined({ server, proxy }));
}

/** A proxy must not get the client certificate, so it has its own context. */
interface SecureContexts {
  readonly server?: SecureContext;
  readonly proxy?: SecureContext;
}

class UndiciTransport implements Transport {
  readonly #options: UndiciOptions;
  readonly #secureContexts: SecureContexts;
  /** Keyed by connect time-out and proxy. */
  readonly #agents = new Map<string, Dispatcher>();
  /** All open sockets. When undici is closed, it does not close those that are still connecting. */
  readonly #sockets = new Set<Socket>();

  constructor(options: UndiciOptions, secureContexts: SecureContexts) {
    this.#options = options;
    this.#secureContexts = secureContexts;
  }

  async send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    signal.throwIfAborted();
    const { connectTimeout: usual = defaultConnectTimeout, proxy = {}, maxResponseBytes } = this.#options;
    const { method, body, upload, connectTimeout = usual } = request;
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
    // undici reads any iterable, although its types do not say so.
    const content = (upload as Readable | undefined) ?? body ?? null;
    agent.dispatch({ origin, path, method, headers, body: content, headersTimeout: 0, bodyTimeout: 0 }, exchange);
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
    // One connector for all origins, so that TLS sessions outlive the pool of an origin.
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
      // Opening the tunnel is part of connecting.
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

  /** Records the sockets of a connector, for `close`, and filters what they read. */
  #track(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      const connected = (...given: Parameters<typeof callback>): void => {
        const [, socket] = given;
        if (isSocket(socket) && !isHttp2(socket)) ignoreInterimResponses(socket);
        callback(...given);
      };
      // The connector returns the socket, although its types do not say so; the one for a tunnel returns a promise.
      const made: unknown = connect(options, connected);
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

function isHttp2(socket: Socket): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

function isSocket(value: unknown): value is Socket {
  return value instanceof process.getBuiltinModule('node:net').Socket;
}
