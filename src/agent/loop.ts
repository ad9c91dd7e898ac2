// The agent loop: call the model, look at its stop reason, run its tools, send all results in one message, and repeat until
// the model ends the turn. It takes a provider, tools, a conversation and policies, and emits events. It knows no terminal,
// protocol, permission or hook.
// Invariants:
//   1. The conversation is valid for every wire whenever a request is sent and after every turn, however it ended.
//   2. A turn never throws. To stop it, abort the signal and read to the end.

import { toError, type SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { text, textOf, type Block, type Message } from '../core/message.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import type { Clock } from '../core/clock.ts';
import type { CostOf } from '../core/usage.ts';
import { nextStep, checkResponse, type CheckedResponse } from './response.ts';
import { callModel, ResponseProgress, type ModelResponse, type RetryPlan } from './model-call.ts';
import { continuationPrompt, sizeOf } from './context.ts';
import { dispatch } from './dispatch.ts';
import type { Emit } from './event-queue.ts';
import type { ContextTrim, TurnEndReason } from './event.ts';
import { placeholders, withoutCalls, type History } from './history.ts';
import type { PolicySource, SubagentIdentity, ToolPolicy } from './policy.ts';
import { ContextBudget } from './context-budget.ts';
import { CallIds, ResponseCallIds } from './call-id.ts';
import type { Tool, TurnAccount } from './tool.ts';
import { TurnState, type Spending } from './turn-state.ts';

export interface LoopOptions {
  /** Must not retry: the loop does. */
  readonly provider: Provider;
  readonly request: Omit<ChatRequest, 'messages' | 'tools' | 'stream'>;
  readonly system?: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly history: History;
  readonly policies: readonly PolicySource[];
  readonly limits: TurnLimits;
  readonly retry: RetryPlan;
  /** The model's context window, in tokens. */
  readonly windowOf: (model: string) => number;
  /** Summarise old exchanges before they are removed. */
  readonly compaction: boolean;
  readonly costOf: CostOf;
  /** Called with the usage and cost of each response when it has ended. */
  readonly onSpend?: (spending: Spending) => void;
  /** The ids that calls may not have, because other calls have them: at least those of the messages. */
  readonly callIdsOf: (messages: readonly Message[]) => CallIds;
  /** Set for a subagent. */
  readonly parent?: ParentTurn;
  readonly clock: Clock;
}

/** What a subagent has to know about the turn that started it. */
export interface ParentTurn {
  readonly identity: SubagentIdentity;
  readonly isOverBudget: () => boolean;
}

export interface TurnLimits {
  /** Batches of tool calls in a turn. */
  readonly iterations: number;
  /** How often a turn asks the model to continue a truncated response. */
  readonly continuations: number;
  /** US dollars for a turn, checked before each further model call. */
  readonly cost?: number;
  /** Model responses in a turn. The tool calls of the last one still run. */
  readonly responses?: number;
}

export interface TurnControl {
  readonly emit: Emit;
  readonly signal: AbortSignal;
}

export async function runTurn(prompt: readonly Block[], options: LoopOptions, control: TurnControl): Promise<void> {
  const { history, clock, request } = options;
  const begun = clock.now();
  const turn = new LoopTurn(options, control);
  history.addPrompt(prompt);
  await control.emit({ type: 'turn-start', prompt: { role: 'user', content: prompt }, model: request.model });
  const { reason, error } = await turn.run();
  const { text: words, usage, cost, iterations } = turn.state;
  const duration = clock.now() - begun;
  await control.emit(
    omitUndefined({ type: 'turn-end', reason, error, text: words, usage, cost, iterations, duration }),
  );
}

/** Replaces all but the last `keep` exchanges by a summary. Throws the error of the model call if it fails. */
export function compactHistory(
  keep: number,
  options: LoopOptions,
  control: TurnControl,
): Promise<ContextTrim | undefined> {
  return new LoopTurn(options, control).contextBudget.compact(keep);
}

/** How a call outside the conversation differs from a normal one. */
interface CallOverrides {
  readonly more?: Partial<ChatRequest>;
  readonly progress?: ResponseProgress;
  readonly emit?: Emit;
}

interface TurnOutcome {
  readonly reason: TurnEndReason;
  readonly error?: SimpleAgentsError;
}

class LoopTurn {
  readonly state: TurnState;
  readonly contextBudget: ContextBudget;
  readonly #options: LoopOptions;
  readonly #emit: Emit;
  readonly #signal: AbortSignal;
  readonly #progress = new ResponseProgress();
  /** Of the current response. */
  #callIds = new ResponseCallIds(new CallIds());
  readonly #policies: readonly ToolPolicy[];
  readonly #definitions: NonNullable<ChatRequest['tools']>;
  readonly #account: TurnAccount = {
    spend: (spending) => {
      this.state.add(spending);
      this.#options.onSpend?.(spending);
    },
    isExhausted: () => this.#overBudget() !== undefined,
  };
  /** Bytes sent with every request in addition to the messages. */
  readonly #overhead: number;

  constructor(options: LoopOptions, { emit, signal }: TurnControl) {
    this.#options = options;
    this.#emit = emit;
    this.#signal = signal;
    this.state = new TurnState(options.request.model);
    this.#policies = options.policies.map((policy) => (typeof policy === 'function' ? policy() : policy));
    this.#definitions = [...options.tools.values()].map(({ definition }) => definition);
    this.#overhead = (options.system?.length ?? 0) + JSON.stringify(this.#definitions).length;
    this.contextBudget = new ContextBudget({
      ...options,
      emit,
      signal,
      turn: this.state,
      overhead: this.#overhead,
      ask: (messages) => this.#callAside(messages),
    });
  }

  async run(): Promise<TurnOutcome> {
    try {
      for (;;) {
        await this.contextBudget.enforce();
        const response = await this.#callWithinWindow();
        this.state.measure(response, sizeOf(this.#options.history.messages) + this.#overhead);
        const reason = await this.#finalize(response);
        if (reason !== undefined) return { reason };
      }
    } catch (thrown) {
      return this.#signal.aborted ? this.#interrupt() : this.#fail(toError(thrown));
    }
  }

  /** If the context window turns out smaller than assumed, the conversation is halved until it fits. */
  async #callWithinWindow(): Promise<ModelResponse> {
    const { history, callIdsOf } = this.#options;
    this.#callIds = new ResponseCallIds(callIdsOf(history.messages));
    const emit: Emit = (event) =>
      this.#emit(event.type === 'model-event' ? { ...event, event: this.#callIds.rename(event.event) } : event);
    for (;;) {
      try {
        return await this.#call(history.messages, { emit });
      } catch (thrown) {
        const isFull = !this.#signal.aborted && toError(thrown).kind === 'context-overflow';
        if (!isFull || !(await this.contextBudget.halve())) throw thrown;
      }
    }
  }

  async #call(messages: readonly Message[], { more, ...how }: CallOverrides = {}): Promise<ModelResponse> {
    const { provider, retry, clock, system, request } = this.#options;
    const sent: ChatRequest = {
      ...request,
      ...more,
      messages: system === undefined ? messages : [{ role: 'system', content: [text(system)] }, ...messages],
      ...(this.#definitions.length === 0 ? {} : { tools: this.#definitions }),
      stream: true,
    };
    const onUsage = (response: ModelResponse): void => this.#addUsage(response);
    const options = { provider, retry, clock, progress: this.#progress, emit: this.#emit, onUsage, ...how };
    return callModel(sent, options, this.#signal);
  }

  #addUsage(response: ModelResponse): void {
    const { costOf, onSpend } = this.#options;
    const spending = this.state.addResponse(response, costOf);
    onSpend?.(spending);
  }

  /** Calls the model outside the conversation, without showing the response and without tool calls. */
  async #callAside(messages: readonly Message[]): Promise<Message> {
    const more: Partial<ChatRequest> = this.#definitions.length === 0 ? {} : { toolChoice: 'none' };
    const emit: Emit = async (event) => (event.type === 'retry-wait' ? this.#emit(event) : undefined);
    return (await this.#call(messages, { more, progress: new ResponseProgress(), emit })).message;
  }

  /** Adds the response to the conversation and acts on it. Resolves to the reason if the turn is over. */
  async #finalize({ message }: ModelResponse): Promise<TurnEndReason | undefined> {
    const { history } = this.#options;
    const response = checkResponse(message, this.#callIds);
    this.state.text += textOf(message.content);
    for (const notice of response.notices) await this.#emit(notice);
    const step = nextStep(message.stopReason, response);
    switch (step) {
      case 'tools':
        return await this.#runTools(response);
      case 'continue':
        return await this.#continue(response);
      case 'resume':
        history.addResponse(withoutTrailingSpace(response.content), response.record);
        this.state.iterations += 1;
        return this.state.iterations > this.#options.limits.iterations ? 'iteration-limit' : this.#overBudget();
      case 'refusal':
        // A refused prompt must not be sent again, or the provider refuses everything after it.
        history.recover();
        return step;
      default:
        history.addResponse(
          orElse(response.content, placeholders[step === 'length' ? 'truncated' : 'empty']),
          response.record,
        );
        return step;
    }
  }

  async #continue({ content, record }: CheckedResponse): Promise<TurnEndReason | undefined> {
    const { history, limits } = this.#options;
    history.addResponse(content, record);
    const limit = limits.continuations;
    if (this.state.continuations >= limit) {
      const detail = `the response was truncated at its token limit ${limit + 1} times; no further continuation is requested`;
      await this.#emit({ type: 'notice', kind: 'continuation-cap', detail });
      return 'continuation-cap';
    }
    if (this.#overBudget() !== undefined) return 'cost-limit';
    this.state.continuations += 1;
    const attempt = this.state.continuations;
    const detail = `Response truncated at max_tokens, requesting continuation (${attempt}/${limit})`;
    await this.#emit({ type: 'notice', kind: 'continuation', detail, attempt, limit });
    history.addPrompt([text(continuationPrompt)]);
    return undefined;
  }

  async #runTools({ content, calls, record }: CheckedResponse): Promise<TurnEndReason | undefined> {
    const { history, tools, clock, limits, parent } = this.#options;
    const { iterations } = this.state;
    if (iterations >= limits.iterations) {
      history.addResponse(orElse(withoutCalls(content), `[Stopped after ${iterations} rounds of tools]`), record);
      const detail = `the model called tools ${iterations} times, which is the limit; the turn ends`;
      await this.#emit({ type: 'notice', kind: 'iteration-limit', detail });
      return 'iteration-limit';
    }
    history.addResponse(content, record);
    const subagent = parent === undefined ? {} : { subagent: parent.identity };
    const common = { tools, clock, iterations, policies: this.#policies, emit: this.#emit };
    const options = { ...common, ...subagent, account: this.#account };
    const { results, withdraw, endTurn } = await dispatch(calls, options, this.#signal);
    if (withdraw !== undefined) {
      history.withdrawCalls(`[Stopped: ${withdraw}]`);
      return withdraw;
    }
    history.addResults(results);
    this.state.iterations += 1;
    this.state.text = '';
    this.#signal.throwIfAborted();
    const reason = endTurn ?? this.#overBudget() ?? (await this.#overResponses());
    if (reason !== undefined) history.close(`[Stopped: ${reason}]`);
    return reason;
  }

  #overBudget(): 'cost-limit' | undefined {
    const { limits, parent } = this.#options;
    const isOver = limits.cost !== undefined && (this.state.cost ?? 0) >= limits.cost;
    return isOver || parent?.isOverBudget() === true ? 'cost-limit' : undefined;
  }

  async #overResponses(): Promise<'iteration-limit' | undefined> {
    const { responses: limit } = this.#options.limits;
    if (limit === undefined || this.state.responses < limit) return undefined;
    const detail = `the model responded ${limit} times, which is the limit; the turn ends`;
    await this.#emit({ type: 'notice', kind: 'iteration-limit', detail });
    return 'iteration-limit';
  }

  /** Keeps the text that arrived before the cancellation. Calls in it were not run. */
  #interrupt(): TurnOutcome {
    const { history } = this.#options;
    history.withdrawCalls(placeholders.interrupted);
    const partial = history.last?.role === 'user' ? withoutCalls(this.#partialContent()) : [];
    this.state.text += textOf(partial);
    const note = text(partial.length === 0 ? placeholders.interrupted : `\n${placeholders.interrupted}`);
    if (history.last?.role === 'user') history.addResponse([...partial, note]);
    return { reason: 'cancelled' };
  }

  /** Empty while tools run, because the response is already in the conversation. */
  #partialContent(): readonly Block[] {
    return this.#progress.message.stopReason === undefined ? this.#progress.message.content : [];
  }

  #fail(error: SimpleAgentsError): TurnOutcome {
    const { history } = this.#options;
    history.withdrawCalls(placeholders.failed);
    history.recover();
    return { reason: 'error', error };
  }
}

function orElse(content: readonly Block[], note: string): readonly Block[] {
  return content.length > 0 ? content : [text(note)];
}

/** Providers reject a response to be continued that ends in white space. */
function withoutTrailingSpace(content: readonly Block[]): readonly Block[] {
  const last = content.at(-1);
  return last?.type === 'text' ? [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }] : content;
}
