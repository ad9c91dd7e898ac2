// What may stand around the tools: permission, hooks, audit. The loop calls these functions and knows nothing of what
// they are for.
//
//   beforeBatch   sees all calls of an answer before any of them starts, in call order; may answer some itself, or have
//                 the whole batch withdrawn
//   around        stands around one call; may answer without running it, change the answer, end the turn after the batch,
//                 or have the batch withdrawn
//   afterBatch    sees the results of a batch that was not withdrawn; may end the turn
//
// A withdrawn batch leaves the conversation as if the model had not called, does not count as an iteration, and ends the
// turn; it wins over an end that another call asked for. What a policy throws before a call fails closed: it is not run.

import { isRecord } from '../core/json.ts';
import type { ToolResultBlock } from '../core/message.ts';
import type { AgentEvent, PolicyEndReason } from './event.ts';
import type { ToolAnswer, ToolContext, ToolEffect, ToolPreview } from './tool.ts';

/** A call that may run: the tool is there and the input fits. */
export interface PolicyCall {
  readonly id: string;
  readonly name: string;
  readonly effect: ToolEffect;
  readonly input: unknown;
  /** Batches that ran before this one, in this turn. */
  readonly iterations: number;
  /** For tools that can say beforehand what they would do (see `Tool.preview`). */
  readonly preview?: () => Promise<ToolPreview | ToolAnswer>;
}

export interface ToolBatch {
  readonly calls: readonly PolicyCall[];
  /** All pure: the calls start together. */
  readonly isParallel: boolean;
  /** The ids of calls whose tool was started, as far as the batch has come: others were answered by a policy. */
  readonly started: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
}

export interface BatchDecision {
  /** By call id, for calls that shall not run. */
  readonly answers?: ReadonlyMap<string, ToolAnswer>;
  readonly withdraw?: PolicyEndReason;
}

export type PolicyAnswer = (ToolAnswer & { readonly endTurn?: PolicyEndReason }) | Withdrawal;

export interface Withdrawal {
  readonly withdraw: PolicyEndReason;
}

export interface ToolPolicy {
  beforeBatch?(batch: ToolBatch): BatchDecision | undefined | Promise<BatchDecision | undefined>;
  around?(
    call: PolicyCall,
    next: () => Promise<PolicyAnswer>,
    context: ToolContext,
  ): PolicyAnswer | Promise<PolicyAnswer>;
  /** In call order. The results are recorded whatever it says or throws. */
  afterBatch?(batch: ToolBatch, results: readonly ToolResultBlock[]): EndOfTurn | Promise<EndOfTurn>;
}

type EndOfTurn = PolicyEndReason | undefined;

/** The first is the outermost. A function makes one for each turn, for what is counted by the turn. */
export type PolicySource = ToolPolicy | (() => ToolPolicy);

/** TypeScript has checked this already; for others silence must not pass as consent. */
export function checkAnswer(answer: PolicyAnswer): PolicyAnswer {
  if (isRecord(answer) && ('withdraw' in answer || Array.isArray(answer.content))) return answer;
  throw new Error(
    'A policy around the tool gave no answer; it must return what next() gives, or an answer of its own.',
  );
}

export function isWithdrawal(answer: PolicyAnswer): answer is Withdrawal {
  return Object.hasOwn(answer, 'withdraw');
}
