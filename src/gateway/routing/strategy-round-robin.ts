// Taking turns, evenly or by weight: smooth weighted round-robin, as nginx has it. Each call gives every target its
// weight in credit; the one with most credit is asked and pays the sum. Exact in any stretch of calls, unlike drawing
// lots, and spread out: with weights 3 and 1 the turns are a a b a, never a a a b.

import { sortBy } from './strategies.ts';
import type { Strategy, StrategyTarget } from './strategy.ts';
import type { Clock } from '../../core/clock.ts';

export function createRoundRobinStrategy(clock: Clock): Strategy {
  return createSmoothRoundRobin(clock, () => 1);
}

export function createWeightedStrategy(clock: Clock): Strategy {
  return createSmoothRoundRobin(clock, ({ weight }) => weight);
}

/** A program that asks once shall not ask the same target each time it runs. */
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
