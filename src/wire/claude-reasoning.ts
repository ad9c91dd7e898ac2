// How Claude takes a reasoning effort, a token budget and sampling, on every wire that reaches it. Its versions differ.

import { isForcedChoice, type ChatRequest, type ReasoningEffort } from '../core/request.ts';
import { omitUndefined } from '../core/json.ts';
import type { Losses } from './loss.ts';
import { isClaudeSince, refuses } from './model-rules.ts';
import { nearestEffort } from './reasoning-effort.ts';
import type { EncodeOptions } from './wire.ts';

/** The effort in the vendor's words, for models that take one. */
export function claudeEffort({ model, reasoning = {} }: ChatRequest, options: EncodeOptions): string | undefined {
  const { budgetTokens, effort } = reasoning;
  if (budgetTokens === undefined && !takesEffort(model)) return undefined;
  if (effort === 'none') return refuses(model, 'no-thinking', options) ? 'low' : undefined;
  if (effort !== undefined) return effortWords[effort];
  return budgetTokens !== undefined && refuses(model, 'thinking-budget', options)
    ? nearestEffort(budgetTokens)
    : undefined;
}

const effortWords: Readonly<Record<Exclude<ReasoningEffort, 'none'>, string>> = {
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

/** Claude accepts `effort` and adaptive thinking since 4.6. Older versions and other models accept only a budget. */
function takesEffort(model: string): boolean {
  return isClaudeSince(model, 4.6);
}

export type Thinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'disabled' | 'adaptive' };

export function claudeThinking(request: ChatRequest, options: EncodeOptions, losses: Losses): Thinking | undefined {
  const { model, reasoning, maxTokens = Infinity } = request;
  const { budgetTokens, effort } = reasoning ?? {};
  if (budgetTokens !== undefined && !refuses(model, 'thinking-budget', options)) {
    return withBudget(budgetTokens, maxTokens, losses);
  }
  if (effort === 'none') return withoutThinking(model, options, losses);
  if (budgetTokens !== undefined) losses.add(`a thinking budget of ${budgetTokens} tokens became an effort`);
  // The API rejects thinking with a forced tool. The effort alone is allowed.
  const isForced = isForcedChoice(request.toolChoice);
  if (effort === undefined && budgetTokens === undefined) return undefined;
  if (takesEffort(model)) return isForced ? undefined : { type: 'adaptive' };
  if (effort === undefined) return undefined;
  if (isForced) {
    losses.drop('reasoning', 'the reasoning effort was left out: the API does not allow thinking with a forced tool');
    return undefined;
  }
  if (hasNoRoom(maxTokens)) return withoutRoom(maxTokens, losses);
  // Thinking counts toward the limit, so half of it is reserved for the response, if the smallest budget allows that.
  const room = Math.max(leastBudget, Math.floor(maxTokens / 2));
  return { type: 'enabled', budget_tokens: Math.min(effortBudgets[effort], room) };
}

/** A budget of another wire, within the bounds of the API: at least the smallest, and less than the token limit. */
function withBudget(wanted: number, maxTokens: number, losses: Losses): Thinking | undefined {
  if (hasNoRoom(maxTokens)) return withoutRoom(maxTokens, losses);
  const budget = Math.min(Math.max(wanted, leastBudget), maxTokens - 1);
  if (budget !== wanted) losses.drop('reasoning', `a reasoning budget of ${wanted} tokens became ${budget}`);
  return { type: 'enabled', budget_tokens: budget };
}

/** The API requires a budget below the limit. */
function hasNoRoom(maxTokens: number): boolean {
  return maxTokens <= leastBudget;
}

function withoutRoom(maxTokens: number, losses: Losses): undefined {
  losses.drop('reasoning', `the reasoning was left out: a limit of ${maxTokens} tokens is too low for thinking`);
}

function withoutThinking(model: string, options: EncodeOptions, losses: Losses): Thinking | undefined {
  if (!refuses(model, 'no-thinking', options)) return { type: 'disabled' };
  losses.drop('reasoning', 'the effort "none" became "low": the model always thinks');
  return undefined;
}

/** With thinking, the API rejects a temperature other than 1 and a `top_p` below 0.95. Newer models reject both always. */
export function claudeSampling(
  { model, temperature, topP }: ChatRequest,
  { thinking, options, losses }: SamplingContext,
): Pick<ChatRequest, 'temperature' | 'topP'> {
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  const isRejected = refuses(model, 'sampling', options);
  if (!isThinking && !isRejected) return omitUndefined({ temperature: lowered(temperature, losses), topP });
  const reason = isRejected ? 'the model does not accept it' : 'the API does not allow it with thinking';
  if ((temperature ?? 1) !== 1) losses.drop('temperature', `the temperature was left out: ${reason}`);
  if (!isRejected && (topP ?? 1) >= 0.95) return omitUndefined({ topP });
  if ((topP ?? 1) !== 1) losses.drop('topP', `top_p was left out: ${reason}`);
  return {};
}

export interface SamplingContext {
  readonly thinking: Thinking | undefined;
  readonly options: EncodeOptions;
  readonly losses: Losses;
}

/** For APIs whose highest temperature is 1. */
export function lowered(temperature: number | undefined, losses: Losses): number | undefined {
  if (temperature === undefined || temperature <= 1) return temperature;
  losses.drop('temperature', `a temperature of ${temperature} was lowered to 1`);
  return 1;
}
