// `createAgent`: a model, tools and a conversation that continues from run to run. This file holds the options and their
// defaults; loop.ts does the work.

import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { text, type Block, type Message } from '../core/message.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { checkShape } from '../core/shape.ts';
import type { BilledUsage } from '../core/usage.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { CallIds } from './call-id.ts';
import { defaultRetry, type RetryPlan } from './model-call.ts';
import type { Emit } from './event-queue.ts';
import type { AgentNotice, ContextTrim, RetryWait, TurnEnd } from './event.ts';
import { History, isBlank, type HistoryObserver } from './history.ts';
import { compactHistory, runTurn, type TurnLimits, type LoopOptions, type TurnControl } from './loop.ts';
import { agentOptionShape, messagesShape, promptShape } from './option-shape.ts';
import type { PolicySource } from './policy.ts';
import { repairHistory } from './repair.ts';
import { AgentRun, type AgentResult } from './run.ts';
import { checkSubagents, type Subagent, type SubagentObserver } from './subagent.ts';
import { createTaskTool } from './task-tool.ts';
import { indexTools, invalidOption, type Tool } from './tool.ts';
import type { Spending } from './turn-state.ts';

/** A provider that may also know the cost of its responses and the context windows of its models. */
export interface ModelSource extends Provider {
  costOf?(response: BilledUsage): number | undefined;
  contextWindowOf?(model: string): number | undefined;
}

type RequestOptions = Pick<
  ChatRequest,
  'temperature' | 'topP' | 'stop' | 'seed' | 'reasoning' | 'parallelToolCalls' | 'user' | 'extra'
>;

export interface AgentOptions extends RequestOptions {
  /** A client made by `createClient`: any model of any provider. */
  readonly client?: { readonly provider: ModelSource };
  /** One provider instead of a client. Its tool calls are checked, not healed; see `withHealing`. */
  readonly provider?: ModelSource;
  /** The client's name for the model. Default: the client's default model. */
  readonly model?: string;
  readonly system?: string;
  /** A list, or a function that returns the list for each turn. */
  readonly tools?: readonly Tool[] | (() => readonly Tool[]);
  /**
   * Agents for single tasks. With at least one, the model gets the tool `Task`; the first is the default. They use this
   * agent's provider and policies, and count to its usage and cost.
   */
  readonly subagents?: readonly Subagent[];
  /** A conversation to continue. Invalid parts are repaired, and a notice reports each repair at the first run. */
  readonly messages?: readonly Message[];
  /** Limit for one response. Default: 16,384. */
  readonly maxTokens?: number;
  /** Default: 50 batches of tool calls and 3 continuations in a turn, no cost limit. */
  readonly limits?: Partial<TurnLimits>;
  /** Default: four retries after 2, 4, 8 and 16 seconds; a truncated response starts over. */
  readonly retry?: Partial<RetryPlan>;
  /** In tokens. Default: the model's known window, else 200,000. */
  readonly contextWindow?: number;
  /** Have the model summarise old exchanges before they are removed from the context. */
  readonly compaction?: boolean;
  /** Permissions, hooks, audit: functions around the tools, outermost first. */
  readonly policies?: readonly PolicySource[];
  /** Called at every change of the conversation, for example to store it. */
  readonly onHistory?: HistoryObserver;
  /** Called at every change of a subagent's conversation. */
  readonly onSubagentHistory?: SubagentObserver;
  /** Called with the usage and cost of each model response, including summaries and truncated or cancelled ones. */
  readonly onSpend?: (spending: Spending) => void;
  /** Time and randomness; tests replace it. */
  readonly clock?: Clock;
}

export interface CompactOptions {
  readonly signal?: AbortSignal;
  /** Called before each pause between retries. */
  readonly onRetry?: (wait: RetryWait) => void | Promise<void>;
}

export interface Agent {
  /** Runs one turn. Throws `bad-request` while another run is active. */
  run(prompt: string | readonly Block[], options?: { readonly signal?: AbortSignal }): AgentRun;
  readonly messages: readonly Message[];
  /** Replaces the conversation; without an argument, empties it. */
  reset(messages?: readonly Message[]): void;
  /** Replaces the conversation by a summary that the model writes. Resolves to undefined if there is nothing to summarise. */
  compact(options?: CompactOptions): Promise<ContextTrim | undefined>;
}

const never = new AbortController().signal;
const defaultWindow = 200_000;
const defaultMaxTokens = 16_384;
const defaultLimits: TurnLimits = { iterations: 50, continuations: 3 };

/** Sends no request before the first run. Throws `configuration` for invalid options. */
export function createAgent(options: AgentOptions): Agent {
  const agent = new LoopAgent(options);
  return {
    run: (prompt, more) => agent.run(prompt, more),
    get messages() {
      return agent.messages;
    },
    reset: (messages) => agent.reset(messages),
    compact: (more) => agent.compact(more),
  };
}

class LoopAgent implements Agent {
  readonly #source: ModelSource;
  readonly #options: AgentOptions;
  /** The options of a turn. They differ between turns only in the tools. */
  readonly #loop: () => Omit<LoopOptions, 'history'>;
  /** The ids of calls that subagents made. */
  readonly #subagentCallIds = new Set<string>();
  #history: History;
  #notices: AgentNotice[] = [];
  /** The active run. */
  #active: object | undefined;

  constructor(options: AgentOptions) {
    checkShape(agentOptionShape, options, { kind: 'configuration' });
    this.#options = options;
    this.#source = sourceOf(options);
    this.#loop = this.#loopFor(options);
    this.#history = this.#load(options.messages ?? []);
  }

  get messages(): readonly Message[] {
    return this.#history.messages;
  }

  run(prompt: string | readonly Block[], { signal }: { readonly signal?: AbortSignal } = {}): AgentRun {
    const content = toPrompt(prompt);
    return new AgentRun({
      start: (control) => this.#start(content, control),
      resultOf: (end) => this.#resultOf(end),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  reset(messages: readonly Message[] = []): void {
    this.#throwIfBusy();
    checkShape(messagesShape, messages, { kind: 'bad-request', name: 'messages' });
    this.#history = this.#load(messages);
  }

  async compact({ signal = never, onRetry }: CompactOptions = {}): Promise<ContextTrim | undefined> {
    const release = this.#occupy();
    const emit: Emit = async (event) => (event.type === 'retry-wait' ? onRetry?.(event) : undefined);
    const control = { emit, signal };
    return compactHistory(0, { ...this.#loop(), history: this.#history }, control).finally(release);
  }

  async #start(content: readonly Block[], { emit, signal }: TurnControl): Promise<void> {
    const release = this.#occupy();
    const emitWithNotices: Emit = (event) => {
      // A caller that has read the end may start the next run immediately.
      if (event.type === 'turn-end') release();
      const emitted = emit(event);
      return event.type === 'turn-start' && this.#notices.length > 0 ? this.#emitNotices(emit) : emitted;
    };
    try {
      await runTurn(content, { ...this.#loop(), history: this.#history }, { emit: emitWithNotices, signal });
    } finally {
      release();
    }
  }

  async #emitNotices(emit: Emit): Promise<void> {
    for (const notice of this.#notices.splice(0)) await emit(notice);
  }

  /** Marks the agent as busy and returns the function that ends that. */
  #occupy(): () => void {
    this.#throwIfBusy();
    const run = {};
    this.#active = run;
    return () => {
      if (this.#active === run) this.#active = undefined;
    };
  }

  #throwIfBusy(): void {
    if (this.#active === undefined) return;
    throw new SimpleAgentsError(
      'bad-request',
      'the agent is already running; await the previous run, or create a second agent',
    );
  }

  #load(messages: readonly Message[]): History {
    const repaired = repairHistory(messages);
    this.#notices = repaired.problems.map((problem) => ({
      type: 'notice',
      kind: 'history-repair',
      detail: `the conversation was repaired: ${problem}`,
    }));
    return new History(repaired.messages, this.#options.onHistory);
  }

  /** A list of tools is checked at once, the result of a function at each turn. */
  #loopFor(options: AgentOptions): () => Omit<LoopOptions, 'history'> {
    const { tools = [] } = options;
    const toLoop = (list: readonly Tool[]) => this.#withSubagents(this.#toLoop(options, list));
    if (typeof tools === 'function') return () => toLoop(tools());
    const loop = toLoop(tools);
    return () => loop;
  }

  #toLoop(options: AgentOptions, tools: readonly Tool[]): Omit<LoopOptions, 'history'> {
    const { model = '', maxTokens = defaultMaxTokens, system, clock = systemClock } = options;
    const { temperature, topP, stop, seed, reasoning, parallelToolCalls, user, extra } = options;
    const more = { temperature, topP, stop, seed, reasoning, parallelToolCalls, user, extra };
    return {
      provider: this.#source,
      request: { model, maxTokens, ...omitUndefined(more) },
      ...(system === undefined || system.trim() === '' ? {} : { system }),
      tools: indexTools(tools),
      policies: options.policies ?? [],
      limits: { ...defaultLimits, ...options.limits },
      retry: { ...defaultRetry, ...options.retry },
      compaction: options.compaction ?? false,
      windowOf: (name) => this.#windowOf(name),
      costOf: (response) => this.#source.costOf?.(response),
      ...omitUndefined({ onSpend: options.onSpend }),
      callIdsOf: (messages) => new CallIds(messages, new Set(this.#subagentCallIds)),
      clock,
    };
  }

  #withSubagents(loop: Omit<LoopOptions, 'history'>): Omit<LoopOptions, 'history'> {
    const [first, ...others] = this.#options.subagents ?? [];
    if (first === undefined) return loop;
    checkSubagents([first, ...others], loop.tools);
    const host = {
      loop,
      messages: () => this.messages,
      callIds: this.#subagentCallIds,
      ...omitUndefined({ onHistory: this.#options.onSubagentHistory }),
    };
    return { ...loop, tools: indexTools([...loop.tools.values(), createTaskTool([first, ...others], host)]) };
  }

  #windowOf(model: string): number {
    const { contextWindow } = this.#options;
    const known = contextWindow ?? this.#source.contextWindowOf?.(model);
    return known ?? defaultWindow;
  }

  #resultOf({ type: _type, duration: _duration, error: _error, ...end }: TurnEnd): AgentResult {
    return { ...end, messages: this.messages };
  }
}

function sourceOf({ client, provider }: AgentOptions): ModelSource {
  if (client !== undefined && provider !== undefined)
    return invalidOption('provider', 'cannot be combined with client; pass only one');
  if (client !== undefined) return client.provider;
  return provider ?? invalidOption('client', 'is missing; pass one, for example client: createClient()');
}

const promptTypes: readonly Block['type'][] = ['text', 'image', 'audio', 'document'];

function toPrompt(prompt: string | readonly Block[]): readonly Block[] {
  checkShape(promptShape, prompt, { kind: 'bad-request', name: 'prompt' });
  const content = (typeof prompt === 'string' ? [text(prompt)] : prompt).filter((block) => !isBlank(block));
  const wrong = content.find(({ type }) => !promptTypes.includes(type));
  const problem =
    wrong === undefined ? 'must not be empty' : `a block of type "${wrong.type}" is not allowed in a prompt`;
  if (content.length > 0 && wrong === undefined) return content;
  throw new SimpleAgentsError('bad-request', `prompt: ${problem}`, { field: 'prompt' });
}
