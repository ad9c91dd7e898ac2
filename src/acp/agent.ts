// An ACP agent: answers the requests of a client over one connection and runs the sessions of an `AgentSource`. It knows no
// process and no file. Invariants:
//   1. Every request gets one reply. A failing session does not affect the others.
//   2. `session/cancel` never leaves a prompt without a reply.

import { systemClock, type Clock } from '../core/clock.ts';
import { isAbort, SimpleAgentsError, toError } from '../core/error.ts';
import type { RpcConnection } from '../rpc/connection.ts';
import { rpcErrorCodes, type RpcError, type RpcReply } from '../rpc/message.ts';
import type { AgentSession, AgentSource, AskReply, PermissionAsk, SessionHost } from './agent-session.ts';
import { AcpClient, decodeOffers, noOffers, type ClientOffers } from './client.ts';
import { codecFor } from './codec.ts';
import { invalid, Params, toRpcError, toTurnError } from './params.ts';
import { decodePermissionReply, toPermissionRequest } from './permission-request.ts';
import { toPromptContent } from './prompt-content.ts';
import { AcpSession, type PromptOutcome } from './session.ts';
import { configOptionsOf, modeOption, modesOf } from './session-state.ts';

export interface AcpAgentOptions {
  readonly source: AgentSource;
  readonly version: string;
  /** For a log. */
  readonly log: (line: string) => void;
  readonly clock?: Clock;
}

type Handler = (params: Params, signal: AbortSignal) => Promise<HandlerResult>;

type HandlerResult =
  /** `after` is called when the reply has been sent. */
  { readonly value: object; readonly after?: () => void } | { readonly error: RpcError };

interface StartedSession {
  /** Undefined while it is being opened: then it has no id that the client knows. */
  session?: AcpSession;
  /** Messages for the user that wait for the reply that opens the session. */
  readonly untold: string[];
}

/** The sessions of one page of `session/list`. */
const pageSize = 50;

export class AcpAgent {
  readonly #options: AcpAgentOptions;
  readonly #sessions = new Map<string, AcpSession>();
  /** The sessions that are being opened, so that two requests do not open the same one. */
  readonly #opening = new Map<string, Promise<AcpSession>>();
  #client: AcpClient | undefined;
  #codec = codecFor(undefined);
  #offers: ClientOffers = noOffers;

  constructor(options: AcpAgentOptions) {
    this.#options = options;
  }

  /** Must be called before the first message. */
  connect(connection: RpcConnection): void {
    this.#client = new AcpClient(connection);
  }

  async onRequest(method: string, params: unknown, signal: AbortSignal): Promise<RpcReply> {
    const handler = Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : undefined;
    if (handler === undefined) {
      return { kind: 'error', error: { code: rpcErrorCodes.methodNotFound, message: `Unknown method: ${method}` } };
    }
    try {
      const result = await handler(new Params(params), signal);
      if ('error' in result) return { kind: 'error', error: result.error };
      const { value, after } = result;
      return { kind: 'result', value, ...(after === undefined ? {} : { onSent: after }) };
    } catch (error) {
      // The connection reports a request that the client cancelled.
      if (signal.aborted || isAbort(error)) throw error;
      const failure = toError(error);
      this.#options.log(`${method}: ${failure.message}`);
      return { kind: 'error', error: toRpcError(failure) };
    }
  }

  onNotification(method: string, params: unknown): void {
    if (method === 'session/cancel') this.#sessions.get(new Params(params).string('sessionId'))?.cancel();
  }

  /** Ends all turns and closes all sessions. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
    this.#sessions.clear();
  }

  readonly #handlers: Readonly<Record<string, Handler>> = {
    initialize: (params) => this.#initialize(params),
    authenticate: async (params) => {
      checkMethod(params.string('methodId'));
      await this.#options.source.authenticate();
      return { value: {} };
    },
    'session/new': (params) => this.#newSession(params),
    'session/load': (params) => this.#loadSession(params),
    'session/resume': async (params) => this.#describeOpened(await this.#openSession(params)),
    'session/list': (params) => this.#listSessions(params),
    'session/close': async (params) => {
      await this.#forget(params.string('sessionId'));
      return { value: {} };
    },
    'session/delete': (params) => this.#deleteSession(params),
    'session/prompt': (params, signal) => this.#prompt(params, signal),
    'session/set_mode': (params) => this.#setMode(params),
    'session/set_config_option': (params) => this.#setConfigOption(params),
  };

  async #initialize(params: Params): Promise<HandlerResult> {
    const { source, version } = this.#options;
    const { abilities } = source;
    this.#offers = decodeOffers(params.get('clientCapabilities'));
    const lifecycle = { resume: {}, close: {}, ...(abilities.list ? { list: {} } : {}) };
    const agentCapabilities = {
      loadSession: abilities.load,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: abilities.mcp,
      sessionCapabilities: abilities.delete ? { ...lifecycle, delete: {} } : lifecycle,
    };
    this.#codec = codecFor(params.get('protocolVersion'));
    const agentInfo = { name: 'simple-agents', title: source.title, version };
    const value = { protocolVersion: this.#codec.version, agentCapabilities, agentInfo, authMethods };
    return { value, after: () => source.prepare?.() };
  }

  async #newSession(params: Params): Promise<HandlerResult> {
    const opened = await this.#start(params, (request) => this.#options.source.create(request));
    const { value, after } = this.#describeOpened(opened);
    return { value: { sessionId: opened.session.id, ...value }, after };
  }

  async #loadSession(params: Params): Promise<HandlerResult> {
    const opened = await this.#openSession(params);
    for (const update of opened.encoder.replay(opened.session.history)) this.#update(opened, update);
    return this.#describeOpened(opened);
  }

  async #openSession(params: Params): Promise<AcpSession> {
    const id = params.string('sessionId');
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const opening = this.#opening.get(id) ?? this.#start(params, (request) => this.#options.source.open(id, request));
    this.#opening.set(id, opening);
    return opening.finally(() => this.#opening.delete(id));
  }

  async #start(
    params: Params,
    open: (request: Parameters<AgentSource['create']>[0]) => Promise<AgentSession>,
  ): Promise<AcpSession> {
    const folder = params.absolutePath('cwd');
    const mcpServers = params.list('mcpServers');
    const started: StartedSession = { untold: [] };
    const session = await open({ folder, mcpServers, host: this.#toHost(started, folder) });
    const encoder = this.#codec.createUpdateEncoder({
      folder,
      display: this.#offers.display,
      contextWindow: () => session.contextWindow,
      cost: () => session.cost,
    });
    const send = (update: Parameters<AcpClient['update']>[1]): void => this.#client?.update(session.id, update);
    const clock = this.#options.clock ?? systemClock;
    const opened = new AcpSession({ session, folder, encoder, send, clock, untold: started.untold });
    started.session = opened;
    this.#sessions.set(session.id, opened);
    return opened;
  }

  /** The host of a session that is being opened. */
  #toHost(started: StartedSession, folder: string): SessionHost {
    const idOf = (): string => started.session?.session.id ?? '';
    const files = {
      ...(this.#offers.readsFiles && { readFile: (path: string) => this.#requireClient().readFile(idOf(), path) }),
      ...(this.#offers.writesFiles && {
        writeFile: (path: string, text: string) => this.#requireClient().writeFile(idOf(), path, text),
      }),
    };
    return {
      ...files,
      askPermission: (ask, signal) => this.#askPermission(started.session, { ...ask, folder }, signal),
      tell: (text) => this.#tell(started, text),
      changed: (what) => this.#onChange(started.session, what),
    };
  }

  #tell({ session, untold }: StartedSession, text: string): void {
    if (session === undefined) {
      untold.push(text);
      return;
    }
    this.#options.log(text);
    if (!this.#offers.display.notices) return;
    for (const update of session.encoder.tell(text)) this.#update(session, update);
  }

  async #askPermission(
    session: AcpSession | undefined,
    ask: PermissionAsk & { readonly folder: string },
    signal: AbortSignal,
  ): Promise<AskReply> {
    if (session === undefined) return 'no';
    await session.reached(ask, signal);
    if (signal.aborted) return 'cancelled';
    const { calls } = session.encoder;
    const toolCallId = calls.acpIdOf(ask.callId) ?? ask.callId;
    const { name, input, unifiedDiff } = ask;
    const diffs = unifiedDiff === undefined ? [] : calls.describeChange(name, input, unifiedDiff);
    const params = toPermissionRequest({ ...ask, sessionId: session.session.id, toolCallId, diffs });
    const reply = decodePermissionReply(await this.#requireClient().requestPermission(params, signal));
    session.answered(toolCallId, reply);
    return reply;
  }

  #onChange(session: AcpSession | undefined, what: Parameters<SessionHost['changed']>[0]): void {
    if (session === undefined) return;
    const { session: state } = session;
    if (what === 'commands') {
      this.#update(session, { sessionUpdate: 'available_commands_update', availableCommands: state.commands });
      return;
    }
    if (what === 'mode') this.#update(session, { sessionUpdate: 'current_mode_update', currentModeId: state.modeId });
    this.#update(session, { sessionUpdate: 'config_option_update', configOptions: configOptionsOf(state) });
  }

  /** The client knows the session only after the reply. */
  #describeOpened(opened: AcpSession): { readonly value: object; readonly after: () => void } {
    const { session } = opened;
    const value = { modes: modesOf(session), configOptions: configOptionsOf(session) };
    const after = (): void => {
      for (const text of opened.untold.splice(0)) this.#tell({ session: opened, untold: opened.untold }, text);
      if (session.commands.length > 0) this.#onChange(opened, 'commands');
    };
    return { value, after };
  }

  async #listSessions(params: Params): Promise<HandlerResult> {
    const cursor = params.optionalString('cursor') ?? '0';
    const start = /^\d{1,9}$/.test(cursor) ? Number(cursor) : invalid('cursor', 'is not one that this agent sent');
    const all = await this.#options.source.list(params.optionalPath('cwd'));
    const sessions = all.slice(start, start + pageSize);
    const next = start + pageSize;
    return { value: next < all.length ? { sessions, nextCursor: String(next) } : { sessions } };
  }

  async #deleteSession(params: Params): Promise<HandlerResult> {
    const id = params.string('sessionId');
    if (this.#sessions.has(id)) await this.#forget(id);
    await this.#options.source.delete(id);
    return { value: {} };
  }

  async #forget(id: string): Promise<void> {
    const session = this.#find(id);
    this.#sessions.delete(id);
    await session.close();
  }

  async #prompt(params: Params, signal: AbortSignal): Promise<HandlerResult> {
    const session = this.#find(params.string('sessionId'));
    const content = toPromptContent(params.get('prompt'));
    if (content.kind === 'error') throw new SimpleAgentsError('bad-request', content.message, { field: 'prompt' });
    for (const warning of content.warnings) this.#options.log(warning);
    const outcome = await this.#runPrompt(session, content.blocks, signal);
    signal.throwIfAborted();
    if (outcome.kind === 'stop') return { value: { stopReason: outcome.stopReason } };
    this.#options.log(`session/prompt: ${outcome.error.message}`);
    return { error: toTurnError(outcome.error) };
  }

  /** The client may also cancel the request itself. */
  async #runPrompt(
    session: AcpSession,
    blocks: Parameters<AcpSession['prompt']>[0],
    signal: AbortSignal,
  ): Promise<PromptOutcome> {
    const prompt = session.prompt(blocks);
    const cancel = (): void => prompt.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    return prompt.outcome.finally(() => signal.removeEventListener('abort', cancel));
  }

  async #setMode(params: Params): Promise<HandlerResult> {
    const opened = this.#find(params.string('sessionId'));
    await this.#changeMode(opened, params.string('modeId'), 'modeId');
    return { value: {} };
  }

  async #changeMode({ session }: AcpSession, id: string, field: string): Promise<void> {
    const known = session.modes.map((mode) => mode.id);
    if (!known.includes(id)) invalid(field, `unknown mode ${JSON.stringify(id)}; the modes are ${known.join(', ')}`);
    await session.setMode(id);
  }

  async #setConfigOption(params: Params): Promise<HandlerResult> {
    const opened = this.#find(params.string('sessionId'));
    const { session } = opened;
    const id = params.string('configId');
    const value = params.string('value');
    const option = configOptionsOf(session).find((each) => each.id === id);
    if (option === undefined) return invalid('configId', `unknown option ${JSON.stringify(id)}`);
    const values = option.options.map((each) => each.value);
    if (!values.includes(value)) invalid('value', `unknown value ${JSON.stringify(value)} of the option ${id}`);
    if (id === modeOption) await this.#changeMode(opened, value, 'value');
    else await session.setOption(id, value);
    return { value: { configOptions: configOptionsOf(session) } };
  }

  #find(id: string): AcpSession {
    const session = this.#sessions.get(id);
    if (session !== undefined) return session;
    throw new SimpleAgentsError('not-found', `sessionId: there is no open session ${JSON.stringify(id)}`);
  }

  #update(session: AcpSession, update: Parameters<AcpClient['update']>[1]): void {
    this.#client?.update(session.session.id, update);
  }

  #requireClient(): AcpClient {
    if (this.#client === undefined) throw new SimpleAgentsError('internal', 'the ACP agent is not connected');
    return this.#client;
  }
}

function checkMethod(id: string): void {
  const known = authMethods.map((method) => method.id);
  if (!known.includes(id))
    invalid('methodId', `unknown method ${JSON.stringify(id)}; the methods are ${known.join(', ')}`);
}

const authMethods = [
  {
    id: 'api-key',
    name: 'API key',
    description: 'Set an API key in the environment of the agent or in the configuration file of simple-agents.',
  },
];
