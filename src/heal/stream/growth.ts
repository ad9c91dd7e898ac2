// Compares two states of a value: has it only grown? A string grows at its end, a list at its end, an object by new
// members. Everything else stays as it is.

import type { PathKey } from '../report/flag.ts';
import type { WithState } from './visibility.ts';

/** Part of a value before and after, and where it is. */
interface ComparedPart {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: readonly PathKey[];
}

/**
 * The path of the first part of `before` that `after` lacks or changes; `undefined` if `after` is the same or more.
 * Iterative, because the text decides how deep the values are.
 */
export function contradictionOf(before: unknown, after: unknown): readonly PathKey[] | undefined {
  const stack: ComparedPart[] = [{ before, after, path: [] }];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    const [shown, now] = [bareOf(part.before), bareOf(part.after)];
    if (shown === undefined || Object.is(shown, now)) continue;
    if (!isContainer(shown) || !isContainer(now)) {
      if (!isGrownScalar(shown, now)) return part.path;
    } else if (Array.isArray(shown) !== Array.isArray(now)) return part.path;
    else stack.push(...childrenOf(shown, now, part.path).toReversed());
  }
  return undefined;
}

function childrenOf(before: object, after: object, path: readonly PathKey[]): ComparedPart[] {
  return Object.entries(before).map(([key, value]) => ({
    before: value as unknown,
    after: Object.hasOwn(after, key) ? (after as Record<string, unknown>)[key] : undefined,
    path: [...path, Array.isArray(before) ? Number(key) : key],
  }));
}

/** The value of a field with the `with-state` rule; `undefined` while it is pending. The final value has no state. */
function bareOf(value: unknown): unknown {
  if (!isContainer(value) || !('state' in value && 'value' in value)) return value;
  const { state, value: bare } = value as WithState;
  if (state === 'pending') return undefined;
  return state === 'incomplete' || state === 'complete' ? bare : value;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

function isGrownScalar(before: unknown, after: unknown): boolean {
  if (before instanceof Date) return after instanceof Date && before.getTime() === after.getTime();
  return typeof before === 'string' && typeof after === 'string' && after.startsWith(before);
}
