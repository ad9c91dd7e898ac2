// `simple-agents/agent`: the agent loop and everything to build on it, such as policies, events and history.

export { createAgent, type Agent, type AgentOptions, type CompactOptions, type ModelSource } from '../agent/agent.ts';
export type { RetryPlan } from '../agent/model-call.ts';
export type * from '../agent/event.ts';
export type { AnswerRecord, HistoryChange, HistoryObserver } from '../agent/history.ts';
export type { TurnLimits } from '../agent/loop.ts';
export { isWithdrawal } from '../agent/policy.ts';
export type * from '../agent/policy.ts';
export { repairHistory, type Repaired } from '../agent/repair.ts';
export type { AgentResult, AgentRun } from '../agent/run.ts';
export type { Subagent, SubagentObserver } from '../agent/subagent.ts';
export {
  defineTool,
  type Tool,
  type ToolAnswer,
  type ToolAnswerPart,
  type ToolContext,
  type ToolEffect,
  type ToolSpec,
  type TurnAccount,
} from '../agent/tool.ts';
export type { Spending } from '../agent/turn-state.ts';
export type { Clock } from '../core/clock.ts';
