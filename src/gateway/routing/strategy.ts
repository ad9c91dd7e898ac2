// Which of several targets is asked first. A strategy is given the targets that can answer a call and orders them; the
// first is asked, the rest stand by. It may keep what it is told of earlier calls. Anyone can write one.

import type { Outcome } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { createCostStrategy, createLeastBusyStrategy, createPriorityStrategy } from './strategies.ts';
import { createLatencyStrategy } from './strategy-latency.ts';
import { createRoundRobinStrategy, createWeightedStrategy } from './strategy-round-robin.ts';
import { systemClock, type Clock } from '../../core/clock.ts';

/** What a strategy may know of a target. */
export interface StrategyTarget {
  /** `provider/model`; unique within a route. */
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  /** 1 when nobody said otherwise. */
  readonly weight: number;
  /** Of a typical call, to compare with; left out where prices are not known. */
  readonly price?: number;
}

export interface StrategyCall {
  readonly request: ChatRequest;
  /** What the call named: an alias, a model, or nothing. Each has its own turns. */
  readonly route: string;
}

export interface Strategy {
  /** The same targets, those to be asked sooner first. Called once for each call. */
  order<T extends StrategyTarget>(targets: readonly T[], call: StrategyCall): readonly T[];
  /** A target is being asked. */
  onStart?(target: StrategyTarget): void;
  /** It began to answer, after so many milliseconds. */
  onFirstToken?(target: StrategyTarget, duration: number): void;
  /** The answer is over; also when there was none. Follows every start. */
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
