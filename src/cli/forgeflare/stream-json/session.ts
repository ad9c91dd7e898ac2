// An agent that a host drives with stream-json: it takes prompts one after the other and writes the lines of each turn.
// Invariants:
//   1. Every prompt that was not withdrawn gets exactly one result line.
//   2. The agent starts with the first prompt or with `initialize`, because `initialize` may change its system prompt.
//   3. A failure to start is reported as a result line, and ends the session.

import { randomUUID } from 'node:crypto';
import type { AgentEvent, TurnEnd } from '../../../agent/event.ts';
import type { AgentDefinition } from '../../../coder/agents/agent-definition.ts';
import { refuseUntrusted } from '../../../coder/hooks/trust.ts';
import type { Coder } from '../../../coder/coder.ts';
import { SimpleAgentsError, toError } from '../../../core/error.ts';
import type { JsonObject } from '../../../core/json.ts';
import { text, textOf, type Block } from '../../../core/message.ts';
import { noUsage, promptTokens, type Usage } from '../../../core/usage.ts';
import { StreamJsonEncoder } from '../../../streamjson/encoder.ts';
import { stringOf, type StreamJsonLine } from '../../../streamjson/line.ts';
import { decodePrompt } from '../../../streamjson/prompt.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { RunFlags } from '../flags.ts';
import { startCoder } from '../start-coder.ts';
import { HostConnection } from './connection.ts';
import { answerRequest } from './control-requests.ts';
import { HostHooks } from './host-hooks.ts';
import { HostPermissions } from './host-permissions.ts';
import { HostServers } from './host-servers.ts';
import { runLocalCommand } from './local-commands.ts';
import { toHostMode, toPermissionMode, type HostMode } from './permission-rules.ts';
import { describeSession, totalsOf } from './session-description.ts';
import { emptyEnd, failedEnd, joinEnds } from './turn-ends.ts';

export interface HostSessionOptions {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  /** Aborts when the process must end. */
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** How often a Stop hook may make the agent continue. */
const mostContinuations = 8;

export class HostSession {
  readonly connection: HostConnection;
  readonly hooks: HostHooks;
  readonly servers: HostServers;
  readonly flags: RunFlags;
  /** Changes of the system prompt from `initialize`. */
  systemPrompt: { readonly replace?: string; readonly append?: string } = {};
  /** Subagents from `initialize`. */
  subagents: readonly AgentDefinition[] = [];
  /** Of the last response. */
  lastUsage: Usage = noUsage;
  readonly #options: HostSessionOptions;
  readonly #permissions: HostPermissions;
  readonly #failed = new AbortController();
  readonly #queue: StreamJsonLine[] = [];
  #coder: Coder | undefined;
  /** By a control request, which may arrive before the agent has started. */
  #chosenMode: HostMode | undefined;
  #starting: Promise<Coder> | undefined;
  #encoder: StreamJsonEncoder | undefined;
  #turn: AbortController | undefined;
  #pumping: Promise<void> = Promise.resolve();
  #isPumping = false;
  #isError = false;

  constructor(options: HostSessionOptions) {
    const { flags, terminal, tell } = options;
    this.#options = options;
    this.flags = flags;
    this.connection = new HostConnection({
      terminal,
      onRequest: (request) => answerRequest(request, this),
      onPrompt: (line) => this.enqueue(line),
      sessionId: () => this.#coder?.sessionUuid ?? '',
    });
    const { peer } = this.connection;
    this.servers = new HostServers(peer);
    this.#permissions = new HostPermissions({
      peer,
      asksHost: flags.permissionPromptTool === 'stdio',
      warn: tell,
      allow: async (grant, scope) => (await this.start()).allow(grant, scope),
      setMode: (mode) => this.setPermissionMode(mode),
      interrupt: () => this.interrupt(),
    });
    this.hooks = new HostHooks({
      peer,
      warn: tell,
      allowCall: (id) => this.#permissions.allowCall(id),
      askUser: (call, reason, signal) => this.#permissions.askAbout(call, reason, signal),
      describe: () => this.#describeForHooks(),
    });
  }

  /** Reads prompts and requests until the host closes its input, then finishes. Returns whether the last turn failed. */
  async serve(): Promise<boolean> {
    const { signal } = this.#options;
    try {
      await this.connection.read(AbortSignal.any([signal, this.#failed.signal]));
    } catch (error) {
      if (!signal.aborted && !this.#failed.signal.aborted) throw error;
    }
    return this.finish();
  }

  /** Nothing more will be asked. */
  async finish(): Promise<boolean> {
    this.connection.peer.endInput();
    await this.#starting?.catch(() => undefined);
    await this.#pumping;
    await this.#coder?.close();
    return this.#isError;
  }

  get isStarted(): boolean {
    return this.#starting !== undefined;
  }

  start(): Promise<Coder> {
    this.#starting ??= this.#start().catch(async (thrown: unknown) => {
      await this.#fail(toError(thrown));
      throw thrown;
    });
    return this.#starting;
  }

  enqueue(line: StreamJsonLine): void {
    this.#queue.push(line);
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#pumping = this.#pump();
  }

  /** Cancels the turn that runs. Returns the ids of the prompts that wait. */
  interrupt(): readonly string[] {
    this.#turn?.abort();
    return this.#queue.flatMap(({ uuid }) => stringOf(uuid) ?? []);
  }

  /** Withdraws a prompt that waits. Without an id, all of them. Returns the ids of the withdrawn ones. */
  withdraw(id?: string): readonly string[] {
    const withdrawn = this.#queue.filter(({ uuid }) => id === undefined || uuid === id);
    this.#queue.splice(0, Infinity, ...this.#queue.filter((line) => !withdrawn.includes(line)));
    return withdrawn.flatMap(({ uuid }) => stringOf(uuid) ?? []);
  }

  /** Throws `bad-request` for a mode that the host may not choose now. */
  setPermissionMode(mode: HostMode): void {
    const { permissionMode, dangerouslySkipPermissions, allowDangerouslySkipPermissions } = this.flags;
    const mayBypass =
      dangerouslySkipPermissions || allowDangerouslySkipPermissions || permissionMode === 'bypassPermissions';
    if (mode === 'bypassPermissions' && !mayBypass) {
      const remedy = 'start it with --allow-dangerously-skip-permissions';
      throw new SimpleAgentsError('bad-request', `the session may not switch to bypassPermissions; ${remedy}`);
    }
    if (mode === 'auto') throw new SimpleAgentsError('bad-request', 'the permission mode auto is not supported');
    this.#chosenMode = mode;
    if (this.#coder !== undefined) this.#coder.permissionMode = toPermissionMode(mode);
    this.sendSystem({ subtype: 'status', status: null, permissionMode: mode });
  }

  /** Also used for slash commands, which report what they did without a model. */
  get coder(): Coder {
    if (this.#coder === undefined) throw new SimpleAgentsError('internal', 'the agent has not started');
    return this.#coder;
  }

  /** As the host names it. */
  get permissionMode(): HostMode {
    return this.#chosenMode ?? toHostMode(this.#coder?.permissionMode ?? 'ask');
  }

  sendSystem(members: JsonObject): void {
    this.connection.send({ type: 'system', ...members, ...this.#ids() });
  }

  async #start(): Promise<Coder> {
    const { flags, terminal, signal, tell } = this.#options;
    this.#coder = await startCoder({
      flags,
      terminal,
      signal,
      warn: (line) => tell(`warning: ${line}`),
      note: (line) => tell(`note: ${line}`),
      questions: {
        permission: (question, cancel) => this.#permissions.ask(question, cancel),
        trust: async (table) => refuseUntrusted(table),
        busy: async () => undefined,
      },
      defaultPermission: flags.permissionPromptTool === 'stdio' ? 'ask' : 'piped',
      policies: [this.hooks.policy],
      onRefusal: (call) => this.#encoder?.deny(call),
      systemPrompt: this.systemPrompt,
      subagents: this.subagents,
      relays: this.servers.relays,
    });
    if (this.#chosenMode !== undefined) this.#coder.permissionMode = toPermissionMode(this.#chosenMode);
    this.#encoder = this.#createEncoder(this.#coder);
    return this.#coder;
  }

  #createEncoder(coder: Coder): StreamJsonEncoder {
    const { includePartialMessages, replayUserMessages } = this.flags;
    return new StreamJsonEncoder({
      sessionId: coder.sessionUuid,
      createId: randomUUID,
      includePartialMessages: includePartialMessages === true,
      replayUserMessages: replayUserMessages === true,
      session: () => describeSession(coder, this.permissionMode, this.#options.terminal.env),
      totals: () => totalsOf(coder, this.flags.maxTokens),
      now: () => performance.now(),
    });
  }

  #describeForHooks(): object {
    const { sessionUuid, transcriptPath, root } = this.coder;
    return {
      session_id: sessionUuid,
      transcript_path: transcriptPath,
      cwd: root,
      permission_mode: this.permissionMode,
    };
  }

  #ids(): JsonObject {
    return { session_id: this.#coder?.sessionUuid ?? '', uuid: randomUUID() };
  }

  async #pump(): Promise<void> {
    try {
      await this.start();
      for (let line = this.#queue.shift(); line !== undefined; line = this.#queue.shift()) await this.#answer(line);
    } catch {
      // `start` has reported it.
      this.#queue.length = 0;
    } finally {
      this.#isPumping = false;
    }
  }

  async #answer(line: StreamJsonLine): Promise<void> {
    this.#turn = new AbortController();
    const signal = AbortSignal.any([this.#turn.signal, this.#options.signal]);
    this.#sendState('running');
    const end = await this.#runPrompt(line, signal).catch((thrown: unknown) => failedEnd(thrown));
    this.#turn = undefined;
    this.#isError = await this.#writeEnd(end);
    this.#sendState('idle');
  }

  /** Hosts that ask for it learn when the agent waits for a prompt. */
  #sendState(state: 'running' | 'idle'): void {
    if (this.#options.terminal.env['CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS'] !== '1') return;
    this.sendSystem({ subtype: 'session_state_changed', state });
  }

  async #runPrompt(line: StreamJsonLine, signal: AbortSignal): Promise<TurnEnd> {
    const { prompt } = decodePrompt(line);
    const words = textOf(prompt.content);
    const encoder = this.#encoder;
    encoder?.expectPrompt(line);
    const local = await runLocalCommand(words, { session: this, watch: (event) => this.#watch(event), signal });
    if (local !== undefined) {
      for (const event of local.events(prompt)) await this.#watch(event);
      return local.end;
    }
    const { block, context } = await this.hooks.onPrompt(words, signal);
    if (block !== undefined) return { ...emptyEnd, text: block };
    return this.#runTurns([...prompt.content, ...context.map((each) => text(each))], signal);
  }

  /** A Stop hook may make the agent continue. To the host it is one turn. */
  async #runTurns(prompt: readonly Block[], signal: AbortSignal): Promise<TurnEnd> {
    let end = await this.coder.run(prompt, (event) => this.#watch(event), signal);
    for (let count = 0; end.reason === 'end' && count < mostContinuations; count += 1) {
      const task = await this.hooks.onStop(end.text, count > 0, signal);
      if (task === undefined || signal.aborted) return end;
      const further = (event: AgentEvent) => (event.type === 'turn-start' ? Promise.resolve() : this.#watch(event));
      end = joinEnds(end, await this.coder.run(task, further, signal));
    }
    return end;
  }

  /** The end of the turn is written later, by `#writeEnd`. */
  async #watch(event: AgentEvent): Promise<void> {
    if (event.type === 'turn-end') return;
    const { inner, path } = unwrap(event);
    if (inner.type === 'permission-request') return this.#permissions.reach(inner.id, path);
    if (event.type === 'model-event' && event.event.type === 'message-end') this.lastUsage = event.event.usage;
    await this.connection.write(this.#encoder?.push(event) ?? []);
  }

  async #writeEnd(end: TurnEnd): Promise<boolean> {
    const lines = this.#encoder?.push(end) ?? [];
    await this.connection.write(lines.map((line) => ({ ...line, queued_turn_count: this.#queue.length })));
    return lines.some(({ is_error: isError }) => isError === true);
  }

  async #fail(error: SimpleAgentsError): Promise<void> {
    const { tell, signal } = this.#options;
    this.#isError = true;
    this.#failed.abort();
    if (signal.aborted) return;
    tell(error.message);
    const encoder = new StreamJsonEncoder({
      sessionId: this.flags.sessionId ?? '',
      createId: randomUUID,
      session: () => ({}),
      totals: () => new Map(),
      now: () => 0,
    });
    const [line] = encoder.push({ ...emptyEnd, reason: 'error', error });
    const members = {
      subtype: 'error_during_execution',
      errors: [error.message],
      terminal_reason: 'turn_setup_failed',
    };
    if (line !== undefined) await this.connection.write([{ ...line, ...members }]);
  }

  /** Tokens in the context: what the last request sent and received. */
  get contextTokens(): number {
    return this.lastUsage.missing === true ? 0 : promptTokens(this.lastUsage) + this.lastUsage.output;
  }
}

/** The event inside all subagents, and the calls that lead to it. */
function unwrap(event: AgentEvent): { readonly inner: AgentEvent; readonly path: readonly string[] } {
  const path: string[] = [];
  let inner = event;
  while (inner.type === 'subagent-event') {
    path.push(inner.id);
    inner = inner.event;
  }
  return { inner, path };
}
