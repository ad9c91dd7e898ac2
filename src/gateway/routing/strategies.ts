// The simple strategies: priority, cost and least busy.

import type { Strategy, StrategyTarget } from './strategy.ts';

/** In the configured order. */
export function createPriorityStrategy(): Strategy {
  return { order: (targets) => targets };
}

/** The cheapest first; targets with an unknown price last. */
export function createCostStrategy(): Strategy {
  return { order: (targets) => sortBy(targets, ({ price = Number.POSITIVE_INFINITY }) => price) };
}

/** The target with the fewest calls in progress; among equals, the one with the fewest calls so far. */
export function createLeastBusyStrategy(): Strategy {
  const busy = new Map<string, number>();
  const asked = new Map<string, number>();
  return {
    order: (targets) =>
      sortBy(
        sortBy(targets, ({ name }) => asked.get(name) ?? 0),
        ({ name }) => busy.get(name) ?? 0,
      ),
    onStart(target) {
      add(busy, target, 1);
      add(asked, target, 1);
    },
    onEnd(target) {
      add(busy, target, -1);
    },
  };
}

export function add(counts: Map<string, number>, { name }: StrategyTarget, change: number): void {
  counts.set(name, (counts.get(name) ?? 0) + change);
}

/** Stable. Compares instead of subtracting, because keys may be infinite. */
export function sortBy<T>(items: readonly T[], key: (item: T) => number): readonly T[] {
  return items.toSorted((left, right) => {
    const [first, second] = [key(left), key(right)];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}
