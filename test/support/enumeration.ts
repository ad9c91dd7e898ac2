// How much of an exhaustive test a run covers: everything in the full suite, a sample in the quick one.

import { randomInt } from 'node:crypto';

const isFull = process.env['SIMPLE_AGENTS_SUITE'] === 'full';

/** The first in the full suite, the second in the quick one. */
export function runs<T>(full: T, quick: T): T {
  return isFull ? full : quick;
}

/** From 0 to `last` inclusive. In the quick suite every `step`th, plus both ends. */
export function* places(last: number, step: number): Generator<number> {
  const stride = runs(1, step);
  yield 0;
  for (let place = 1 + startBelow(Math.max(1, stride - 1)); place < last; place += stride) yield place;
  if (last > 0) yield last;
}

/** All items; in the quick suite every `step`th. */
export function sample<T>(items: readonly T[], step: number): readonly T[] {
  const start = startBelow(step);
  return items.filter((_item, index) => index % step === start || runs(1, step) === 1);
}

/** In CI always the same sample, so that a failure there can be repeated; elsewhere another one in each run. */
function startBelow(step: number): number {
  return process.env['CI'] === undefined ? randomInt(step) : 0;
}
