// The events of an agent. The loop emits them; the terminal, the chat route and the session file render them.
//
//   turn = turn-start (context-trim | call | batch | notice)* turn-end
//   call  = model-event* (retry-wait stream-restart? model-event*)*
//   batch = (tool-start (tool-output | permission-request | subagent-event)* tool-end)*, interleaved when tools run in parallel
//
// Invariants:
//   1. Every turn ends with exactly one `turn-end`. Failures and cancellation are reasons there; the iterator does not throw.
//   2. Every `tool-start` has a `tool-end`, and no event of that call follows it.
//   3. `stream-restart` invalidates the text of the current response: its events start over.

import type { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { Message, ToolResultBlock } from '../core/message.ts';
import type { Usage } from '../core/usage.ts';

export type AgentEvent =
  | TurnStart
  | ModelEvent
  | ToolStart
  | ToolOutputEvent
  | ToolEnd
  | PermissionRequest
  | RetryWait
  | StreamRestart
  | ContextTrim
  | SubagentEvent
  | AgentNotice
  | TurnEnd;

export interface TurnStart {
  readonly type: 'turn-start';
  readonly prompt: Message;
  /** As requested. The model's own events name the model that responds. */
  readonly model: string;
}

export interface ModelEvent {
  readonly type: 'model-event';
  readonly event: StreamEvent;
}

export interface ToolStart {
  readonly type: 'tool-start';
  /** The call's id, unique in the conversation even if the model's own ids are not. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it, or as the gateway healed it; `null` when it is not JSON. */
  readonly input: unknown;
}

export interface ToolOutputEvent {
  readonly type: 'tool-output';
  readonly id: string;
  readonly chunk: string;
}

export interface ToolEnd {
  readonly type: 'tool-end';
  readonly id: string;
  readonly name: string;
  /** What the model receives. */
  readonly result: ToolResultBlock;
  /** Milliseconds, without the time spent asking for permission. */
  readonly duration: number;
}

/** The user is being asked whether a tool may run. The policy that asks also receives the reply. */
export interface PermissionRequest {
  readonly type: 'permission-request';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly reason?: string;
}

export interface RetryWait {
  readonly type: 'retry-wait';
  /** From 1. */
  readonly attempt: number;
  /** The maximum number of retries. */
  readonly limit: number;
  /** Milliseconds. */
  readonly delay: number;
  readonly error: SimpleAgentsError;
}

export interface StreamRestart {
  readonly type: 'stream-restart';
  readonly attempt: number;
}

export interface ContextTrim {
  readonly type: 'context-trim';
  readonly how: 'trim' | 'summary';
  /** Removed from the conversation, or summarised. */
  readonly exchanges: number;
  readonly messages: number;
  /** Blocks that were too long and lost their middle. */
  readonly blocks: number;
  /** The size of the conversation in bytes. */
  readonly before: number;
  readonly after: number;
}

export interface SubagentEvent {
  readonly type: 'subagent-event';
  /** The tool call that started it. */
  readonly id: string;
  readonly event: AgentEvent;
}

export interface AgentNotice {
  readonly type: 'notice';
  readonly kind: AgentNoticeKind;
  readonly detail: string;
  /** For `continuation`: the number of this one, and the limit. */
  readonly attempt?: number;
  readonly limit?: number;
}

/**
 * `continuation`: the response was truncated at its token limit, and the model is asked to continue. `continuation-cap`:
 * it was truncated too often. `call-drop`: a tool call was cut off and dropped. `call-duplicate`: a call arrived twice and
 * runs once. `iteration-limit`: the model requested more batches of tool calls than allowed. `history-repair`: the loaded
 * conversation was invalid. `compaction-failure`: summarising failed, so the oldest exchanges are removed instead.
 * `policy-failure`: a policy failed after the tools had run. `block-limit`: too many calls were blocked. `session-loss`:
 * another program deleted or changed the session's files; the detail says whether they were restored.
 */
export type AgentNoticeKind =
  | 'continuation'
  | 'continuation-cap'
  | 'call-drop'
  | 'call-duplicate'
  | 'iteration-limit'
  | 'history-repair'
  | 'compaction-failure'
  | 'policy-failure'
  | 'block-limit'
  | 'session-loss';

export interface TurnEnd {
  readonly type: 'turn-end';
  readonly reason: TurnEndReason;
  /** For `error`. */
  readonly error?: SimpleAgentsError;
  /** The text of the last response, including its continuations. */
  readonly text: string;
  /** The sum over all responses of the turn. */
  readonly usage: Usage;
  /** In US dollars. Undefined if a price or a token count is not known. */
  readonly cost?: number;
  /** Batches of tool calls that ran. */
  readonly iterations: number;
  /** Milliseconds. */
  readonly duration: number;
}

/**
 * `end`: the model finished. `length`: truncated with nothing to continue from. `continuation-cap`: truncated too often.
 * `iteration-limit`: too many batches of tool calls. `cost-limit`: the cost limit is reached.
 */
export type TurnEndReason =
  | 'end'
  | 'length'
  | 'continuation-cap'
  | 'iteration-limit'
  | 'cost-limit'
  | 'refusal'
  | 'cancelled'
  | 'error'
  | PolicyEndReason;

/** Why a policy ended the turn. The loop passes it on without interpreting it. */
export type PolicyEndReason = 'block-limit-consecutive' | 'block-limit-total' | 'convergence-signal';
