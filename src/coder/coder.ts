// The coding agent: an agent with its model, tools, policies, hooks and session. It knows no keyboard and no screen; a
// front end passes in functions that ask the user.
// Invariant: provider keys reach only the model's transport.

import { join } from 'node:path';
import { createAgent, type Agent, type ModelSource } from '../agent/agent.ts';
import type { AgentEvent, ContextTrim, TurnEnd } from '../agent/event.ts';
import type { Hooks } from './hooks/hooks.ts';
import type { PermissionMode } from './permission/decision.ts';
import type { PolicySource } from '../agent/policy.ts';
import { withPromptCache } from '../agent/prompt-cache.ts';
import { openSession, openUnrecordedSession, type SessionRecorder } from './session/recorder.ts';
import { uuidOf } from './session/session-path.ts';
import type { LoadedSession } from './session/store.ts';
import { taskToolName, type Subagent } from '../agent/subagent.ts';
import type { Tool } from '../agent/tool.ts';
import { unlessAborted } from '../core/abort.ts';
import { formatDollars } from '../core/dollars.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { Block, Message } from '../core/message.ts';
import type { ChatRequest, ReasoningEffort } from '../core/request.ts';
import { version } from '../core/version.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { sizeOf } from '../agent/context.ts';
import type { McpTools } from '../mcp/mcp-tools.ts';
import type { McpServerState } from '../mcp/server-link.ts';
import type { Grant } from './permission/grant.ts';
import type { PermissionMemory } from './permission/memory.ts';
import { UsageTally } from './usage-tally.ts';

/** The model that a coding agent uses. The front end resolves and connects it. */
export interface AgentModel {
  readonly gateway: Gateway;
  /** With its provider: `anthropic/claude-opus-4-6`. */
  readonly name: string;
  /** Without user name and password. Undefined for the simulated model. */
  readonly apiUrl?: string;
  readonly isSimulated: boolean;
  /** The simulated model responds because no key is set, not because the user asked for it. */
  readonly isFallback: boolean;
  /** Whether the provider caches prompts up to the blocks that are marked. */
  readonly takesCacheMarkers: boolean;
  /** Keys that must not appear in a tool's environment, a terminal line or a file. */
  readonly secrets: readonly string[];
}

export interface CoderParts {
  /** The real path of the project. */
  readonly root: string;
  readonly model: AgentModel;
  /** Connects another model by its name. */
  readonly connectModel: (name?: string) => Promise<AgentModel>;
  readonly maxTokens: number;
  /** US dollars for the run. */
  readonly maxCost?: number;
  /** Model responses in a turn. */
  readonly maxResponses?: number;
  readonly system: string;
  /** For the next turn. */
  readonly tools: () => readonly Tool[];
  readonly mcp?: McpTools;
  /** For Task calls. Empty: there is no Task tool. */
  readonly subagents: readonly Subagent[];
  readonly policies: readonly PolicySource[];
  /** The permission mode that the policies read before each call. */
  readonly permission: { mode: PermissionMode };
  readonly hooks?: Hooks;
  readonly resumed?: LoadedSession;
  /** The UUID of the first session, if it is new. */
  readonly sessionUuid?: string;
  /** False: sessions leave no files. */
  readonly isRecorded: boolean;
  readonly memory: PermissionMemory;
  /** Called for each further session: the files that its model has read are those of that session. */
  readonly beginReads: (session?: LoadedSession) => Promise<void>;
  readonly warn: (line: string) => void;
}

/** The size of what is sent with every request, in characters. */
export interface ContextSize {
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
}

/** Receives every event, in order. */
export type Watch = (event: AgentEvent) => Promise<void>;

/** Milliseconds until the user learns what the first turn waits for. */
const serverPatience = 3_000;

export class Coder {
  /** The current session, counted from when this process started or resumed it. */
  tally = new UsageTally();
  /** All sessions of this process. */
  readonly total = new UsageTally();
  /** How much the model reasons. Undefined: the model's default. */
  effort: ReasoningEffort | undefined;
  /** The limit for reasoning, in tokens. Undefined: the model's default. */
  reasoningTokens: number | undefined;
  readonly #parts: CoderParts;
  readonly #agent: Agent;
  #model: AgentModel;
  #session: SessionRecorder;
  #isRunning = false;
  /** Models that were replaced. A turn may still use them. */
  #retired: AgentModel[] = [];

  constructor(parts: CoderParts) {
    const { system, tools, subagents, policies, resumed, maxTokens, maxCost, maxResponses } = parts;
    this.#parts = parts;
    this.#model = parts.model;
    this.#session = this.#openSession(resumed, parts.sessionUuid);
    this.#agent = createAgent({
      client: { provider: this.#toSource() },
      system,
      tools,
      subagents,
      policies,
      maxTokens,
      limits: omitUndefined({ cost: maxCost, responses: maxResponses }),
      ...(resumed === undefined ? {} : { messages: resumed.messages }),
      onHistory: (change) => this.#session.onHistory(change),
      onSubagentHistory: (subagent, change) => this.#session.onSubagentHistory(subagent, change),
      onSpend: (spending) => {
        for (const each of [this.tally, this.total]) each.spend(spending);
      },
    });
  }

  get model(): AgentModel {
    return this.#model;
  }

  get modelName(): string {
    return this.#model.name;
  }

  get sessionId(): string {
    return this.#session.id;
  }

  get messages(): readonly Message[] {
    return this.#agent.messages;
  }

  /** The session's id without its date. */
  get sessionUuid(): string {
    return uuidOf(this.#session.id);
  }

  /** The file of the session; empty if it is not recorded. */
  get transcriptPath(): string {
    return this.#session.path === '' ? '' : join(this.#session.path, 'full.jsonl');
  }

  get root(): string {
    return this.#parts.root;
  }

  get toolNames(): readonly string[] {
    const { tools, subagents } = this.#parts;
    const names = tools().map(({ definition }) => definition.name);
    return subagents.length === 0 ? names : [...names, taskToolName];
  }

  get subagents(): readonly Subagent[] {
    return this.#parts.subagents;
  }

  /** Allows it from now on. Resolves to a warning if that could not be stored for later runs. */
  allow(grant: Grant, scope: 'project' | 'run'): Promise<string | undefined> {
    return this.#parts.memory.remember(grant, scope);
  }

  get contextSize(): ContextSize {
    const { system, tools } = this.#parts;
    const definitions = tools().map(({ definition }) => definition);
    return {
      system: system.length,
      tools: JSON.stringify(definitions).length,
      messages: sizeOf(this.#agent.messages),
    };
  }

  get messageCount(): number {
    return this.#agent.messages.length;
  }

  /** Applies from the next tool call on. */
  get permissionMode(): PermissionMode {
    return this.#parts.permission.mode;
  }

  set permissionMode(mode: PermissionMode) {
    this.#parts.permission.mode = mode;
  }

  /** In tokens, if known. */
  get contextWindow(): number | undefined {
    return this.#model.gateway.contextWindowOf();
  }

  /** Runs one turn and returns how it ended. */
  async run(prompt: string | readonly Block[], watch: Watch, signal: AbortSignal): Promise<TurnEnd> {
    this.#throwIfOverspent();
    this.#isRunning = true;
    try {
      return await this.#runTurn(prompt, watch, signal);
    } finally {
      this.#isRunning = false;
      await this.#closeRetired();
    }
  }

  async #runTurn(prompt: string | readonly Block[], watch: Watch, signal: AbortSignal): Promise<TurnEnd> {
    // A cancelled turn begins and ends at once.
    await unlessAborted(this.#prepareServers(), signal).catch(() => undefined);
    for await (const event of this.#agent.run(prompt, { signal })) {
      for (const each of [this.tally, this.total]) each.count(event);
      for (const notice of await this.#session.observe(event)) await watch(notice);
      if (event.type === 'turn-end') await this.#parts.hooks?.end(event, signal);
      await watch(event);
      if (event.type === 'turn-end') return event;
    }
    throw new SimpleAgentsError('internal', 'the turn ended without a turn-end event');
  }

  get mcpServers(): readonly McpServerState[] {
    return this.#parts.mcp?.servers ?? [];
  }

  /** The first turn waits for the servers, so that the model has their tools. Never rejects. */
  async #prepareServers(): Promise<void> {
    const { mcp, warn } = this.#parts;
    if (mcp === undefined) return;
    const timer = setTimeout(() => warn(`waiting for ${describeWaiting(mcp.servers)}`), serverPatience);
    await mcp.ready().finally(() => clearTimeout(timer));
    await mcp.refresh();
  }

  /** Also during a turn: the next request goes to the new model. Undefined: the default model. */
  async switchModel(name?: string): Promise<void> {
    const model = await this.#parts.connectModel(name);
    this.#retired.push(this.#model);
    this.#model = model;
    if (!this.#isRunning) await this.#closeRetired();
  }

  async compact(watch: Watch, signal: AbortSignal): Promise<ContextTrim | undefined> {
    this.#throwIfOverspent();
    return this.#agent.compact({ signal, onRetry: watch });
  }

  /** Switches to another session and its conversation, or to a new, empty one. */
  async begin(resumed?: LoadedSession): Promise<void> {
    await this.#session.close();
    this.#session = this.#openSession(resumed);
    this.tally = new UsageTally();
    await this.#parts.beginReads(resumed);
    this.#agent.reset(resumed?.messages);
  }

  async close(): Promise<void> {
    await Promise.all([this.#session.close(), this.#parts.mcp?.close()]);
    await this.#closeRetired();
    await this.#model.gateway.close();
  }

  async #closeRetired(): Promise<void> {
    for (const { gateway } of this.#retired.splice(0)) await gateway.close();
  }

  #openSession(resumed: LoadedSession | undefined, uuid?: string): SessionRecorder {
    const { root, warn, isRecorded } = this.#parts;
    if (!isRecorded) return openUnrecordedSession(uuid);
    const resume = resumed === undefined ? omitUndefined({ uuid }) : { resume: resumed };
    return openSession({ folder: root, cwd: root, version, model: this.modelName, warn, ...resume });
  }

  /** Delegates to the current model, which `switchModel` can replace. */
  #toSource(): ModelSource {
    return {
      name: 'forgeflare',
      open: (request, signal, context) => this.#source.open(this.#withReasoning(request), signal, context),
      costOf: (response) => this.#model.gateway.costOf(response),
      contextWindowOf: (name) => this.#model.gateway.contextWindowOf(name),
    };
  }

  get #source(): ModelSource {
    const { gateway, takesCacheMarkers } = this.#model;
    return takesCacheMarkers ? withPromptCache(gateway) : gateway;
  }

  #withReasoning(request: ChatRequest): ChatRequest {
    if (this.effort === undefined && this.reasoningTokens === undefined) return request;
    return { ...request, reasoning: omitUndefined({ effort: this.effort, budgetTokens: this.reasoningTokens }) };
  }

  #throwIfOverspent(): void {
    const { maxCost } = this.#parts;
    const { cost = 0 } = this.total;
    if (maxCost === undefined || cost < maxCost) return;
    throw new SimpleAgentsError(
      'bad-request',
      `the limit of --max-cost is reached (${formatDollars(cost)} spent); restart with a higher one`,
      { field: 'cost' },
    );
  }
}

function describeWaiting(servers: readonly McpServerState[]): string {
  const names = servers.filter(({ status }) => status === 'connecting').map(({ name }) => name);
  return `the MCP ${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}`;
}
