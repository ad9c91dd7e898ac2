// Chooses the target with the lowest time to the first token, by a moving average in which older values count less. One
// call in twenty goes to the target with the oldest value, to notice when it has become faster.

import { toError } from '../../core/error.ts';
import { add, sortBy } from './strategies.ts';
import type { Strategy, StrategyTarget } from './strategy.ts';
import type { Clock } from '../../core/clock.ts';

interface Average {
  readonly value: number;
  readonly at: number;
}

const explorationShare = 0.05;
/** The minimum weight of a new value. */
const leastGain = 0.3;
/** After this many milliseconds, an old value has a weight of about a third. */
const memory = 30_000;
/** A failure counts as a response that took this long, because a fast failure is not a fast response. */
const failureDuration = 10_000;

export function createLatencyStrategy(clock: Clock): Strategy {
  const averages = new Map<string, Average>();
  /** Calls in progress, so that a burst at the start does not go to a single unknown target. */
  const busy = new Map<string, number>();

  function learn({ name }: StrategyTarget, duration: number): void {
    const at = clock.now();
    const before = averages.get(name);
    const gain = before === undefined ? 1 : Math.max(leastGain, 1 - Math.exp((before.at - at) / memory));
    averages.set(name, { value: (before?.value ?? 0) * (1 - gain) + duration * gain, at });
  }

  /** A target without a value is called first, to measure it. */
  function averageOf({ name }: StrategyTarget): number {
    const unknown = (busy.get(name) ?? 0) > 0 ? failureDuration : 0;
    return averages.get(name)?.value ?? unknown;
  }

  return {
    order(targets) {
      const order = sortBy(targets, averageOf);
      if (order.length < 2 || clock.random() >= explorationShare) return order;
      const [stalest] = sortBy(order.slice(1), ({ name }) => averages.get(name)?.at ?? 0);
      return stalest === undefined ? order : [stalest, ...order.filter((target) => target !== stalest)];
    },
    onStart(target) {
      add(busy, target, 1);
    },
    onFirstToken(target, duration) {
      learn(target, duration);
    },
    onEnd(target, outcome) {
      add(busy, target, -1);
      if (outcome.type === 'failed' && !isOfRequest(outcome.error)) learn(target, failureDuration);
    },
  };
}

/** The request would have failed at any target. */
function isOfRequest(thrown: unknown): boolean {
  const { kind } = toError(thrown);
  return kind === 'bad-request' || kind === 'context-overflow';
}
