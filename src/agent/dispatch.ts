// Runs one batch: all tool calls of a response. If one of them is mutating they run in sequence, otherwise in parallel; the
// results are in call order either way. It knows neither the model nor the conversation.
// Invariants:
//   1. Every call gets exactly one result, whatever its tool does. A failure does not affect the other calls.
//   2. An abort ends the batch immediately, without waiting for tools. The result of a cancelled call holds its output so
//      far, and no event follows for it. Only subagents are awaited: they end immediately too, and report their end.

import { parseToolCall } from '../core/assembler.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import { argumentsOf, type ToolCallBlock, type ToolResultBlock } from '../core/message.ts';
import { didYouMean } from '../core/suggest.ts';
import { unlessAborted } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { describeGuesses, HealError, isGuess } from '../heal/index.ts';
import type { Emit } from './event-queue.ts';
import type { PolicyEndReason } from './event.ts';
import { excerpt } from './excerpt.ts';
import { toResult } from './history.ts';
import { PartialOutput } from './partial-output.ts';
import {
  checkAnswer,
  isInputChange,
  isWithdrawal,
  type ToolBatch,
  type PolicyAnswer,
  type PolicyCall,
  type SubagentIdentity,
  type ToolPolicy,
} from './policy.ts';
import {
  toAnswer,
  toErrorAnswer,
  type Tool,
  type ToolAnswer,
  type ToolCaller,
  type ToolContext,
  type TurnAccount,
} from './tool.ts';

export interface DispatchOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly policies: readonly ToolPolicy[];
  readonly clock: Clock;
  /** Batches that ran earlier in this turn. */
  readonly iterations: number;
  /** The subagent whose calls these are. */
  readonly subagent?: SubagentIdentity;
  readonly account: TurnAccount;
  readonly emit: Emit;
}

export interface BatchOutcome {
  /** In call order; empty for a withdrawn batch. */
  readonly results: readonly ToolResultBlock[];
  readonly withdraw?: PolicyEndReason;
  readonly endTurn?: PolicyEndReason;
}

const cancelled = 'Cancelled by the user.';
/** How often policies may change the input of one call. */
const mostInputChanges = 4;

export function dispatch(
  calls: readonly ToolCallBlock[],
  options: DispatchOptions,
  signal: AbortSignal,
): Promise<BatchOutcome> {
  const prepared = calls.map((call) => prepare(call, options.tools));
  return new BatchRun(prepared, options, signal).run();
}

/** A call with its tool and checked input, or with the reason why it cannot run. */
interface PreparedCall {
  readonly call: ToolCallBlock;
  readonly tool?: Tool;
  readonly input?: unknown;
  readonly problem?: string;
}

function prepare(call: ToolCallBlock, tools: ReadonlyMap<string, Tool>): PreparedCall {
  const tool = tools.get(call.name);
  if (tool === undefined) return { call, problem: unknownTool(call.name, [...tools.keys()]) };
  const received = asReceived(call);
  const problem = problemOf(received, tool);
  if (problem !== undefined) return { call, tool, problem: invalidInput(call, problem) };
  try {
    return { call, tool, input: tool.checkInput(received.input) };
  } catch (error) {
    if (!(error instanceof HealError)) return { call, tool, problem: messageOf(error) };
    return { call, tool, problem: invalidInput(call, error.message) };
  }
}

/** Without healing flags, the raw text is authoritative: the input is parsed from it. */
function asReceived(call: ToolCallBlock): ToolCallBlock {
  const { id, name, raw, flags, error } = call;
  return raw === undefined || flags !== undefined || error !== undefined ? call : parseToolCall(id, name, raw);
}

/** Why the call must not run: the input is invalid, or healing it needed a guess and the tool has side effects. */
function problemOf({ error, flags = [] }: ToolCallBlock, { effect }: Tool): string | undefined {
  if (error !== undefined || effect === 'pure') return error;
  const guesses = flags.filter(isGuess);
  return guesses.length === 0 ? undefined : describeGuesses(guesses);
}

function unknownTool(name: string, known: readonly string[]): string {
  const offer = known.length === 0 ? 'No tools are available.' : `Available tools: ${known.join(', ')}.`;
  return `Unknown tool "${name}"${didYouMean(name, known) || '.'} ${offer}`;
}

const mostQuoted = 600;

/** Quotes the received text, so that the model sees where its call broke off. */
function invalidInput(call: ToolCallBlock, problem: string): string {
  const written = call.raw ?? argumentsOf(call);
  const quoted = excerpt(written, mostQuoted, (total) => ` ... (${total} bytes in total) ... `);
  const received = quoted === '' ? 'Nothing was received.' : `Received: \`${quoted}\``;
  return `The input of ${call.name} is not valid: ${problem}. ${received} Correct it and call the tool again.`;
}

class BatchRun {
  readonly #calls: readonly PreparedCall[];
  readonly #options: DispatchOptions;
  readonly #signal: AbortSignal;
  readonly #answers = new Map<string, ToolAnswer>();
  readonly #started = new Set<string>();
  /** When each tool was started, by call id. */
  readonly #begun = new Map<string, number>();
  /** Inputs that a policy has changed, by call id. */
  readonly #changed = new Map<string, unknown>();
  /** The answers of subagents that were started, by call id. */
  readonly #delegated = new Map<string, Promise<PolicyAnswer>>();
  #withdraw: PolicyEndReason | undefined;
  #endTurn: PolicyEndReason | undefined;

  constructor(calls: readonly PreparedCall[], options: DispatchOptions, signal: AbortSignal) {
    this.#calls = calls;
    this.#options = options;
    this.#signal = signal;
  }

  async run(): Promise<BatchOutcome> {
    const isParallel = this.#calls.every(({ tool }) => tool !== undefined && tool.effect !== 'mutating');
    await this.#decide(isParallel);
    const results: ToolResultBlock[] = [];
    if (isParallel && this.#withdraw === undefined) {
      results.push(...(await Promise.all(this.#calls.map((each) => this.#answer(each)))));
    } else {
      for (const each of this.#calls) {
        if (this.#withdraw !== undefined) break;
        results.push(await this.#answer(each));
      }
    }
    if (this.#withdraw !== undefined) return { results: [], withdraw: this.#withdraw };
    await this.#conclude(isParallel, results);
    return this.#endTurn === undefined ? { results } : { results, endTurn: this.#endTurn };
  }

  /** Each policy sees the calls that the policies before it have not decided. */
  async #decide(isParallel: boolean): Promise<void> {
    const signal = this.#signal;
    for (const policy of this.#options.policies) {
      if (policy.beforeBatch === undefined || this.#withdraw !== undefined || signal.aborted) continue;
      const calls = this.#calls.filter(({ call, problem }) => problem === undefined && !this.#answers.has(call.id));
      if (calls.length === 0) return;
      const batch = this.#toBatch(calls, isParallel);
      try {
        const decision = await unlessAborted(Promise.resolve(policy.beforeBatch(batch)), signal);
        for (const [id, answer] of decision?.answers ?? []) this.#answers.set(id, answer);
        this.#withdraw = decision?.withdraw;
      } catch (error) {
        for (const { call } of calls) this.#answers.set(call.id, toErrorAnswer(messageOf(error)));
      }
    }
  }

  async #conclude(isParallel: boolean, results: readonly ToolResultBlock[]): Promise<void> {
    const runnable = this.#calls.filter(({ problem }) => problem === undefined);
    for (const policy of this.#options.policies) {
      if (policy.afterBatch === undefined || this.#signal.aborted) continue;
      try {
        const reason = Promise.resolve(policy.afterBatch(this.#toBatch(runnable, isParallel), results));
        this.#endTurn ??= await unlessAborted(reason, this.#signal);
      } catch (error) {
        void this.#options.emit({ type: 'notice', kind: 'policy-failure', detail: messageOf(error) });
      }
    }
  }

  async #answer(prepared: PreparedCall): Promise<ToolResultBlock> {
    const { emit, clock } = this.#options;
    const { id, name, input } = prepared.call;
    if (this.#signal.aborted) return toResult(id, toErrorAnswer(cancelled));
    const shown = clock.now();
    void emit({ type: 'tool-start', id, name, input });
    const result = toResult(id, toAnswer(this.#settle(await this.#run(prepared))));
    void emit({ type: 'tool-end', id, name, result, duration: clock.now() - (this.#begun.get(id) ?? shown) });
    return result;
  }

  /** Records what a policy requests beyond the answer: withdrawing the batch or ending the turn. */
  #settle(answer: PolicyAnswer): ToolAnswer {
    if (isWithdrawal(answer)) {
      this.#withdraw ??= answer.withdraw;
      return toErrorAnswer('Withdrawn.');
    }
    if (isInputChange(answer)) return toErrorAnswer('The input was changed too often.');
    const { endTurn, ...plain } = answer;
    this.#endTurn ??= endTurn;
    return plain;
  }

  async #run(prepared: PreparedCall): Promise<PolicyAnswer> {
    const { call, tool, problem } = prepared;
    if (tool === undefined || problem !== undefined) return toErrorAnswer(problem ?? '');
    const decided = this.#answers.get(call.id);
    if (decided !== undefined) return decided;
    const signal = this.#signal;
    const context = new LiveContext(call.id, signal, this.#options);
    try {
      return await unlessAborted(this.#guarded(prepared, tool, context), signal);
    } catch (error) {
      if (!signal.aborted) return toErrorAnswer(messageOf(error));
      return (await this.#delegated.get(call.id)) ?? toErrorAnswer(context.describeCancel());
    } finally {
      context.close();
    }
  }

  /** Runs the tool inside all policies, which start over when one of them changes the input. */
  async #guarded(prepared: PreparedCall, tool: Tool, context: LiveContext): Promise<PolicyAnswer> {
    const { id } = prepared.call;
    let answer = await this.#withPolicies(prepared, tool, context);
    for (let changes = 0; isInputChange(answer) && changes < mostInputChanges; changes += 1) {
      this.#changed.set(id, tool.checkInput(answer.input));
      answer = await this.#withPolicies(prepared, tool, context);
    }
    return answer;
  }

  #withPolicies(prepared: PreparedCall, tool: Tool, context: LiveContext): Promise<PolicyAnswer> {
    const call = this.#toPolicyCall(prepared);
    let next = (): Promise<PolicyAnswer> => {
      this.#started.add(call.id);
      this.#begun.set(call.id, this.#options.clock.now());
      const answer = runTool(tool, call.input, context);
      if (tool.effect === 'delegating') this.#delegated.set(call.id, answer);
      return answer;
    };
    for (const policy of this.#options.policies.toReversed()) {
      if (policy.around === undefined) continue;
      const around = policy.around.bind(policy, call, next, context);
      next = async () => checkAnswer(await around());
    }
    return next();
  }

  #toBatch(calls: readonly PreparedCall[], isParallel: boolean): ToolBatch {
    const { emit } = this.#options;
    const policyCalls = calls.map((each) => this.#toPolicyCall(each));
    return { calls: policyCalls, isParallel, started: this.#started, signal: this.#signal, emit };
  }

  #toPolicyCall({ call: { id, name }, tool, ...prepared }: PreparedCall): PolicyCall {
    const { iterations, subagent } = this.#options;
    const input = this.#changed.has(id) ? this.#changed.get(id) : prepared.input;
    const effect = tool?.effect ?? 'mutating';
    const caller: ToolCaller = omitUndefined({ subagent });
    const described = { id, name, effect, input, iterations, ...caller };
    return tool?.preview === undefined
      ? described
      : { ...described, preview: async () => tool.preview!(input, caller) };
  }
}

async function runTool(tool: Tool, input: unknown, context: LiveContext): Promise<PolicyAnswer> {
  try {
    return toAnswer(await tool.run(input, context));
  } catch (error) {
    return toErrorAnswer(context.signal.aborted ? context.describeCancel() : messageOf(error));
  }
}

/** Passes on what a tool emits while it runs, and ignores it afterwards. */
class LiveContext implements ToolContext {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly account: TurnAccount;
  readonly subagent?: SubagentIdentity;
  readonly #written = new PartialOutput();
  #emit: Emit | undefined;

  constructor(callId: string, signal: AbortSignal, { emit, account, subagent }: DispatchOptions) {
    this.callId = callId;
    this.signal = signal;
    this.account = account;
    if (subagent !== undefined) this.subagent = subagent;
    this.#emit = emit;
  }

  // Bound functions, so that a tool can pass them on.
  readonly output = (chunk: string): void => {
    this.#written.push(chunk);
    if (chunk !== '') void this.emit({ type: 'tool-output', id: this.callId, chunk });
  };

  /** The result of a cancelled call. Its output shows what the tool may already have done. */
  describeCancel(): string {
    const written = this.#written.toText();
    return written === '' ? cancelled : `${cancelled} Output so far:\n${written}`;
  }

  readonly emit: Emit = (event) => this.#emit?.(event) ?? Promise.resolve();

  close(): void {
    this.#emit = undefined;
  }
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof SimpleAgentsError) return `${thrown.message} (${thrown.kind})`;
  return (thrown instanceof Error ? thrown.message : String(thrown)) || 'The tool failed without an error message.';
}
