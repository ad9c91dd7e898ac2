// The simulated model as an HTTP server: it speaks all wires, injects faults on request and records the requests.
// By default it listens on this machine only.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { SimpleAgentsError, toError } from '../../core/error.ts';
import type { DamageKind } from '../damage/damage.ts';
import type { Fault } from '../model/fault.ts';
import { SimulatedModel } from '../model/model.ts';
import { parseScript, type Script } from '../model/script.ts';
import { dialectOf } from './dialect.ts';
import { Conversations, handleConversation } from './conversations.ts';
import { countForBedrock } from './bedrock/count-tokens.ts';
import { bedrockRoute } from './bedrock/dialect.ts';
import { embedForBedrock, isEmbeddingModel } from './bedrock/embeddings.ts';
import { createEmbeddings, embedForOllama } from './embeddings.ts';
import {
  callModel,
  countInputTokens,
  countTokens,
  errorResponse,
  jsonResponse,
  type SimulatedCall,
  type SimulatedExchange,
  type SimulatedExchangeOptions,
  type ReceivedBody,
} from './exchange.ts';
import { faultOfHeaders } from './fault-header.ts';
import { geminiRoute } from './gemini/dialect.ts';
import { handleGemini } from './gemini/exchange.ts';
import { sendResponse, type OutgoingResponse } from './outgoing-response.ts';
import { throwApiError } from './api-error.ts';
import { compact, handleStored } from './stored-exchange.ts';
import { StoredResponses } from './stored-responses.ts';
import { RequestLog, type LoggedRequest } from './request-log.ts';

export interface SimulateOptions {
  /** 0, the default: any free port. */
  readonly port?: number;
  readonly host?: string;
  readonly seed?: string | number;
  readonly script?: Script;
  readonly damage?: DamageKind;
  readonly tokensPerSecond?: number;
  readonly firstTokenDelayMs?: number;
  /** Reject requests without an API key, as the real APIs do. On by default. */
  readonly requireKey?: boolean;
}

export interface SimulateServer {
  /** Without a path: `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly port: number;
  /** The last thousand requests, oldest first. */
  readonly requests: readonly LoggedRequest[];
  playScript(script: Script | undefined): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** As of the gateway. Node's default, 5 seconds, resets requests of clients that keep connections for longer. */
const idleTimeout = 75_000;
/** The limit of the Anthropic API. */
const maxBodyBytes = 32 * 1024 * 1024;
const controlPath = '/_simulate/';
const modelIds = ['simulated', 'simulated-large', 'simulated-small'];

export async function createSimulateServer(options: SimulateOptions = {}): Promise<SimulateServer> {
  const { port = 0, host = '127.0.0.1' } = options;
  const simulator = new Simulator(options);
  const settings = { keepAliveTimeout: idleTimeout };
  const server = createServer(settings, (request, response) => void simulator.serve(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    port: actual,
    requests: simulator.log.requests,
    playScript: (script) => simulator.model.playScript(script),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Received {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: ReceivedBody;
  readonly signal: AbortSignal;
}

class Simulator {
  readonly model: SimulatedModel;
  readonly log = new RequestLog();
  readonly #options: SimulatedExchangeOptions;
  #requests = 0;

  constructor({ tokensPerSecond, firstTokenDelayMs, requireKey = true, ...options }: SimulateOptions) {
    this.model = new SimulatedModel(options);
    const pace = {
      ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }),
      ...(firstTokenDelayMs === undefined ? {} : { firstTokenDelayMs }),
    };
    this.#options = {
      model: this.model,
      pace,
      requireKey,
      responses: new StoredResponses(),
      conversations: new Conversations(),
    };
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    // A write to a closed connection. The `close` listener has handled it.
    response.on('error', () => {});
    let logged: LoggedRequest | undefined;
    try {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
      const body = await readBody(request);
      logged = this.#record(request, path, body);
      const { response: outgoing, fault } = await this.#exchange(request, { path, query, body, signal: left.signal });
      await sendResponse(response, outgoing, fault, left.signal);
    } catch (error) {
      if (left.signal.aborted && logged !== undefined) logged.disconnected = true;
      // The response has begun, so no error can be sent.
      if (!left.signal.aborted) response.destroy(toError(error));
    }
  }

  #record({ method = 'GET', headers }: IncomingMessage, path: string, body: ReceivedBody): LoggedRequest | undefined {
    if (path.startsWith(controlPath)) return undefined;
    return this.log.record(method, path, { headers, body: parsedBody(body) });
  }

  async #exchange(request: IncomingMessage, received: Received): Promise<SimulatedExchange> {
    const { method = 'GET' } = request;
    const { path, query, body, signal } = received;
    const headers = withQueryKey(request.headers, query);
    if (path.startsWith(controlPath)) return { response: this.#control(method, path, body), fault: {} };
    const dialect = dialectOf(path, headers);
    const number = (this.#requests += 1);
    const identify = (outgoing: OutgoingResponse): OutgoingResponse => ({
      ...outgoing,
      headers: { ...outgoing.headers, [dialect.requestIdHeader]: `req_simulated_${number}` },
    });
    let fault: Fault = {};
    try {
      fault = faultOfHeaders(headers);
      const exchange = await this.#route(method, path, { dialect, method, headers, body, query, fault, signal });
      return { ...exchange, response: identify(exchange.response) };
    } catch (error) {
      signal.throwIfAborted();
      return { response: identify(errorResponse(toError(error), dialect)), fault };
    }
  }

  async #route(method: string, path: string, call: SimulatedCall): Promise<SimulatedExchange> {
    const { model = '', operation } = bedrockRoute(path) ?? {};
    if (method === 'POST' && operation === 'invoke' && isEmbeddingModel(model))
      return embedForBedrock(call, model, this.#options);
    if (method === 'POST' && operation === 'count-tokens') return countForBedrock(call, model, this.#options);
    const gemini = geminiRoute(path, call.headers);
    if (gemini !== undefined) return handleGemini({ ...gemini, httpMethod: method }, call, this.#options);
    if (method === 'POST' && path === call.dialect.path) return callModel(call, this.#options);
    if (method === 'POST' && path === '/v1/messages/count_tokens') return countTokens(call, this.#options);
    if (method === 'POST' && path === '/v1/responses/input_tokens') return countInputTokens(call, this.#options);
    if (method === 'POST' && path === '/v1/responses/compact') return compact(call, this.#options);
    const [, conversation] = /^\/v1\/conversations(?:\/(.+))?$/u.exec(path) ?? [];
    if (path.startsWith('/v1/conversations'))
      return handleConversation(conversation?.split('/') ?? [], call, this.#options);
    const [, id, part = ''] = /^\/v1\/responses\/([^/]+)(?:\/([^/]+))?$/u.exec(path) ?? [];
    if (id !== undefined) return handleStored({ action: `${method} ${part}`, id }, call, this.#options);
    if (method === 'POST' && path === '/v1/embeddings') return createEmbeddings(call, this.#options);
    if (method === 'POST' && path === '/api/embed') return embedForOllama(call, this.#options);
    if (method === 'GET' && path === '/v1/models') {
      return { response: jsonResponse(200, call.dialect.listModels(modelIds)), fault: call.fault };
    }
    return throwApiError(`Invalid URL (${method} ${path})`, { kind: 'not-found', code: 'unknown_url' });
  }

  #control(method: string, path: string, body: ReceivedBody): OutgoingResponse {
    switch (`${method} ${path}`) {
      case 'GET /_simulate/requests':
        return jsonResponse(200, { requests: this.log.requests });
      case 'DELETE /_simulate/requests':
        this.log.clear();
        return jsonResponse(200, { requests: [] });
      case 'PUT /_simulate/script':
        return this.#replaceScript(body);
      case 'DELETE /_simulate/script':
        this.model.playScript(undefined);
        return jsonResponse(200, { script: null });
      default:
        return jsonResponse(404, { error: { message: `unknown route: ${method} ${path}` } });
    }
  }

  #replaceScript({ text }: ReceivedBody): OutgoingResponse {
    try {
      const script = parseScript(JSON.parse(text));
      this.model.playScript(script);
      return jsonResponse(200, { script: { replies: script.replies.length } });
    } catch (error) {
      if (!(error instanceof SimpleAgentsError || error instanceof SyntaxError)) throw error;
      return jsonResponse(400, { error: { message: `invalid script: ${error.message}` } });
    }
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): SimpleAgentsError {
  const reason =
    error.code === 'EADDRINUSE' ? 'the port is in use; choose another, or 0 for any free port' : error.message;
  return new SimpleAgentsError('configuration', `cannot listen on ${host}:${port}: ${reason}`, { cause: error });
}

/** Reads the whole body, so that the client receives the error if it is too large, but keeps no more than the limit. */
async function readBody(request: IncomingMessage): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) chunks.length = 0;
    else chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isTooLarge: length > maxBodyBytes };
}

/** Google's API also accepts the key in the query. */
function withQueryKey(headers: IncomingHttpHeaders, query: URLSearchParams): IncomingHttpHeaders {
  const key = query.get('key');
  return key === null ? headers : { 'x-goog-api-key': key, ...headers };
}

function parsedBody({ text, isTooLarge }: ReceivedBody): unknown {
  if (isTooLarge) return '(larger than the limit)';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
