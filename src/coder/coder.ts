// The coding agent: an agent with its model, tools, policies, hooks and session. It knows no keyboard and no screen; a
// front end passes in functions that ask the user.
// Invariant: provider keys reach only the model's transport.

import { createAgent, type Agent, type ModelSource } from '../agent/agent.ts';
import type { AgentEvent, ContextTrim, TurnEnd } from '../agent/event.ts';
import type { Hooks } from './hooks/hooks.ts';
import type { PolicySource } from '../agent/policy.ts';
import { withPromptCache } from '../agent/prompt-cache.ts';
import { openSession, type SessionRecorder } from './session/recorder.ts';
import type { LoadedSession } from './session/store.ts';
import type { Tool } from '../agent/tool.ts';
import { formatDollars } from '../core/dollars.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { version } from '../core/version.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { UsageTally } from './usage-tally.ts';

/** The model that a coding agent uses. The front end resolves and connects it. */
export interface AgentModel {
  readonly gateway: Gateway;
  /** With its provider: `anthropic/claude-opus-4-6`. */
  readonly name: string;
  /** Without user name and password. Undefined for the simulated model. */
  readonly apiUrl?: string;
  readonly isSimulated: boolean;
  /** No other provider is configured. */
  readonly isOnlyProvider: boolean;
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
  readonly connectModel: (name: string) => Promise<AgentModel>;
  readonly maxTokens: number;
  /** US dollars for the run. */
  readonly maxCost?: number;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly policies: readonly PolicySource[];
  readonly hooks?: Hooks;
  readonly resumed?: LoadedSession;
  readonly warn: (line: string) => void;
}

/** Receives every event, in order. */
export type Watch = (event: AgentEvent) => Promise<void>;

export class Coder {
  /** The current session, counted from when this process started or resumed it. */
  tally = new UsageTally();
  /** All sessions of this process. */
  readonly total = new UsageTally();
  readonly #parts: CoderParts;
  readonly #agent: Agent;
  #model: AgentModel;
  #session: SessionRecorder;

  constructor(parts: CoderParts) {
    const { system, tools, policies, resumed, maxTokens, maxCost } = parts;
    this.#parts = parts;
    this.#model = parts.model;
    this.#session = this.#openSession(resumed);
    this.#agent = createAgent({
      client: { provider: this.#toSource() },
      system,
      tools,
      policies,
      maxTokens,
      limits: omitUndefined({ cost: maxCost }),
      ...(resumed === undefined ? {} : { messages: resumed.messages }),
      onHistory: (change) => this.#session.onHistory(change),
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

  get messageCount(): number {
    return this.#agent.messages.length;
  }

  /** In tokens, if known. */
  get contextWindow(): number | undefined {
    return this.#model.gateway.contextWindowOf();
  }

  /** Runs one turn and returns how it ended. */
  async run(prompt: string, watch: Watch, signal: AbortSignal): Promise<TurnEnd> {
    this.#throwIfOverspent();
    for await (const event of this.#agent.run(prompt, { signal })) {
      for (const each of [this.tally, this.total]) each.count(event);
      for (const notice of await this.#session.observe(event)) await watch(notice);
      if (event.type === 'turn-end') await this.#parts.hooks?.end(event, signal);
      await watch(event);
      if (event.type === 'turn-end') return event;
    }
    throw new SimpleAgentsError('internal', 'the turn ended without a turn-end event');
  }

  async switchModel(name: string): Promise<void> {
    const before = this.#model;
    this.#model = await this.#parts.connectModel(name);
    await before.gateway.close();
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
    this.#agent.reset(resumed?.messages);
  }

  async close(): Promise<void> {
    await this.#session.close();
    await this.#model.gateway.close();
  }

  #openSession(resumed: LoadedSession | undefined): SessionRecorder {
    const { root, warn } = this.#parts;
    const resume = resumed === undefined ? {} : { resume: resumed };
    return openSession({ folder: root, cwd: root, version, model: this.modelName, warn, ...resume });
  }

  /** Delegates to the current model, which `switchModel` can replace. */
  #toSource(): ModelSource {
    return {
      name: 'forgeflare',
      open: (request, signal, context) => this.#source.open(request, signal, context),
      costOf: (response) => this.#model.gateway.costOf(response),
      contextWindowOf: (name) => this.#model.gateway.contextWindowOf(name),
    };
  }

  get #source(): ModelSource {
    const { gateway, takesCacheMarkers } = this.#model;
    return takesCacheMarkers ? withPromptCache(gateway) : gateway;
  }

  #throwIfOverspent(): void {
    const { maxCost } = this.#parts;
    const { cost = 0 } = this.total;
    if (maxCost === undefined || cost < maxCost) return;
    throw new SimpleAgentsError(
      'bad-request',
      `the limit of --max-cost is reached (${formatDollars(cost)} spent); restart with a higher one`,
    );
  }
}
