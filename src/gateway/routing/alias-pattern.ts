// Aliases for many names. The alias `claude-*` stands for every name that starts with `claude-`; a `*` in its targets stands
// for the text that the `*` of the name matched. Invariants:
//   1. An exact alias takes precedence, then the pattern with the most characters beside the `*`.
//   2. A name that begins with a provider's name matches no pattern: it always goes to that provider.

import { entryOf } from '../../core/json.ts';
import type { AliasSettings, ResolveSettings } from './resolve.ts';

export function isPattern(name: string): boolean {
  return name.includes('*');
}

/** The alias of a requested name, with the targets for this name. */
export function findAlias(
  name: string,
  { aliases = {}, providers }: Pick<ResolveSettings, 'aliases' | 'providers'>,
): AliasSettings | undefined {
  const exact = isPattern(name) ? undefined : entryOf(aliases, name);
  if (exact !== undefined) return exact;
  const prefix = name.split('/', 1)[0];
  if (providers.some((provider) => provider.name === prefix)) return undefined;
  const patterns = Object.keys(aliases).filter(isPattern);
  for (const pattern of patterns.toSorted((left, right) => right.length - left.length)) {
    const matched = matchPattern(pattern, name);
    const alias = aliases[pattern];
    if (matched === undefined || alias === undefined) continue;
    return { ...alias, targets: alias.targets.map((target) => target.split('*').join(matched)) };
  }
  return undefined;
}

/** The text in place of the `*`, at least one character. */
function matchPattern(pattern: string, name: string): string | undefined {
  const [start = '', end = ''] = pattern.split('*');
  const isMatch = name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end);
  return isMatch ? name.slice(start.length, name.length - end.length) : undefined;
}
