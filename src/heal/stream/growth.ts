// Compares two states of a value: has it only grown? A string grows at its end, a list at its end, an object by new
// members. Everything else stays as it is.

import type { PathKey } from '../report/flag.ts';
import { toKeys, type LinkedPath } from '../report/linked-path.ts';
import type { WithState } from './visibility.ts';

/** Part of a value before and after, and where it is. */
interface ComparedPart {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: LinkedPath | undefined;
}

/**
 * The path of the first part of `before` that `after` lacks or changes; `undefined` if `after` is the same or more.
 * `hasStates`: the schema has the `with-state` rule. Iterative, because the text decides how deep the values are.
 */
export function contradictionOf(before: unknown, after: unknown, hasStates = false): readonly PathKey[] | undefined {
  const stack: ComparedPart[] = [{ before, after, path: undefined }];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    const [shown, now] = hasStates ? [bareOf(part.before), bareOf(part.after)] : [part.before, part.after];
    if (shown === undefined || Object.is(shown, now)) continue;
    if (!isContainer(shown) || !isContainer(now)) {
      if (!isGrownScalar(shown, now)) return toKeys(part.path);
    } else if (Array.isArray(shown) !== Array.isArray(now)) return toKeys(part.path);
    else for (const child of childrenOf(shown, now, part.path)) stack.push(child);
  }
  return undefined;
}

function childrenOf(before: object, after: object, parent: LinkedPath | undefined): ComparedPart[] {
  // Reversed, because the last on the stack is compared first.
  const entries = Object.entries(before).toReversed();
  return entries.map(([key, value]) => ({
    before: value as unknown,
    after: Object.hasOwn(after, key) ? (after as Record<string, unknown>)[key] : undefined,
    path: { parent, key: Array.isArray(before) ? Number(key) : key },
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
