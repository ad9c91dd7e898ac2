// What the options of an agent, of a tool and of a run may contain, for programs that no compiler checks.

import type { Clock } from '../core/clock.ts';
import type { Message } from '../core/message.ts';
import { blockShape, reasoningShape, stringsShape, toolDefinitionShape } from '../core/request-shape.ts';
import {
  amountShape,
  anyShape,
  booleanShape,
  closedObjectOf,
  countShape,
  functionShape,
  integerShape,
  isString,
  listOf,
  numberShape,
  objectOf,
  objectShape,
  oneOf,
  optional,
  orElse,
  recordOf,
  stringShape,
  wholeShape,
  type MemberShapes,
} from '../core/shape.ts';
import type { AgentOptions, ModelSource } from './agent.ts';
import type { TurnLimits } from './loop.ts';
import type { RetryPlan } from './model-call.ts';
import type { Subagent } from './subagent.ts';
import type { Tool, ToolEffect, ToolSpec } from './tool.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';
const effectShape = oneOf(...(['pure', 'mutating', 'delegating'] satisfies ToolEffect[]));

export const toolListShape = listOf(
  objectOf<Tool>({
    definition: toolDefinitionShape,
    effect: effectShape,
    checkInput: functionShape,
    preview: optional(functionShape),
    run: functionShape,
  }),
  'must be an array of tools, see defineTool',
);

/** The schema of the input is checked when it is compiled. */
export const toolSpecShape = closedObjectOf<ToolSpec<never>>({
  name: stringShape,
  description: stringShape,
  input: optional(anyShape),
  effect: optional(effectShape),
  preview: optional(functionShape),
  run: functionShape,
});

export const promptShape = orElse(isString, listOf(blockShape, 'must be a string or an array of blocks'));

/** What a block contains is repaired, not checked: conversations come from files too. */
export const messagesShape = listOf(
  objectOf<Pick<Message, 'role' | 'content'>>({
    role: oneOf('system', 'user', 'assistant'),
    content: listOf(objectOf<{ readonly type: string }>({ type: stringShape }), 'must be an array of blocks'),
  }),
);

const source = objectOf<Pick<ModelSource, 'open'>>({ open: functionShape });
const limits = closedObjectOf<Partial<TurnLimits>>({
  iterations: optional(wholeShape),
  continuations: optional(wholeShape),
  cost: optional(amountShape),
  responses: optional(wholeShape),
});

const subagent = objectOf<Subagent>({
  name: stringShape,
  description: stringShape,
  system: optional(stringShape),
  tools: optional(stringsShape),
  model: optional(stringShape),
  limits: optional(limits),
});

const retry = closedObjectOf<Partial<RetryPlan>>({
  delays: optional(listOf(amountShape)),
  restart: optional(orElse((value) => value === 'before-text', booleanShape)),
});

export const agentOptionMembers: MemberShapes<AgentOptions> = {
  client: optional(objectOf<NonNullable<AgentOptions['client']>>({ provider: source })),
  provider: optional(source),
  model: optional(stringShape),
  system: optional(stringShape),
  // Checked when they are indexed, because a function may return them.
  tools: optional(anyShape),
  subagents: optional(listOf(subagent)),
  messages: optional(messagesShape),
  maxTokens: optional(countShape),
  limits: optional(limits),
  retry: optional(retry),
  contextWindow: optional(countShape),
  compaction: optional(booleanShape),
  policies: optional(listOf(orElse(isFunction, objectShape))),
  onHistory: optional(functionShape),
  onSubagentHistory: optional(functionShape),
  onSpend: optional(functionShape),
  clock: optional(objectOf<Clock>({ now: functionShape, random: functionShape, sleep: functionShape })),
  temperature: optional(numberShape),
  topP: optional(numberShape),
  stop: optional(stringsShape),
  seed: optional(integerShape),
  reasoning: optional(reasoningShape),
  parallelToolCalls: optional(booleanShape),
  user: optional(stringShape),
  extra: optional(recordOf(objectShape)),
};

export const agentOptionShape = closedObjectOf(agentOptionMembers);
