// The HTTP server of the gateway, built on `node:http`. Clients speak any of our wires. The provider is passed in, so the
// server does not know whether it is one model or a gateway to many.

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Observer } from '../core/call.ts';
import { SimpleAgentsError, toError } from '../core/error.ts';
import type { GatewayKey, KeyScope } from '../core/gateway-key.ts';
import { omitUndefined } from '../core/json.ts';
import type { Provider } from '../core/provider.ts';
import { describeUncaught } from '../core/uncaught-error.ts';
import { withHealedOutput } from '../gateway/output/healed-output.ts';
import { loadLinearPatterns } from '../gateway/output/linear-pattern.ts';
import { CallTally } from '../gateway/observe/log.ts';
import type { ModelListing } from '../core/model-listing.ts';
import { isLoopbackName } from '../core/loopback.ts';
import { Admission, handlePreflight, isWebSocket, refuseWebSocket } from './http/admission.ts';
import { checkReferences, sharesAccount } from './account/shared-account.ts';
import { Authentication } from './http/authentication.ts';
import { ApplicationRoutes } from './routes/application-route.ts';
import { BodyMemory } from './http/body-memory.ts';
import type { BodyResources } from './http/json-body.ts';
import { WorkTurns } from './http/work-turns.ts';
import { Chat } from './chat/chat.ts';
import { ConnectionLimit } from './http/connection-limit.ts';
import type { ChatUser } from './chat/user.ts';
import { checkExposure, checkExposureChange } from './http/exposure.ts';
import { Exchange, type CallExchange } from './http/exchange.ts';
import { KeepAlive } from './http/keep-alive.ts';
import { KeyRing } from './http/key-ring.ts';
import { LiveFeed } from './live/live-feed.ts';
import type { Logger } from './logger.ts';
import { Metrics } from './metrics/metrics.ts';
import type { GatewayAccess, GatewayServer, ServerChanges, ServerOptions, Simulation } from './options.ts';
import { HttpError, throwHttpError } from './http/http-error.ts';
import { IndexedSet, type Indexed } from './http/indexed-set.ts';
import { toRoutePath } from './http/route-path.ts';
import { openaiResponsesServer } from '../wire/openai-responses/server.ts';
import { loadHandshake } from './http/websocket-handshake.ts';
import { ResponseSocket, type ResponseSocketOptions } from './responses/response-socket.ts';
import { createResponse } from './routes/responses.ts';
import { findRoute, wireOf } from './routes/routes.ts';
import { health, ready } from './routes/health.ts';
import { metrics } from './routes/metrics.ts';
import { page } from './routes/page.ts';
import { SignedIds } from './responses/signed-id.ts';
import { MemoryResponseStore } from './responses/response-store.ts';
import type { ServerState } from './server-state.ts';
import { defaultServerSettings, type ServerSettings } from './settings.ts';

export type { ApplicationRoute } from './routes/application-route.ts';
export type { ChatSettings } from './chat/settings.ts';
export type { Authenticate, ChatUser, ToolSource } from './chat/user.ts';
export type { GatewayKey, KeyScope } from '../core/gateway-key.ts';
export type { Logger } from './logger.ts';
export type { GatewayServer, ServerChanges, ServerOptions, Simulation } from './options.ts';
export type { ServerSettings } from './settings.ts';

export function createServer<User extends ChatUser = ChatUser>(options: ServerOptions<User>): GatewayServer {
  // `tools` and `routes` receive the user that `authenticate` returns. The code between them needs only the id.
  return new NodeServer(options as unknown as ServerOptions);
}

/** Bytes of the request line and headers together. */
const maxHeaderSize = 32 * 1024;
const headersTimeout = 20_000;
/** How often requests are checked against the time-outs. */
const checkInterval = 5000;
/** Longer than the idle time-out of most load balancers (60 s), because they have to close a connection first. */
const idleTimeout = 75_000;
/** Bytes buffered for a client before reading from upstream pauses. Node's default of 64 KiB doubles the memory of a slow client. */
const responseBuffer = 16 * 1024;
/** Milliseconds for error events to reach the clients of streams that the server ends. */
const errorFlushTime = 500;

const probes: ReadonlySet<string> = new Set([health.path, ready.path, metrics.path]);

/** A request in progress. */
interface OpenExchange extends Indexed {
  abort(reason: Error): void;
}

class NodeServer implements GatewayServer, ServerState {
  readonly provider: Provider;
  readonly source: Provider;
  readonly keepAlive: KeepAlive;
  readonly metrics: Metrics;
  readonly live = new LiveFeed({ openStreams: () => this.keepAlive.size });
  readonly chat: Chat;
  readonly responses = new MemoryResponseStore();
  readonly connectionResponses = new MemoryResponseStore();
  readonly responseIds: SignedIds;
  readonly conversationIds: SignedIds;
  readonly note: string | undefined;
  isDraining = false;
  readonly authentication: Authentication;
  settings: Required<ServerSettings>;
  readonly #options: ServerOptions;
  readonly #logger: Logger | undefined;
  readonly #server: HttpServer;
  readonly #application: ApplicationRoutes;
  readonly #exchanges = new IndexedSet<OpenExchange>();
  readonly #sockets = new Set<ResponseSocket>();
  readonly #connections: ConnectionLimit;
  readonly #bodies: BodyResources;
  /** Undefined when calls are not logged. */
  readonly #callLogger: Logger | undefined;
  #admission: Admission;
  /** Model names that may be used as metrics labels. */
  #listed: ReadonlySet<string> = new Set();
  /** Called when no exchange is in progress. */
  #waiting: (() => void)[] = [];

  constructor(options: ServerOptions) {
    const { provider, models: _models, healing, note, logger, ...more } = options;
    const {
      authenticate,
      tools,
      chat,
      routes = [],
      clock,
      modelLabel: _modelLabel,
      simulation: _simulation,
      signingKey,
      ...settings
    } = more;
    this.#options = options;
    this.#logger = logger;
    this.note = note;
    this.responseIds = new SignedIds(signingKey);
    this.conversationIds = new SignedIds(signingKey, 'conv_');
    this.settings = toSettings(settings);
    this.#bodies = { memory: new BodyMemory(this.settings.maxBodyMemory), turns: new WorkTurns() };
    this.#bodies.memory.isShared = this.settings.keys.length > 1;
    this.source = provider;
    this.provider = withHealedOutput(provider, healing);
    this.keepAlive = new KeepAlive(this.settings.keepAlive);
    this.metrics = new Metrics({
      openStreams: () => this.keepAlive.size,
      openConnections: () => this.#connections.open,
      bodyBytes: () => this.#bodies.memory.used,
      modelLabel: (name) => this.#labelOf(name),
    });
    this.authentication = new Authentication(new KeyRing(this.settings.keys), { metrics: this.metrics, logger });
    const identify = (exchange: Exchange): string => this.#identify(exchange, 'call')?.name ?? 'local';
    this.chat = new Chat(omitUndefined({ provider, authenticate, tools, settings: chat, logger, clock, identify }));
    this.#application = new ApplicationRoutes(routes);
    this.#admission = toAdmission(this.settings);
    this.#callLogger = isLogging(logger) ? logger : undefined;
    const { requestTimeout } = this.settings;
    this.#server = createHttpServer(
      {
        maxHeaderSize,
        headersTimeout: Math.min(headersTimeout, requestTimeout),
        requestTimeout,
        connectionsCheckingInterval: Math.min(checkInterval, requestTimeout),
        keepAliveTimeout: idleTimeout,
        highWaterMark: responseBuffer,
        // `Admission` checks it and answers in the client's wire.
        requireHostHeader: false,
        shouldUpgradeCallback: isUpgrade,
      },
      (request, response) => this.#serve(request, response),
    );
    // Without this option, Node 22 before 22.21 would also give up requests that offer an upgrade to HTTP/2.
    if ('shouldUpgradeCallback' in this.#server) {
      this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as Socket, head));
    }
    this.#connections = new ConnectionLimit(this.#server, {
      limit: this.settings.maxConnections,
      owners: () => this.authentication.keys.callers,
    });
    // Without a listener, Node would ask for the body before the client is authenticated.
    this.#server.on('checkContinue', (request, response) => this.#serve(request, response, true));
    this.#server.on('clientError', (error, socket) => rejectConnection(error, socket as Socket));
  }

  get address(): string | undefined {
    const address = this.#server.address() as AddressInfo | null;
    if (address === null) return undefined;
    const { host } = this.settings;
    return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  }

  async listen(): Promise<string> {
    const { host, port } = this.settings;
    checkExposure(this.settings);
    // Loaded now, because loading it later would delay the first requests.
    await loadLinearPatterns();
    await new Promise<void>((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
      this.#server.once('error', fail);
      this.#server.listen(port, host, () => {
        this.#server.off('error', fail);
        // For example too many open files: the connection is lost, but the server keeps running.
        this.#server.on('error', (error) => this.#logger?.error({ type: 'server', error: error.message }));
        resolve();
      });
    });
    void this.#loadModelNames();
    return this.address ?? '';
  }

  update({ chat, tools, ...changes }: ServerChanges): void {
    const settings = { ...this.settings, ...changes };
    const keys = new KeyRing(settings.keys);
    checkExposureChange(this.settings, settings);
    this.chat.update(omitUndefined({ settings: chat, tools }));
    this.settings = settings;
    this.#bodies.memory.isShared = settings.keys.length > 1;
    this.authentication.keys = keys;
    this.#admission = toAdmission(settings);
    for (const socket of this.#sockets) socket.checkKey();
    void this.#loadModelNames();
  }

  async close({ drain = this.settings.drain }: { readonly drain?: number } = {}): Promise<void> {
    this.isDraining = true;
    this.live.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    for (const socket of this.#sockets) socket.close();
    await this.#ended(drain);
    const reason = new SimpleAgentsError('overloaded', 'the gateway is shutting down; try again');
    for (const exchange of this.#exchanges) exchange.abort(reason);
    await this.#ended(errorFlushTime);
    this.#server.closeAllConnections();
    await this.#closeSockets();
    this.chat.close();
    await closed;
  }

  /** Waits for clients to read what was sent and to agree to the end. */
  async #closeSockets(): Promise<void> {
    const closed = [...this.#sockets].map((socket) => socket.closed);
    await Promise.race([Promise.all(closed), sleep(errorFlushTime, undefined, { ref: false })]);
    for (const socket of this.#sockets) socket.terminate();
  }

  get gateway(): GatewayAccess {
    return this.#options.provider;
  }

  observeCall(key: string | undefined): Observer {
    const tally = this.#callLogger && new CallTally(key);
    let model = 'unknown';
    return (event) => {
      if (event.type === 'call-start') model = event.model;
      this.metrics.observe(event, { model, key });
      this.live.observe(event, key);
      const record = tally?.take(event);
      if (record !== undefined) this.#callLogger?.info(record);
    };
  }

  reportUnhandled(kind: 'rejection' | 'exception', thrown: unknown): void {
    this.metrics.countUnhandled(kind);
    this.#logger?.error({ type: `unhandled-${kind}`, ...describeUncaught(thrown) });
  }

  /** Without `modelLabel`, the names that `models` lists are used. */
  #labelOf(name: string): string {
    const { modelLabel } = this.#options;
    if (modelLabel !== undefined) return modelLabel(name);
    return this.#listed.has(name) ? name : 'other';
  }

  async #loadModelNames(): Promise<void> {
    // The names are needed only for labels, and providers may be asked for them.
    if (this.#options.modelLabel !== undefined) return;
    const listed = await this.models().catch(() => []);
    this.#listed = new Set(listed.flatMap(({ id, provider }) => [id, `${provider}/${id}`, provider]));
  }

  simulation(): Simulation | undefined {
    return this.#options.simulation?.();
  }

  async models(): Promise<readonly ModelListing[]> {
    return (await this.#options.models?.()) ?? [];
  }

  logFailure({ id, path }: CallExchange, thrown: unknown): void {
    const about = { request: id, path };
    if (thrown instanceof HttpError) return this.#logger?.debug({ type: 'refusal', ...about, status: thrown.status });
    const { kind, message, cause } = toError(thrown);
    // Any other error belongs to a call and is logged with it.
    if (kind !== 'internal') return undefined;
    const stack = cause instanceof Error ? cause.stack : undefined;
    return this.#logger?.error({ type: 'defect', ...about, error: message, stack });
  }

  /** Not an async function: its frame would stay in memory for as long as a stream lasts. */
  #serve(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    const wire = wireOf(toRoutePath(request.url), request.headers);
    const about = { wire, bodies: this.#bodies, expectsContinue, onClose: this.#onClose };
    const exchange = new Exchange(request, response, about);
    this.#exchanges.add(exchange);
    this.#connections.begin(exchange.socket);
    // A server that is shutting down does not keep connections open.
    if (this.isDraining) response.shouldKeepAlive = false;
    try {
      // A pipelined request: its response has no socket while the previous one is in progress. No client does this with
      // a model call, but a request smuggled in the body of another one looks like this.
      if (response.socket === null && request.method === 'POST') {
        throwHttpError(400, 'pipelined POST requests are not supported; wait for the previous response', {
          close: true,
        });
      }
      this.#refuseOverLimit(exchange);
      this.#handle(exchange)?.catch((error: unknown) => this.#fail(exchange, error));
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** A connection in the WebSocket mode of the Responses wire. It is checked like any other request for a model call. */
  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    socket.on('error', () => undefined);
    const about = { wire: openaiResponsesServer, bodies: this.#bodies, onClose: this.#onClose };
    const exchange = new Exchange(request, response, about);
    this.#exchanges.add(exchange);
    this.#connections.begin(exchange.socket);
    this.#accept(exchange, socket, head).catch((error: unknown) => this.#fail(exchange, error));
  }

  async #accept(exchange: Exchange, socket: Socket, head: Buffer): Promise<void> {
    const { request, path } = exchange;
    exchange.route = path;
    this.#refuseOverLimit(exchange);
    this.#admission.admit(request);
    this.#identify(exchange, 'call');
    const handshake = await loadHandshake();
    if (this.isDraining) throwHttpError(503, 'the gateway is shutting down; try again', { kind: 'overloaded' });
    // An open connection is no request in progress; its turns are.
    this.#exchanges.delete(exchange);
    handshake(request, { socket, head, maxPayload: this.settings.bodyLimit }, (accepted) => {
      exchange.isUpgraded = true;
      this.#sockets.add(new ResponseSocket(accepted, exchange, this.#socketOptions));
    });
  }

  get #socketOptions(): ResponseSocketOptions {
    return {
      state: this,
      bodies: this.#bodies,
      onTurnStart: (turn) => this.#exchanges.add(turn),
      onTurnEnd: (turn) => this.#end(turn),
      onClose: (socket) => this.#sockets.delete(socket),
    };
  }

  /** Probes still work on a full server, so that it is neither restarted nor unseen. */
  #refuseOverLimit({ socket, response, path }: Exchange): void {
    if (!this.#connections.isOver(socket)) return;
    response.shouldKeepAlive = false;
    if (probes.has(path)) return;
    throwHttpError(503, 'the server has too many open connections; try again later', {
      kind: 'overloaded',
      close: true,
      headers: { 'retry-after': '1' },
    });
  }

  #fail(exchange: Exchange, thrown: unknown): void {
    try {
      if (!exchange.hasClientLeft) this.logFailure(exchange, thrown);
      exchange.fail(thrown);
    } catch (error) {
      this.#logger?.error({ type: 'defect', error: toError(error).message });
      exchange.response.destroy();
    }
  }

  readonly #onClose = (ended: Exchange): void => {
    this.#count(ended, (performance.now() - ended.begun) / 1000);
    this.#connections.end(ended.socket);
    this.#end(ended);
  };

  #end(ended: OpenExchange): void {
    this.#exchanges.delete(ended);
    if (this.isDraining) this.#server.closeIdleConnections();
    if (this.#exchanges.size === 0 && this.#waiting.length > 0)
      for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #handle(exchange: Exchange): void | Promise<void> {
    const { request, path } = exchange;
    const { method = 'GET' } = request;
    const own = this.#application.find(method, path);
    const shared = this.#admission.admit(request, own !== undefined || path === page.path);
    refuseWebSocket(request);
    for (const name in shared) exchange.headers[name] = shared[name] ?? '';
    if (method === 'OPTIONS' && handlePreflight(exchange)) return undefined;
    const route = own ?? findRoute(method, path);
    exchange.route = route.path;
    if (route.access === 'call' || route.access === 'metrics') this.#identify(exchange, route.access);
    if (route.access === 'call' && route.isLocal !== true && sharesAccount(exchange, this)) {
      exchange.checkBody = (body) => checkReferences(exchange, this, body, route.verified);
    }
    return route.handle(exchange, this);
  }

  #identify(exchange: Exchange, scope: KeyScope): GatewayKey | undefined {
    const key = this.authentication.check(exchange, scope);
    if (key !== undefined && scope === 'call' && !this.#connections.claim(exchange.socket, key)) {
      throwHttpError(
        503,
        `the key ${JSON.stringify(key.name)} has too many open connections; close some, or try again later`,
        {
          kind: 'overloaded',
          close: true,
          headers: { 'retry-after': '1' },
        },
      );
    }
    exchange.key = key;
    return key;
  }

  #count({ route, response, isUpgraded }: Exchange, seconds: number): void {
    // 499 is nginx's status for a client that closed the connection before the response.
    const unsent = isUpgraded ? 101 : 499;
    const status = response.headersSent ? response.statusCode : unsent;
    this.metrics.countRequest({ route, status, seconds });
  }

  /** Resolves when no exchange is in progress, or after `limit` milliseconds. */
  #ended(limit: number): Promise<void> {
    if (this.#exchanges.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limit);
    this.#waiting.push(resolve);
    return promise.finally(() => clearTimeout(timer));
  }
}

/** The limit of one body is at most the memory for all bodies. */
/** Other requests with an offer to upgrade are handled as if they had none. */
function isUpgrade({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && isWebSocket(headers.upgrade) && toRoutePath(url).path === createResponse.path;
}

function toSettings(given: ServerSettings): Required<ServerSettings> {
  const settings = { ...defaultServerSettings, ...given };
  return { ...settings, bodyLimit: Math.min(settings.bodyLimit, settings.maxBodyMemory) };
}

function toAdmission({ allowedHosts, corsOrigins, host }: Required<ServerSettings>): Admission {
  return new Admission({ allowedHosts, corsOrigins, isLoopback: isLoopbackName(host) });
}

/** Whether records of calls are written at all. */
function isLogging(logger: Logger | undefined): logger is Logger {
  return logger !== undefined && logger.isLevelEnabled?.('info') !== false;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): SimpleAgentsError {
  const reason =
    error.code === 'EADDRINUSE' ? 'the port is in use; choose another, or 0 for any free port' : error.message;
  return new SimpleAgentsError('configuration', `cannot listen on ${host}:${port}: ${reason}`, { cause: error });
}

const connectionErrors: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', `the headers are larger than ${maxHeaderSize} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};

/** Answers bytes that are not a valid HTTP request. They have no route and no wire. */
function rejectConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = connectionErrors[error.code ?? ''] ?? ['400 Bad Request', 'malformed HTTP request'];
  const body = JSON.stringify(
    wireOf({ path: '/' }, {}).encodeError(new SimpleAgentsError('bad-request', message)).body,
  );
  const head = ['content-type: application/json', `content-length: ${body.length}`, 'connection: close'];
  socket.end(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
