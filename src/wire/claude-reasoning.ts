// How Claude takes a reasoning effort, a token budget and sampling, on every wire that reaches it. Its versions differ.

import type { ChatRequest, ReasoningEffort } from '../core/request.ts';
import { omitUndefined } from '../core/json.ts';
import type { Losses } from './loss.ts';

/** The effort in the vendor's words, for models that take one. */
export function claudeEffort({ model, reasoning }: ChatRequest): string | undefined {
  const hasEffort = reasoning?.budgetTokens !== undefined || takesEffort(model);
  return hasEffort ? effortWords[reasoning?.effort ?? 'none'] : undefined;
}

const effortWords: Readonly<Record<ReasoningEffort, string | undefined>> = {
  none: undefined,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/** The token budget of each effort, for models that accept a budget only. */
const effortBudgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

/** The smallest budget that the API accepts. */
const leastBudget = 1024;

/** The major and minor version in `claude-3-7-sonnet`, `claude-sonnet-4-20250514` or `claude-opus-4.6`. */
const claudeVersion = /claude-(?:[a-z]+-)?(\d+)(?:[.-](\d)(?!\d))?/i;

/** Whether the model is Claude of this version or later. A name without a number counts as the newest. */
function isClaudeSince(model: string, version: number): boolean {
  if (!/claude/i.test(model)) return false;
  const [, major = '9', minor = '0'] = claudeVersion.exec(model) ?? [];
  return Number(`${major}.${minor}`) >= version;
}

/** Claude accepts `effort` and adaptive thinking since 4.6. Older versions and other models accept only a budget. */
function takesEffort(model: string): boolean {
  return isClaudeSince(model, 4.6);
}

/** Since 4.7, Claude rejects every request that sets the temperature or `top_p`. */
function rejectsSampling(model: string): boolean {
  return isClaudeSince(model, 4.7);
}

export type Thinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'disabled' | 'adaptive' };

export function claudeThinking(
  { model, reasoning, maxTokens, toolChoice }: ChatRequest,
  losses: Losses,
): Thinking | undefined {
  const { budgetTokens, effort } = reasoning ?? {};
  if (budgetTokens !== undefined) return { type: 'enabled', budget_tokens: budgetTokens };
  if (effort === undefined) return undefined;
  if (effort === 'none') return { type: 'disabled' };
  // The API rejects thinking with a forced tool. The effort alone is allowed.
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required';
  if (takesEffort(model)) return isForced ? undefined : { type: 'adaptive' };
  if (isForced) {
    losses.drop('reasoning', 'the reasoning effort was left out: the API does not allow thinking with a forced tool');
    return undefined;
  }
  // Thinking counts toward the limit, so at least half of it is reserved for the response.
  const room = maxTokens === undefined ? Infinity : Math.floor(maxTokens / 2);
  if (room >= leastBudget) return { type: 'enabled', budget_tokens: Math.min(effortBudgets[effort], room) };
  losses.drop('reasoning', `the reasoning effort was left out: a limit of ${maxTokens} tokens is too low for thinking`);
  return undefined;
}

/** With thinking, the API rejects a temperature other than 1 and a `top_p` below 0.95. Newer models reject both always. */
export function claudeSampling(
  { model, temperature, topP }: ChatRequest,
  thinking: Thinking | undefined,
  losses: Losses,
): Pick<ChatRequest, 'temperature' | 'topP'> {
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  const isRejected = rejectsSampling(model);
  if (!isThinking && !isRejected) return omitUndefined({ temperature: lowered(temperature, losses), topP });
  const reason = isRejected ? 'the model does not accept it' : 'the API does not allow it with thinking';
  if ((temperature ?? 1) !== 1) losses.drop('temperature', `the temperature was left out: ${reason}`);
  if (!isRejected && (topP ?? 1) >= 0.95) return omitUndefined({ topP });
  if ((topP ?? 1) !== 1) losses.drop('topP', `top_p was left out: ${reason}`);
  return {};
}

/** For APIs whose highest temperature is 1. */
export function lowered(temperature: number | undefined, losses: Losses): number | undefined {
  if (temperature === undefined || temperature <= 1) return temperature;
  losses.drop('temperature', `a temperature of ${temperature} was lowered to 1`);
  return 1;
}
