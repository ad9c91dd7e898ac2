// Generated inputs for comparisons with other implementations. The same seed gives the same inputs.

export interface InputSource {
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Uint8Array<ArrayBuffer>;
  /** Up to `length` characters, also reserved, white space, of several bytes and of two code units. */
  text(length: number): string;
}

const characters = Array.from(
  'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_.~!\'()*+ /?&=%#:;,@$"<>[]{}|\\^`éßñ中文😀🎉',
);

export function createSource(seed: number): InputSource {
  let state = seed;
  /** Mulberry32. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
    text: (length) => Array.from({ length: below(length + 1) }, () => characters[below(characters.length)]).join(''),
  };
}
