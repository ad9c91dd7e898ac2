// What a library user makes: a model, tools and a conversation that goes on from run to run. Everything that happens is
// the loop's; here are the defaults.

import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { text, type Block, type Message } from '../core/message.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import type { BilledUsage } from '../core/usage.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { defaultRetry, type RetryPlan } from './model-call.ts';
import type { Emit } from './event-queue.ts';
import type { AgentNotice, ContextTrim, RetryWait, TurnEnd } from './event.ts';
import { History, isBlank, type HistoryObserver } from './history.ts';
import { compactHistory, runTurn, type TurnLimits, type LoopOptions, type TurnControl } from './loop.ts';
import type { PolicySource } from './policy.ts';
import { repairHistory } from './repair.ts';
import { AgentRun, type AgentResult } from './run.ts';
import { indexTools, invalidOption, type Tool } from './tool.ts';
import type { Spending } from './turn-state.ts';

/** A provider that may know what its answers cost and how much its models read. */
export interface ModelSource extends Provider {
  costOf?(response: BilledUsage): number | undefined;
  contextWindowOf?(model: string): number | undefined;
}

type RequestOptions = Pick<
  ChatRequest,
  'temperature' | 'topP' | 'stop' | 'seed' | 'reasoning' | 'parallelToolCalls' | 'user' | 'extra'
>;

export interface AgentOptions extends RequestOptions {
  /** From `createClient`: any model of any provider. */
  readonly client?: { readonly provider: ModelSource };
  /** Instead of a client: one provider. Its tool calls are checked, not healed; see `withHealing`. */
  readonly provider?: ModelSource;
  /** As the client knows it; left out, the client's default. */
  readonly model?: string;
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /** A conversation to go on from. What is not valid in it is mended, and told at the first run. */
  readonly messages?: readonly Message[];
  /** For one answer; 16,384 when left out. */
  readonly maxTokens?: number;
  /** 50 batches of tools and 3 continuations in a turn; no limit of cost. */
  readonly limits?: Partial<TurnLimits>;
  /** Pauses of 2, 4, 8 and 16 seconds, and a cut answer begins anew. */
  readonly retry?: Partial<RetryPlan>;
  /** In tokens; left out, what is known of the model, else 200,000. */
  readonly contextWindow?: number;
  /** Have the model sum up old exchanges before they leave the context. */
  readonly compaction?: boolean;
  /** Permission, hooks, audit: functions around the tools, the outermost first. */
  readonly policies?: readonly PolicySource[];
  /** Told of every change of the conversation, for whoever keeps it. */
  readonly onHistory?: HistoryObserver;
  /** Takes what each answer of the model used and cost: in a turn, for a summary, also when it was cut or cancelled. */
  readonly onSpend?: (spending: Spending) => void;
  /** Time and chance, for tests. */
  readonly clock?: Clock;
}

export interface CompactOptions {
  readonly signal?: AbortSignal;
  /** Before each pause, when the model failed and is asked again. */
  readonly onRetry?: (wait: RetryWait) => void | Promise<void>;
}

export interface Agent {
  /** One turn: the prompt, and all the model does about it. Runs follow each other; two at once are refused. */
  run(prompt: string | readonly Block[], options?: { readonly signal?: AbortSignal }): AgentRun;
  readonly messages: readonly Message[];
  /** Another conversation, or none. */
  reset(messages?: readonly Message[]): void;
  /** Has the model sum up the conversation, and goes on from the summary. Nothing when there is nothing to sum up. */
  compact(options?: CompactOptions): Promise<ContextTrim | undefined>;
}

const never = new AbortController().signal;
const defaultWindow = 200_000;
const defaultMaxTokens = 16_384;
const defaultLimits: TurnLimits = { iterations: 50, continuations: 3 };

/** Nothing is asked before the first run. Throws `configuration` for options that cannot be meant. */
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
  readonly #loop: Omit<LoopOptions, 'history'>;
  #history: History;
  #notices: AgentNotice[] = [];
  /** The run under way. */
  #active: object | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#source = sourceOf(options);
    this.#loop = this.#toLoop(options);
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
    this.#refuseBusy();
    this.#history = this.#load(messages);
  }

  async compact({ signal = never, onRetry }: CompactOptions = {}): Promise<ContextTrim | undefined> {
    const release = this.#occupy();
    const emit: Emit = async (event) => (event.type === 'retry-wait' ? onRetry?.(event) : undefined);
    const control = { emit, signal };
    return compactHistory(0, { ...this.#loop, history: this.#history }, control).finally(release);
  }

  async #start(content: readonly Block[], { emit, signal }: TurnControl): Promise<void> {
    const release = this.#occupy();
    const tell: Emit = (event) => {
      // Whoever has read the end may begin the next run at once.
      if (event.type === 'turn-end') release();
      const told = emit(event);
      return event.type === 'turn-start' && this.#notices.length > 0 ? this.#tellNotices(emit) : told;
    };
    try {
      await runTurn(content, { ...this.#loop, history: this.#history }, { emit: tell, signal });
    } finally {
      release();
    }
  }

  async #tellNotices(emit: Emit): Promise<void> {
    for (const notice of this.#notices.splice(0)) await emit(notice);
  }

  /** Gives the way to let go again. */
  #occupy(): () => void {
    this.#refuseBusy();
    const run = {};
    this.#active = run;
    return () => {
      if (this.#active === run) this.#active = undefined;
    };
  }

  #refuseBusy(): void {
    if (this.#active === undefined) return;
    throw new SimpleAgentsError('bad-request', 'the agent is at work; await the run before it, or make a second agent');
  }

  #load(messages: readonly Message[]): History {
    const repaired = repairHistory(messages);
    this.#notices = repaired.problems.map((problem) => ({
      type: 'notice',
      kind: 'history-repair',
      detail: `the conversation was mended: ${problem}`,
    }));
    return new History(repaired.messages, this.#options.onHistory);
  }

  #toLoop(options: AgentOptions): Omit<LoopOptions, 'history'> {
    const { model = '', maxTokens = defaultMaxTokens, system, clock = systemClock } = options;
    const { temperature, topP, stop, seed, reasoning, parallelToolCalls, user, extra } = options;
    const more = { temperature, topP, stop, seed, reasoning, parallelToolCalls, user, extra };
    return {
      provider: this.#source,
      request: { model, maxTokens, ...omitUndefined(more) },
      ...(system === undefined || system.trim() === '' ? {} : { system }),
      tools: indexTools(options.tools ?? []),
      policies: options.policies ?? [],
      limits: { ...defaultLimits, ...options.limits },
      retry: { ...defaultRetry, ...options.retry },
      compaction: options.compaction ?? false,
      windowOf: (name) => this.#windowOf(name),
      costOf: (response) => this.#source.costOf?.(response),
      ...omitUndefined({ onSpend: options.onSpend }),
      clock,
    };
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
    return invalidOption('provider', 'cannot stand beside client; keep one');
  if (client !== undefined) return client.provider;
  return provider ?? invalidOption('client', 'is missing; say who answers: client: createClient()');
}

const promptTypes: readonly Block['type'][] = ['text', 'image', 'audio', 'document'];

function toPrompt(prompt: string | readonly Block[]): readonly Block[] {
  const content = (typeof prompt === 'string' ? [text(prompt)] : prompt).filter((block) => !isBlank(block));
  const wrong = content.find(({ type }) => !promptTypes.includes(type));
  const problem = wrong === undefined ? 'must not be empty' : `a user does not say a block of type "${wrong.type}"`;
  if (content.length > 0 && wrong === undefined) return content;
  throw new SimpleAgentsError('bad-request', `prompt: ${problem}`, { field: 'prompt' });
}
