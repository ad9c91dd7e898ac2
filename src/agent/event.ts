// The agent hub. The loop tells what happens in these events, and the terminal, stream-json, ACP, the chat route and the
// session file are renderers of them.
//
//   turn = turn-start (context-trim | call | batch | notice)* turn-end
//   call  = model-event* (retry-wait stream-restart? model-event*)*
//   batch = (tool-start (tool-output | permission-request | subagent-event)* tool-end)*, interleaved where tools run at once
//
// Invariants:
//   1. Every turn ends with exactly one `turn-end`. Failure and cancelling are reasons there; the iterator does not throw.
//   2. Every `tool-start` has its `tool-end`, whatever happens, and nothing of that call comes after it.
//   3. After `stream-restart` the words of the answer under way are void: its events begin anew.

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
  /** As asked for; who answers, the model's own events tell. */
  readonly model: string;
}

export interface ModelEvent {
  readonly type: 'model-event';
  readonly event: StreamEvent;
}

export interface ToolStart {
  readonly type: 'tool-start';
  /** The call's id: unique in the conversation, also where the model's own is not. */
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
  /** What the model will read. */
  readonly result: ToolResultBlock;
  /** Milliseconds, without the time somebody was asked whether it may run. */
  readonly duration: number;
}

/** Somebody is asked whether a tool may run; whoever asks also takes the answer. */
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
  /** How many tries after the first there may be. */
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
  /** Left the conversation, or went into the summary. */
  readonly exchanges: number;
  readonly messages: number;
  /** Blocks that were too long and lost their middle. */
  readonly blocks: number;
  /** The conversation's size in bytes. */
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
  /** For `continuation`: which of how many. */
  readonly attempt?: number;
  readonly limit?: number;
}

/**
 * `continuation`: the answer was cut by its length limit, and the model is asked to go on; `continuation-cap`: not again.
 * `call-drop`: a tool call was cut off and left out. `call-duplicate`: one came twice and runs once. `iteration-limit`:
 * the model would have called more tools. `history-repair`: the conversation was not valid as it was loaded.
 * `compaction-failure`: no summary could be had, so the oldest exchanges leave. `policy-failure`: a policy failed after
 * the tools had run. `block-limit`: too many calls were blocked. `session-loss`: another program deleted or changed the
 * session's files; the detail says whether they were written again.
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
  /** The last answer's words, joined where it had to be continued. */
  readonly text: string;
  /** Of all answers of the turn. */
  readonly usage: Usage;
  /** In US dollars; left out when a price or a count is not known. */
  readonly cost?: number;
  /** Batches of tools that ran. */
  readonly iterations: number;
  /** Milliseconds. */
  readonly duration: number;
}

/**
 * `end`: the model has finished. `length`: cut with nothing to go on from. `continuation-cap`: cut, too often.
 * `iteration-limit`: too many batches of tools. `cost-limit`: the turn cost more than it may.
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

/** Why a policy around the tools ended the turn. The loop hands it on unread. */
export type PolicyEndReason = 'block-limit-consecutive' | 'block-limit-total' | 'convergence-signal';
