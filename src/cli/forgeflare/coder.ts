// The coding agent put together: model, tools, permission, sandbox, hooks and session, for whoever shows it. It knows
// neither keyboard nor screen: whoever can be asked comes in as functions.
// Invariant: keys of providers reach the model's transport and nothing else here.

import { createAgent, type Agent, type ModelSource } from '../../agent/agent.ts';
import type { AgentEvent, ContextTrim, TurnEnd } from '../../agent/event.ts';
import type { Hooks } from '../../coder/hooks/hooks.ts';
import type { PolicySource } from '../../agent/policy.ts';
import { withPromptCache } from '../../agent/prompt-cache.ts';
import { openSession, type SessionRecorder } from '../../coder/session/recorder.ts';
import type { LoadedSession } from '../../coder/session/store.ts';
import type { Tool } from '../../agent/tool.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { version } from '../../core/version.ts';
import { describeCost } from '../answer.ts';
import { nameOf } from '../simple-agents/default-model.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { RunFlags } from './flags.ts';
import { connectAgent, takesCacheMarkers, type AgentModel } from './model.ts';
import { Tally } from './tally.ts';

/** What a coder is made of. */
export interface CoderParts {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  /** The project's real path. */
  readonly root: string;
  readonly model: AgentModel;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly policies: readonly PolicySource[];
  readonly hooks?: Hooks;
  readonly resumed?: LoadedSession;
  readonly warn: (line: string) => void;
}

/** Is told every event, in order. */
export type Watch = (event: AgentEvent) => Promise<void>;

export class Coder {
  /** Of the session, since it was begun or resumed here. */
  tally = new Tally();
  /** Of the whole run. */
  readonly total = new Tally();
  readonly #parts: CoderParts;
  readonly #agent: Agent;
  #model: AgentModel;
  #session: SessionRecorder;

  constructor(parts: CoderParts) {
    const { flags, system, tools, policies, resumed } = parts;
    this.#parts = parts;
    this.#model = parts.model;
    this.#session = this.#openSession(resumed);
    this.#agent = createAgent({
      client: { provider: this.#toSource() },
      system,
      tools,
      policies,
      maxTokens: flags.maxTokens,
      limits: omitUndefined({ cost: flags.maxCost }),
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
    return nameOf(this.#model.target);
  }

  get sessionId(): string {
    return this.#session.id;
  }

  get messageCount(): number {
    return this.#agent.messages.length;
  }

  /** How much the model reads at once, in tokens, where that is known. */
  get contextWindow(): number | undefined {
    return this.#model.gateway.contextWindowOf();
  }

  /** One turn, to its end, whatever that is. */
  async run(prompt: string, watch: Watch, signal: AbortSignal): Promise<TurnEnd> {
    this.#refuseOverspent();
    for await (const event of this.#agent.run(prompt, { signal })) {
      for (const each of [this.tally, this.total]) each.count(event);
      for (const notice of await this.#session.observe(event)) await watch(notice);
      if (event.type === 'turn-end') await this.#parts.hooks?.end(event, signal);
      await watch(event);
      if (event.type === 'turn-end') return event;
    }
    throw new SimpleAgentsError('internal', 'the turn ended without saying so');
  }

  async switchModel(name: string): Promise<void> {
    const { flags, terminal } = this.#parts;
    const before = this.#model;
    const { provider: _provider, apiUrl: _apiUrl, ...others } = flags;
    // An address of the user's stays where the user says nothing else.
    const kept = name.includes('/') ? others : flags;
    this.#model = await connectAgent({ ...kept, model: name }, terminal);
    await before.gateway.close();
  }

  async compact(watch: Watch, signal: AbortSignal): Promise<ContextTrim | undefined> {
    this.#refuseOverspent();
    return this.#agent.compact({ signal, onRetry: watch });
  }

  /** Another session, with its conversation; without one, a new one with none. */
  async begin(resumed?: LoadedSession): Promise<void> {
    await this.#session.close();
    this.#session = this.#openSession(resumed);
    this.tally = new Tally();
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

  /** Asks whichever model is the agent's at the moment. */
  #toSource(): ModelSource {
    return {
      name: 'forgeflare',
      open: (request, signal, context) => this.#source.open(request, signal, context),
      costOf: (answer) => this.#model.gateway.costOf(answer),
      contextWindowOf: (name) => this.#model.gateway.contextWindowOf(name),
    };
  }

  get #source(): ModelSource {
    const { gateway, target } = this.#model;
    return takesCacheMarkers(target) ? withPromptCache(gateway) : gateway;
  }

  #refuseOverspent(): void {
    const { maxCost } = this.#parts.flags;
    const { cost = 0 } = this.total;
    if (maxCost === undefined || cost < maxCost) return;
    throw new SimpleAgentsError('bad-request', `--max-cost: ${describeCost(cost)} is spent; start again with more`);
  }
}
