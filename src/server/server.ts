// The gateway over HTTP: any client of a wire we speak, any provider. Built on `node:http` alone. It is handed a provider
// and cannot tell one model from a gateway of many.

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

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
import { Admission, handlePreflight, isLoopbackName } from './http/admission.ts';
import { Authentication } from './http/authentication.ts';
import { ApplicationRoutes } from './routes/application-route.ts';
import { BodyMemory } from './http/body-memory.ts';
import { Chat } from './chat/chat.ts';
import { ConnectionLimit } from './http/connection-limit.ts';
import type { ChatUser } from './chat/user.ts';
import { checkExposure, checkExposureChange } from './http/exposure.ts';
import { Exchange } from './http/exchange.ts';
import { KeepAlive } from './http/keep-alive.ts';
import { KeyRing } from './http/key-ring.ts';
import type { Logger } from './logger.ts';
import { Metrics } from './metrics/metrics.ts';
import type { GatewayServer, ServerChanges, ServerOptions } from './options.ts';
import { HttpError, throwHttpError } from './http/http-error.ts';
import { IndexedSet } from './http/indexed-set.ts';
import { findRoute, wireOf } from './routes/routes.ts';
import { health } from './routes/health.ts';
import type { ServerState } from './server-state.ts';
import { defaultServerSettings, type ServerSettings } from './settings.ts';

export type { ApplicationRoute } from './routes/application-route.ts';
export type { ChatSettings } from './chat/settings.ts';
export type { Authenticate, ChatUser, ToolSource } from './chat/user.ts';
export type { GatewayKey, KeyScope } from '../core/gateway-key.ts';
export type { Logger } from './logger.ts';
export type { GatewayServer, ServerChanges, ServerOptions } from './options.ts';
export type { ServerSettings } from './settings.ts';

export function createServer<User extends ChatUser = ChatUser>(options: ServerOptions<User>): GatewayServer {
  // Whom `authenticate` gives, `tools` and `routes` get: nobody between them has to know more than the id.
  return new NodeServer(options as unknown as ServerOptions);
}

/** What a request line and its headers may take. */
const headLimit = 32 * 1024;
const headTimeout = 20_000;
/** How often it is looked for requests that take too long. */
const checkInterval = 5000;
/** Longer than the minute after which most load balancers let an idle connection go: they have to be first. */
const idleTimeout = 75_000;
/** Bytes that wait for a client before more is asked of the upstream: with Node's own 64 KiB a slow one keeps twice as much. */
const mostWaiting = 16 * 1024;
/** For failures to reach the clients of streams that are cut. */
const farewell = 500;

class NodeServer implements GatewayServer, ServerState {
  readonly provider: Provider;
  readonly keepAlive: KeepAlive;
  readonly metrics: Metrics;
  readonly chat: Chat;
  readonly note: string | undefined;
  isDraining = false;
  readonly authentication: Authentication;
  settings: Required<ServerSettings>;
  readonly #options: ServerOptions;
  readonly #logger: Logger | undefined;
  readonly #server: HttpServer;
  readonly #application: ApplicationRoutes;
  readonly #exchanges = new IndexedSet<Exchange>();
  readonly #connections: ConnectionLimit;
  readonly #bodies: BodyMemory;
  /** Nobody where no call is to be logged. */
  readonly #callLogger: Logger | undefined;
  #admission: Admission;
  /** For metrics: names of models that clients did not make up. */
  #listed: ReadonlySet<string> = new Set();
  /** Those who wait until nothing is under way. */
  #waiting: (() => void)[] = [];

  constructor(options: ServerOptions) {
    const { provider, models: _models, healing, note, logger, ...more } = options;
    const { authenticate, tools, chat, routes = [], clock, modelLabel: _modelLabel, ...settings } = more;
    this.#options = options;
    this.#logger = logger;
    this.note = note;
    this.settings = toSettings(settings);
    this.#bodies = new BodyMemory(this.settings.maxBodyMemory);
    this.provider = withHealedOutput(provider, healing);
    this.keepAlive = new KeepAlive(this.settings.keepAlive);
    this.metrics = new Metrics({
      openStreams: () => this.keepAlive.size,
      openConnections: () => this.#connections.open,
      bodyBytes: () => this.#bodies.used,
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
        maxHeaderSize: headLimit,
        headersTimeout: Math.min(headTimeout, requestTimeout),
        requestTimeout,
        connectionsCheckingInterval: Math.min(checkInterval, requestTimeout),
        keepAliveTimeout: idleTimeout,
        highWaterMark: mostWaiting,
        // Ours says it in the client's words.
        requireHostHeader: false,
      },
      (request, response) => this.#serve(request, response),
    );
    this.#connections = new ConnectionLimit(this.#server, this.settings.maxConnections);
    // Node would tell the client to send its body before it is known who asks.
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
    // Loaded later, it would hold up the first requests.
    await loadLinearPatterns();
    await new Promise<void>((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
      this.#server.once('error', fail);
      this.#server.listen(port, host, () => {
        this.#server.off('error', fail);
        // Too many open files and the like: the connection is lost, the server is not.
        this.#server.on('error', (error) => this.#logger?.error({ type: 'server', error: error.message }));
        resolve();
      });
    });
    void this.#learnModels();
    return this.address ?? '';
  }

  update({ chat, tools, ...changes }: ServerChanges): void {
    const settings = { ...this.settings, ...changes };
    const keys = new KeyRing(settings.keys);
    checkExposureChange(this.settings, settings);
    this.chat.update(omitUndefined({ settings: chat, tools }));
    this.settings = settings;
    this.authentication.keys = keys;
    this.#admission = toAdmission(settings);
    void this.#learnModels();
  }

  async close({ drain = this.settings.drain }: { readonly drain?: number } = {}): Promise<void> {
    this.isDraining = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await this.#ended(drain);
    const reason = new SimpleAgentsError('overloaded', 'the gateway is shutting down; ask again');
    for (const exchange of this.#exchanges) exchange.abort(reason);
    await this.#ended(farewell);
    this.#server.closeAllConnections();
    this.chat.close();
    await closed;
  }

  observeCall(key: string | undefined): Observer {
    const tally = this.#callLogger && new CallTally(key);
    let model = 'unknown';
    return (event) => {
      if (event.type === 'call-start') model = event.model;
      this.metrics.observe(event, { model, key });
      const record = tally?.take(event);
      if (record !== undefined) this.#callLogger?.info(record);
    };
  }

  reportUnhandled(kind: 'rejection' | 'exception', thrown: unknown): void {
    this.metrics.countUnhandled(kind);
    this.#logger?.error({ type: `unhandled-${kind}`, ...describeUncaught(thrown) });
  }

  /** Without `modelLabel`, what `models` lists is known. */
  #labelOf(name: string): string {
    const { modelLabel } = this.#options;
    if (modelLabel !== undefined) return modelLabel(name);
    return this.#listed.has(name) ? name : 'other';
  }

  async #learnModels(): Promise<void> {
    const listed = await this.models().catch(() => []);
    this.#listed = new Set(listed.flatMap(({ id, provider }) => [id, `${provider}/${id}`, provider]));
  }

  async models(): Promise<readonly ModelListing[]> {
    return (await this.#options.models?.()) ?? [];
  }

  logFailure({ id, path }: Exchange, thrown: unknown): void {
    const about = { request: id, path };
    if (thrown instanceof HttpError) return this.#logger?.debug({ type: 'refusal', ...about, status: thrown.status });
    const { kind, message, cause } = toError(thrown);
    // Any other is a call's, and told with it.
    if (kind !== 'internal') return undefined;
    const stack = cause instanceof Error ? cause.stack : undefined;
    return this.#logger?.error({ type: 'defect', ...about, error: message, stack });
  }

  /** No async function, whose frame would be there for as long as a stream is. */
  #serve(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    const wire = wireOf(pathOf(request.url), request.headers);
    const about = { wire, bodies: this.#bodies, expectsContinue, onClose: this.#onClose };
    const exchange = new Exchange(request, response, about);
    this.#exchanges.add(exchange);
    // A server that ends lets go of its clients' connections.
    if (this.isDraining) response.shouldKeepAlive = false;
    try {
      // No client sends a call behind another; a request that was hidden in another's body looks like this. Its response
      // has no connection yet, for that belongs to the one before.
      if (response.socket === null && request.method === 'POST')
        throwHttpError(400, 'one call at a time on a connection', { close: true });
      this.#refuseOverLimit(exchange);
      this.#handle(exchange)?.catch((error: unknown) => this.#fail(exchange, error));
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** A full server is not a dead one: its health is still told, so that it is not restarted. */
  #refuseOverLimit({ request, path }: Exchange): void {
    if (path === health.path || !this.#connections.isOver(request.socket)) return;
    throwHttpError(503, 'too many connections are open; try again', {
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
    this.#exchanges.delete(ended);
    this.#count(ended, (performance.now() - ended.begun) / 1000);
    if (this.isDraining) this.#server.closeIdleConnections();
    if (this.#exchanges.size === 0 && this.#waiting.length > 0)
      for (const resolve of this.#waiting.splice(0)) resolve();
  };

  #handle(exchange: Exchange): void | Promise<void> {
    const { request, path } = exchange;
    const { method = 'GET' } = request;
    const shared = this.#admission.admit(request);
    for (const name in shared) exchange.headers[name] = shared[name] ?? '';
    if (method === 'OPTIONS' && handlePreflight(exchange)) return undefined;
    const route = this.#application.find(method, path) ?? findRoute(method, path);
    exchange.route = route.path;
    if (route.access === 'call' || route.access === 'metrics') this.#identify(exchange, route.access);
    return route.handle(exchange, this);
  }

  #identify(exchange: Exchange, scope: KeyScope): GatewayKey | undefined {
    exchange.key = this.authentication.check(exchange, scope);
    return exchange.key;
  }

  #count({ route, response }: Exchange, seconds: number): void {
    // 499 is nginx's word for a client that did not wait.
    const status = response.headersSent ? response.statusCode : 499;
    this.metrics.countRequest({ route, status, seconds });
  }

  /** Resolves when no exchange is under way, or after so many milliseconds. */
  #ended(limit: number): Promise<void> {
    if (this.#exchanges.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limit);
    this.#waiting.push(resolve);
    return promise.finally(() => clearTimeout(timer));
  }
}

/** One body alone may not take more than all together. */
function toSettings(said: ServerSettings): Required<ServerSettings> {
  const settings = { ...defaultServerSettings, ...said };
  return { ...settings, bodyLimit: Math.min(settings.bodyLimit, settings.maxBodyMemory) };
}

function pathOf(url = '/'): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

function toAdmission({ allowedHosts, corsOrigins, host }: Required<ServerSettings>): Admission {
  return new Admission({ allowedHosts, corsOrigins, isLoopback: isLoopbackName(host) });
}

/** A record nobody writes down need not be made. */
function isLogging(logger: Logger | undefined): logger is Logger {
  return logger !== undefined && logger.isLevelEnabled?.('info') !== false;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): SimpleAgentsError {
  const reason = error.code === 'EADDRINUSE' ? 'the port is taken; choose another, or 0 for any' : error.message;
  return new SimpleAgentsError('configuration', `cannot listen on ${host}:${port}: ${reason}`, { cause: error });
}

const connectionErrors: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', `the headers are larger than ${headLimit} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
};

/** What is no HTTP has no route and no wire. */
function rejectConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = connectionErrors[error.code ?? ''] ?? ['400 Bad Request', 'this is no HTTP request'];
  const body = JSON.stringify(wireOf('/', {}).encodeError(new SimpleAgentsError('bad-request', message)).body);
  const head = ['content-type: application/json', `content-length: ${body.length}`, 'connection: close'];
  socket.end(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
