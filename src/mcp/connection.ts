// A connection to one MCP server: over its process, over HTTP, or through the program that drives us. The only
// file that uses the MCP client package, which takes 100 ms to load and is loaded with the first server.
// A server of version 2026-07-28 is recognised by its answer to `server/discover`; an older one gets the handshake. Some
// older servers end at a request before the handshake; they are started a second time without it.

import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type RequestOptions,
  type StandardSchemaV1,
  type Tool as ToolDefinition,
  type Transport,
} from '@modelcontextprotocol/client';
import { unlessAborted } from '../core/abort.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import { version } from '../core/version.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import type { Elicit } from './elicitation.ts';
import { listTools, type ListedTool, type ToolListing, type ToolPage } from './listing.ts';
import { ProcessTransport, tooLong } from './process-transport.ts';
import { RelayTransport, type McpRelay } from './relay-transport.ts';
import type { McpResult } from './result.ts';
import { defaultStartTimeout, isHttpServer, type HttpServerSettings, type McpServerSettings } from './settings.ts';

export interface ConnectionOptions {
  readonly name: string;
  readonly settings: McpServerSettings | RelayedServerSettings;
  /** The complete environment of the process, without the settings' own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly elicit: Elicit | undefined;
  readonly onListChange: () => void;
  /** Called once if the server ends or becomes unreachable, not for `close`. */
  readonly onLoss: (reason: string) => void;
}

/** A server inside the program that drives us. */
export interface RelayedServerSettings extends Pick<McpServerSettings, 'startTimeout' | 'timeout'> {
  readonly relay: McpRelay;
}

export interface CallOptions {
  /** Milliseconds without a result or progress. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ToolProgress) => void;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Milliseconds until a process that does not answer `server/discover` counts as an older server. */
const probeTimeout = 5000;
/** A call ends after this many times its timeout, even with progress. */
const mostTimeouts = 30;

/** Rejects with a message for the user. `signal` limits the time. */
export async function openConnection(options: ConnectionOptions, signal: AbortSignal): Promise<McpConnection> {
  const connection = new McpConnection(options, 'auto');
  try {
    await connection.open(signal);
    return connection;
  } catch (error) {
    if (!connection.endedAtProbe || signal.aborted) throw error;
  }
  const older = new McpConnection(options, 'legacy');
  await older.open(signal);
  return older;
}

export class McpConnection {
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #process: ProcessTransport | undefined;
  #isOpen = false;
  #isClosing = false;
  #brokenBy: string | undefined;

  constructor(options: ConnectionOptions, mode: 'auto' | 'legacy') {
    this.#options = options;
    this.#transport = this.#createTransport(options);
    this.#process = this.#transport instanceof ProcessTransport ? this.#transport : undefined;
    this.#client = createClient(options, mode);
    const onclose = (): void => this.#lose(this.#process?.lossReason ?? 'closed the connection');
    Object.assign(this.#client, { onclose });
  }

  /** The process ended before it answered, as older servers do at a request that they do not know. */
  get endedAtProbe(): boolean {
    return this.#process?.lossReason?.startsWith('ended') === true;
  }

  /** `2026-07-28` */
  get protocolVersion(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? 'unknown';
  }

  /** Tools over HTTP may declare parameters that are sent as headers. */
  get sendsHeaders(): boolean {
    return 'url' in this.#options.settings && this.#client.getProtocolEra() === 'modern';
  }

  async open(signal: AbortSignal): Promise<void> {
    try {
      await unlessAborted(this.#client.connect(this.#transport, { signal }), signal);
      this.#isOpen = true;
    } catch (error) {
      const problem = this.#describe(error, this.#startLimit(signal));
      await this.close();
      throw problem;
    }
  }

  async list(signal: AbortSignal): Promise<ToolListing> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return { tools: [], problems: [] };
    try {
      return await listTools((cursor) => unlessAborted(this.#loadPage(cursor, signal), signal));
    } catch (error) {
      throw this.#describe(error, this.#startLimit(signal));
    }
  }

  #startLimit(signal: AbortSignal): TimeLimit {
    const { startTimeout = defaultStartTimeout } = this.#options.settings;
    return { milliseconds: startTimeout, setting: 'startTimeout', signal };
  }

  async #loadPage(cursor: string | undefined, signal: AbortSignal): Promise<ToolPage> {
    const params = cursor === undefined ? {} : { cursor };
    const page = await this.#client.request({ method: 'tools/list', params }, anyResult, { signal });
    const { tools, nextCursor } = page;
    if (!Array.isArray(tools)) throw new SdkError(SdkErrorCode.InvalidResult, 'the list of tools is no list');
    return { tools, nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined };
  }

  async call(tool: ListedTool, input: Record<string, unknown>, options: CallOptions): Promise<McpResult> {
    const { timeout, signal, onProgress } = options;
    const request: RequestOptions = {
      signal,
      timeout,
      resetTimeoutOnProgress: true,
      maxTotalTimeout: timeout * mostTimeouts,
      onprogress: onProgress,
    };
    try {
      // Without the output schema: a result that does not match it is still what the model should read.
      const { outputSchema: _outputSchema, ...definition } = tool.definition;
      return await this.#client.callTool(
        { name: tool.name, arguments: input },
        { ...request, toolDefinition: definition as ToolDefinition },
      );
    } catch (error) {
      signal.throwIfAborted();
      throw this.#describe(error, { milliseconds: timeout, setting: 'timeout' });
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#client.close().catch(() => undefined);
    await this.#transport.close().catch(() => undefined);
  }

  #createTransport({ settings, environment, cwd }: ConnectionOptions): Transport {
    if ('relay' in settings) return new RelayTransport(settings.relay);
    if (isHttpServer(settings)) return this.#createHttpTransport(settings);
    const { command, args = [], env = {}, cwd: ownFolder = cwd } = settings;
    return new ProcessTransport({ command, args, cwd: ownFolder, environment: { ...environment, ...env } });
  }

  #createHttpTransport({ url, headers = {} }: HttpServerSettings): Transport {
    const transport = new StreamableHTTPClientTransport(parseServerUrl(url), {
      requestInit: { headers: { ...headers } },
      fetch: createBoundedFetch({ fetch, onExcess: () => this.#break(tooLong) }),
    });
    return withEndedStreams(transport, () => this.#isOpen);
  }

  #break(reason: string): void {
    if (this.#isClosing) return;
    this.#brokenBy = reason;
    void this.#client.close().catch(() => undefined);
  }

  #lose(reason: string): void {
    if (this.#isClosing || !this.#isOpen) return;
    this.#isOpen = false;
    this.#options.onLoss(this.#brokenBy ?? reason);
  }

  #describe(error: unknown, timeout: TimeLimit): SimpleAgentsError {
    const lost = this.#brokenBy ?? this.#process?.lossReason;
    const output = this.#process?.describeOutput() ?? '';
    if (timeout.signal?.aborted === true || isTimeout(error)) {
      const { milliseconds, setting } = timeout;
      return failure('timeout', `did not answer within ${milliseconds / 1000} s; raise "${setting}"${output}`, error);
    }
    if (error instanceof SimpleAgentsError) return error;
    if (lost !== undefined) return failure('network', lost, error);
    if (error instanceof SdkHttpError) return describeStatus(error);
    if (error instanceof ProtocolError) return describeProtocolError(error);
    const network = describeNetwork(error);
    return network ?? failure('bad-response', `sent an invalid answer: ${messageOf(error)}`, error);
  }
}

interface TimeLimit {
  readonly milliseconds: number;
  /** Of the server's settings. */
  readonly setting: 'startTimeout' | 'timeout';
  /** Aborted when the time is over. */
  readonly signal?: AbortSignal;
}

function createClient({ elicit, name, onListChange }: ConnectionOptions, mode: 'auto' | 'legacy'): Client {
  const client = new Client(
    { name: 'simple-agents', version },
    {
      capabilities: elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true } } },
      versionNegotiation: { mode, probe: { timeoutMs: probeTimeout } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onListChange } },
      // Results are not checked against schemas of the server; see `call`.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (!('requestedSchema' in params)) return { action: 'decline' };
      const { message, requestedSchema } = params;
      const reply = await elicit({ server: name, message, schema: requestedSchema });
      return reply.action === 'accept' ? { action: 'accept', content: { ...reply.content } } : { action: reply.action };
    });
  }
  return client;
}

/** Marks an error of our own among those that servers send. */
const endedStream = {};

/** A response stream that ends without the answer becomes an error; the client would wait for the time limit. */
function withEndedStreams(transport: Transport, isOpen: () => boolean): Transport {
  const send = transport.send.bind(transport);
  const endStream = (request: object): void => {
    if (!isOpen() || !('id' in request)) return;
    const error = { code: -32_000, message: 'ended its response without an answer', data: endedStream };
    transport.onmessage?.({ jsonrpc: '2.0', id: request.id as number, error });
  };
  transport.send = (message, options) => {
    const onRequestStreamEnd = options?.onRequestStreamEnd ?? (() => endStream(message));
    return send(message, { ...options, onRequestStreamEnd });
  };
  return transport;
}

function parseServerUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed;
  throw new SimpleAgentsError('configuration', 'has a url that does not start with http:// or https://', {
    field: 'url',
  });
}

/** Every problem completes the sentence `MCP server "name" …`. */
function failure(kind: SimpleAgentsError['kind'], problem: string, cause: unknown): SimpleAgentsError {
  return new SimpleAgentsError(kind, problem.slice(0, longestProblem), { cause });
}

const longestProblem = 2500;

function describeStatus(error: SdkHttpError): SimpleAgentsError {
  const { status } = error;
  if (status === 401 || status === 403) {
    return failure('auth', `refused access (HTTP ${status}); set its headers, for example "Authorization"`, error);
  }
  if (status === 404) return failure('not-found', 'answered with HTTP 404; check its url', error);
  return failure('upstream', `answered with HTTP ${status}`, error);
}

function describeProtocolError(error: ProtocolError): SimpleAgentsError {
  if (error.data === endedStream) return failure('upstream', error.message, error);
  return failure('upstream', `answered with error ${error.code}: ${error.message}`, error);
}

/** Undefined unless the server could not be reached. `fetch` hides the reason in the cause. */
function describeNetwork(error: unknown): SimpleAgentsError | undefined {
  for (let each = error, depth = 0; isErrorLike(each) && depth < 5; each = each.cause, depth += 1) {
    if (typeof each.code === 'string' && /^(E[A-Z]+|UND_ERR_\w+)$/.test(each.code)) {
      return failure('network', `cannot be reached (${each.code}); check its url, and that it runs`, error);
    }
    if (each.message === 'fetch failed' && !isErrorLike(each.cause))
      return failure('network', 'cannot be reached', error);
  }
  return undefined;
}

function isErrorLike(
  value: unknown,
): value is { readonly code?: unknown; readonly cause?: unknown; readonly message?: unknown } {
  return typeof value === 'object' && value !== null;
}

function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Takes any object; `listTools` checks each tool on its own. */
const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'simple-agents',
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'must be an object' }] }),
  },
};
