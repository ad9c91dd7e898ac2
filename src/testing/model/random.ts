// A seeded random generator: the same seed gives the same numbers on every machine and in every version of Node.

export interface Random {
  /** From 0 up to but not including 1. */
  next(): number;
  /** Both ends included. */
  integer(minimum: number, maximum: number): number;
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T;
  chance(probability: number): boolean;
}

/** The mulberry32 generator, with 32 bits of state. */
export function createRandom(seed: string): Random {
  let state = hash(seed);
  return randomFrom(() => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  });
}

/** Builds a `Random` from a source of numbers from 0 up to but not including 1. */
export function randomFrom(next: () => number): Random {
  const integer = (minimum: number, maximum: number): number =>
    Math.min(maximum, minimum + Math.floor(next() * (maximum - minimum + 1)));
  return {
    next,
    integer,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('cannot pick from an empty list');
      return list[integer(0, list.length - 1)] as (typeof list)[number];
    },
    chance: (probability) => next() < probability,
  };
}

/** A short hash of a text: 16 hexadecimal digits. Not cryptographic. */
export function fingerprint(text: string): string {
  const first = hash(text);
  return hex(first) + hex(hash(`${hex(first)}${text}`));
}

/** FNV-1a over UTF-16 units, with a final mix so that similar texts get different hashes. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}
