// Ends of turns that differ from those of the agent: turns that never began, and turns that a hook has continued.

import type { TurnEnd } from '../../../agent/event.ts';
import { toError } from '../../../core/error.ts';
import { addUsage, noUsage } from '../../../core/usage.ts';

export const emptyEnd: TurnEnd = {
  type: 'turn-end',
  reason: 'end',
  text: '',
  usage: noUsage,
  cost: 0,
  iterations: 0,
  duration: 0,
};

/** A turn that could not begin. */
export function failedEnd(thrown: unknown): TurnEnd {
  const error = toError(thrown);
  const isOverspent = error.kind === 'bad-request' && error.field === 'cost';
  return isOverspent ? { ...emptyEnd, reason: 'cost-limit', error } : { ...emptyEnd, reason: 'error', error };
}

/** Two turns that are one to the host. */
export function joinEnds(first: TurnEnd, second: TurnEnd): TurnEnd {
  const { cost: before, ...rest } = first;
  const cost = before === undefined || second.cost === undefined ? {} : { cost: before + second.cost };
  const { cost: _cost, ...last } = second;
  return {
    ...last,
    ...cost,
    usage: addUsage(rest.usage, second.usage),
    iterations: rest.iterations + second.iterations + 1,
    duration: rest.duration + second.duration,
  };
}
