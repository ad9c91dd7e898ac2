// How much of an enumeration a run does: all of it in the full suite, a part of it in the quick one.

import { randomInt } from 'node:crypto';

const isFull = process.env['SIMPLE_AGENTS_SUITE'] === 'full';

/** Of the full suite the first number, of the quick one the second. */
export function runs(full: number, quick: number): number {
  return isFull ? full : quick;
}

/** From 0 to `last`, both included. In the quick suite every `step`th from a random start, and always both ends. */
export function* places(last: number, step: number): Generator<number> {
  const stride = runs(1, step);
  yield 0;
  for (let place = stride === 1 ? 1 : randomInt(1, stride); place < last; place += stride) yield place;
  if (last > 0) yield last;
}

/** All of them; in the quick suite every `step`th from a random start. */
export function sample<T>(items: readonly T[], step: number): readonly T[] {
  const start = randomInt(step);
  return items.filter((_item, index) => index % step === start || runs(1, step) === 1);
}
