// A strategy orders the targets that can serve a call: the first is called, the rest are fallbacks. It may learn from
// earlier calls. Users can write their own.

import type { Outcome } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { createCostStrategy, createLeastBusyStrategy, createPriorityStrategy } from './strategies.ts';
import { createLatencyStrategy } from './strategy-latency.ts';
import { createRoundRobinStrategy, createWeightedStrategy } from './strategy-round-robin.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

/** A target as a strategy sees it. */
export interface StrategyTarget {
  /** `provider/model`; unique within a route. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** Defaults to 1. */
  readonly weight: number;
  /** The price of a typical call, for comparison; absent if unknown. */
  readonly price?: number;
}

export interface StrategyCall {
  readonly request: ChatRequest;
  /** The requested name: an alias, a model, or empty. Round robin counts each name separately. */
  readonly route: string;
}

export interface Strategy {
  /** The same targets in the order in which to call them. Invoked once for each call. */
  order<T extends StrategyTarget>(targets: readonly T[], call: StrategyCall): readonly T[];
  /** A target is called. */
  onStart?(target: StrategyTarget): void;
  /** The target started to respond after `duration` milliseconds. */
  onFirstToken?(target: StrategyTarget, duration: number): void;
  /** The call has ended, with or without a response. Follows every start. */
  onEnd?(target: StrategyTarget, outcome: Outcome): void;
}

const strategies = {
  priority: createPriorityStrategy,
  'round-robin': createRoundRobinStrategy,
  weighted: createWeightedStrategy,
  latency: createLatencyStrategy,
  cost: createCostStrategy,
  'least-busy': createLeastBusyStrategy,
} as const satisfies Readonly<Record<string, (clock: Clock) => Strategy>>;

export type StrategyName = keyof typeof strategies;

export const strategyNames = Object.keys(strategies) as readonly StrategyName[];

export function createStrategy(name: StrategyName, clock: Clock = systemClock): Strategy {
  return strategies[name](clock);
}
