// How much of an exhaustive test a run covers: everything in the full suite, a sample in the quick one.

import { randomInt } from 'node:crypto';

const isFull = process.env['SIMPLE_AGENTS_SUITE'] === 'full';

/** The first number in the full suite, the second in the quick one. */
export function runs(full: number, quick: number): number {
  return isFull ? full : quick;
}

/** From 0 to `last` inclusive. In the quick suite every `step`th from a random start, plus both ends. */
export function* places(last: number, step: number): Generator<number> {
  const stride = runs(1, step);
  yield 0;
  for (let place = stride === 1 ? 1 : randomInt(1, stride); place < last; place += stride) yield place;
  if (last > 0) yield last;
}

/** All items; in the quick suite every `step`th from a random start. */
export function sample<T>(items: readonly T[], step: number): readonly T[] {
  const start = randomInt(step);
  return items.filter((_item, index) => index % step === start || runs(1, step) === 1);
}
