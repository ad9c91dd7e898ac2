// Round robin, evenly or by weight: the smooth weighted round robin of nginx. Each call adds its weight to the credit of
// every target; the target with the most credit is called and pays the sum of the weights. Unlike a random choice, it is
// exact in any run of calls, and it spreads the calls: with weights 3 and 1 the order is a a b a, never a a a b.

import { sortBy } from './strategies.ts';
import type { Strategy, StrategyTarget } from './strategy.ts';
import type { Clock } from '../../core/clock.ts';

export function createRoundRobinStrategy(clock: Clock): Strategy {
  return createSmoothRoundRobin(clock, () => 1);
}

export function createWeightedStrategy(clock: Clock): Strategy {
  return createSmoothRoundRobin(clock, ({ weight }) => weight);
}

/** Starts at a random position, so that programs with one call each do not all call the same target. */
const skippedTurns = 100;

function createSmoothRoundRobin(clock: Clock, weightOf: (target: StrategyTarget) => number): Strategy {
  const routes = new Map<string, Map<string, number>>();

  function creditsOf(route: string, targets: readonly StrategyTarget[]): Map<string, number> {
    let credits = routes.get(route);
    if (credits === undefined) {
      credits = new Map();
      routes.set(route, credits);
      for (let skip = Math.floor(clock.random() * skippedTurns); skip > 0; skip--) takeTurn(targets, credits);
    }
    return credits;
  }

  function takeTurn<T extends StrategyTarget>(targets: readonly T[], credits: Map<string, number>): readonly T[] {
    let sum = 0;
    for (const target of targets) {
      const weight = weightOf(target);
      sum += weight;
      credits.set(target.name, (credits.get(target.name) ?? 0) + weight);
    }
    const order = sortBy(targets, ({ name }) => -(credits.get(name) ?? 0));
    const [first] = order;
    if (first !== undefined) credits.set(first.name, (credits.get(first.name) ?? 0) - sum);
    return order;
  }

  return { order: (targets, { route }) => takeTurn(targets, creditsOf(route, targets)) };
}
