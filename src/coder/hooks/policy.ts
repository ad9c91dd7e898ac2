// Hooks as a policy around the tools, for one turn: guards and observers before a call, PostToolUse hooks after it, and a
// limit on blocked calls that ends a turn without progress.
// In a sequential batch each call is guarded just before it runs. In a parallel batch all calls are guarded first, in call
// order. Then all allowed calls start together, and the PostToolUse hooks run when all of them have ended.

import type { ToolResultBlock } from '../../core/message.ts';
import type { PolicyEndReason } from '../../agent/event.ts';
import { toResult } from '../../agent/history.ts';
import {
  isInputChange,
  isWithdrawal,
  type BatchDecision,
  type PolicyAnswer,
  type PolicyCall,
  type ToolBatch,
} from '../../agent/policy.ts';
import type { ToolPolicy } from '../../agent/policy.ts';
import { toErrorAnswer, type ToolAnswer, type ToolContext } from '../../agent/tool.ts';
import type { CallHooks } from './call-hooks.ts';
import type { HookBlock } from './verdict.ts';

const mostInARow = 3;
const mostInAll = 10;

export class HookPolicy implements ToolPolicy {
  readonly #hooks: CallHooks;
  #blocksInARow = 0;
  #blocks = 0;
  /** The current batch. */
  #batch: ToolBatch | undefined;
  /** The inputs that guards have judged before a parallel batch, by call id. */
  readonly #judged = new Map<string, unknown>();

  constructor(hooks: CallHooks) {
    this.#hooks = hooks;
  }

  async beforeBatch(batch: ToolBatch): Promise<BatchDecision | undefined> {
    this.#batch = batch;
    if (!batch.isParallel) return undefined;
    const answers = new Map<string, ToolAnswer>();
    for (const call of batch.calls) {
      this.#judged.set(call.id, call.input);
      const block = await this.#guard(call, batch.signal);
      if (block === undefined) continue;
      const withdraw = this.#overLimit(block, batch.emit);
      if (withdraw !== undefined) return { withdraw };
      answers.set(call.id, toErrorAnswer(block.message));
    }
    return { answers };
  }

  async around(call: PolicyCall, next: () => Promise<PolicyAnswer>, context: ToolContext): Promise<PolicyAnswer> {
    const isParallel = this.#batch?.isParallel === true;
    if (isParallel && this.#judged.get(call.id) === call.input) return next();
    const { signal } = context;
    const block = await this.#guard(call, signal);
    if (block !== undefined) {
      const withdraw = this.#overLimit(block, context.emit);
      return withdraw === undefined ? toErrorAnswer(block.message) : { withdraw };
    }
    const answer = await next();
    if (isParallel || isWithdrawal(answer) || isInputChange(answer)) return answer;
    if (this.#batch?.started.has(call.id) !== true) return answer;
    const hasSignal = await this.#hooks.after(call, toResult(call.id, answer), signal);
    return hasSignal ? { ...answer, endTurn: 'convergence-signal' } : answer;
  }

  async afterBatch(batch: ToolBatch, results: readonly ToolResultBlock[]): Promise<PolicyEndReason | undefined> {
    if (!batch.isParallel) return undefined;
    let hasSignal = false;
    for (const call of batch.calls) {
      const result = results.find(({ callId }) => callId === call.id);
      if (result === undefined || !batch.started.has(call.id)) continue;
      if (await this.#hooks.after(call, result, batch.signal)) hasSignal = true;
    }
    return hasSignal ? 'convergence-signal' : undefined;
  }

  async #guard(call: PolicyCall, signal: AbortSignal): Promise<HookBlock | undefined> {
    const block = await this.#hooks.before(call, signal);
    signal.throwIfAborted();
    this.#blocks += block === undefined ? 0 : 1;
    this.#blocksInARow = block === undefined ? 0 : this.#blocksInARow + 1;
    return block;
  }

  #overLimit({ message }: HookBlock, emit: ToolContext['emit']): PolicyEndReason | undefined {
    const isStuck = this.#blocksInARow >= mostInARow;
    if (!isStuck && this.#blocks < mostInAll) return undefined;
    const count = isStuck ? `${mostInARow} tool calls in a row` : `${mostInAll} tool calls of this turn`;
    const detail = `hooks blocked ${count}, which is the limit; the turn ends. The last block: ${message}`;
    void emit({ type: 'notice', kind: 'block-limit', detail });
    return isStuck ? 'block-limit-consecutive' : 'block-limit-total';
  }
}
