// Reports misspelled options and request fields. TypeScript finds them in object literals; this check is for JavaScript and
// for objects that were built elsewhere.

import { didYouMean } from '../core/suggest.ts';

/** One entry for each name of a type, so that the compiler reports a missing one. */
export type KnownNames<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>;

/** The first name of a member that is set and not known, with what is wrong. */
export function findUnknownName<T>(
  value: object,
  known: KnownNames<T>,
): { readonly name: string; readonly problem: string } | undefined {
  const name = Object.entries(value).find(([key, member]) => member !== undefined && !Object.hasOwn(known, key))?.[0];
  return name === undefined ? undefined : { name, problem: `unknown name${didYouMean(name, Object.keys(known))}` };
}
