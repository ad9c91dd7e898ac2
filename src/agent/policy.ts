// Policies around the tools: permissions, hooks, audit. The loop calls them without knowing what they are for.
//
//   beforeBatch   receives all calls of a response in call order, before any of them starts; may answer some of them
//                 itself, or withdraw the batch
//   around        wraps one call; may answer without running it, change the answer or the input, end the turn after the
//                 batch, or withdraw the batch
//   afterBatch    receives the results of a batch that was not withdrawn; may end the turn
//
// A withdrawn batch leaves the conversation as if the model had made no calls. It does not count as an iteration and ends
// the turn, and it takes precedence over an end that another call requested. If a policy throws before a call, the call is
// not run.

import { isRecord } from '../core/json.ts';
import type { ToolResultBlock } from '../core/message.ts';
import type { AgentEvent, PolicyEndReason } from './event.ts';
import type { ToolAnswer, ToolContext, ToolEffect, ToolPreview } from './tool.ts';

/** A call whose tool exists and whose input is valid. */
export interface PolicyCall {
  readonly id: string;
  readonly name: string;
  readonly effect: ToolEffect;
  readonly input: unknown;
  /** Batches that ran earlier in this turn. */
  readonly iterations: number;
  /** The subagent that makes the call; undefined for a call of the agent itself. */
  readonly subagent?: SubagentIdentity;
  /** Defined for tools with a preview (see `Tool.preview`). */
  readonly preview?: () => Promise<ToolPreview | ToolAnswer>;
}

export interface SubagentIdentity {
  /** The call that started it. */
  readonly callId: string;
  /** As the agent's options define it. */
  readonly name: string;
  /** Its task in a few words, written by the model. */
  readonly task: string;
}

export interface ToolBatch {
  readonly calls: readonly PolicyCall[];
  /** No call is of a mutating tool, and all of them start together. */
  readonly isParallel: boolean;
  /** The ids of the calls whose tool has been started so far. Policies answered the others. */
  readonly started: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => Promise<void>;
}

export interface BatchDecision {
  /** By call id, for calls that must not run. */
  readonly answers?: ReadonlyMap<string, ToolAnswer>;
  readonly withdraw?: PolicyEndReason;
}

export type PolicyAnswer = (ToolAnswer & { readonly endTurn?: PolicyEndReason }) | Withdrawal | InputChange;

export interface Withdrawal {
  readonly withdraw: PolicyEndReason;
}

/** The call must run with another input. The tool checks it, and all policies judge it, from the outermost on. */
export interface InputChange {
  readonly input: unknown;
}

export interface ToolPolicy {
  beforeBatch?(batch: ToolBatch): BatchDecision | undefined | Promise<BatchDecision | undefined>;
  around?(
    call: PolicyCall,
    next: () => Promise<PolicyAnswer>,
    context: ToolContext,
  ): PolicyAnswer | Promise<PolicyAnswer>;
  /** The results are in call order. They are recorded whatever this returns or throws. */
  afterBatch?(batch: ToolBatch, results: readonly ToolResultBlock[]): EndOfTurn | Promise<EndOfTurn>;
}

type EndOfTurn = PolicyEndReason | undefined;

/** A policy, or a function that creates one for each turn, for state that is counted per turn. */
export type PolicySource = ToolPolicy | (() => ToolPolicy);

/** For policies written in JavaScript: a missing answer must not count as permission. */
export function checkAnswer(answer: PolicyAnswer): PolicyAnswer {
  if (isRecord(answer) && ('withdraw' in answer || 'input' in answer || Array.isArray(answer.content))) return answer;
  throw new Error(
    'A policy around the tool returned no answer. It must return the result of next() or an answer of its own.',
  );
}

export function isWithdrawal(answer: PolicyAnswer): answer is Withdrawal {
  return Object.hasOwn(answer, 'withdraw');
}

export function isInputChange(answer: PolicyAnswer): answer is InputChange {
  return Object.hasOwn(answer, 'input');
}
