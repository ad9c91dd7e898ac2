// The target that begins to answer soonest: a moving average of the time to the first token, in which old figures count
// the less the longer ago they are. One call in twenty goes to the target not heard of for longest, for the others
// would never learn that it has become faster.

import { toError } from '../../core/error.ts';
import { add, sortBy } from './strategies.ts';
import type { Strategy, StrategyTarget } from './strategy.ts';
import type { Clock } from '../../core/clock.ts';

interface Average {
  readonly value: number;
  readonly at: number;
}

const explorationShare = 0.05;
/** A new figure counts at least this much. */
const leastGain = 0.3;
/** After so many milliseconds an old figure counts for a third. */
const memory = 30_000;
/** A failure counts as an answer that took so long: failing quickly is not being quick. */
const failureDuration = 10_000;

export function createLatencyStrategy(clock: Clock): Strategy {
  const averages = new Map<string, Average>();
  /** Calls under way, so that a burst at the very start does not all go to one target that nothing is known of. */
  const busy = new Map<string, number>();

  function learn({ name }: StrategyTarget, duration: number): void {
    const at = clock.now();
    const before = averages.get(name);
    const gain = before === undefined ? 1 : Math.max(leastGain, 1 - Math.exp((before.at - at) / memory));
    averages.set(name, { value: (before?.value ?? 0) * (1 - gain) + duration * gain, at });
  }

  /** Who has never answered is asked first; there is nothing else to know it by. */
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

/** It would have failed anywhere. */
function isOfRequest(thrown: unknown): boolean {
  const { kind } = toError(thrown);
  return kind === 'bad-request' || kind === 'context-overflow';
}
