// The reasoning effort for wires and models that have no token budget for reasoning.

import type { Reasoning } from '../core/request.ts';
import type { Losses } from './loss.ts';

/** A token budget becomes the nearest effort. */
export function encodeEffort(reasoning: Reasoning | undefined, losses: Losses): string | undefined {
  if (reasoning?.budgetTokens === undefined) return reasoning?.effort;
  if (reasoning.effort !== undefined) return reasoning.effort;
  const effort = nearestEffort(reasoning.budgetTokens);
  losses.add(`a reasoning budget of ${reasoning.budgetTokens} tokens became the effort "${effort}"`);
  return effort;
}

export function nearestEffort(budgetTokens: number): 'low' | 'medium' | 'high' {
  if (budgetTokens <= 2048) return 'low';
  return budgetTokens <= 16384 ? 'medium' : 'high';
}
