// What families of models refuse with 400, as data. Translations leave it out or replace it; the simulated vendors refuse
// it as the real ones do. A request in the provider's own format is never changed: the vendor may accept what a row here
// refuses. `rules = false` in `[[providers]]` turns the rows off.

import type { Quirks } from './wire.ts';

export type RefusedFeature =
  /** A tool choice that forces a call: `any`, `required` or the name of a tool. */
  | 'forced-tool'
  /** Another temperature than 1, another `top_p` than 1, and every `top_k`. */
  | 'sampling'
  /** A number of tokens for thinking. These models take an effort. */
  | 'thinking-budget'
  /** A request without thinking. */
  | 'no-thinking';

interface ModelRule {
  readonly refuses: RefusedFeature;
  /** The first version of each family of Claude that refuses it. `every`: of the families that are not named. */
  readonly since: Readonly<Record<string, number>>;
  /** The page that says so, and the day on which it was read. */
  readonly source: string;
  readonly read: string;
}

export const modelRules: readonly ModelRule[] = [
  {
    refuses: 'forced-tool',
    // Opus 5, Sonnet 5, Fable 5 and Haiku 5.5 accept it.
    since: { opus: 5.5, sonnet: 5.5, fable: 5.1, mythos: 5.1 },
    source: 'https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5#forced-tool-use-is-not-supported',
    read: '2026-11-19',
  },
  {
    refuses: 'sampling',
    since: { every: 4.7 },
    source: 'https://platform.claude.com/docs/en/models/haiku-5-5/migration-guide',
    read: '2026-11-19',
  },
  {
    refuses: 'thinking-budget',
    since: { every: 4.7 },
    source: 'https://platform.claude.com/docs/en/models/sonnet-5-5/whats-new-sonnet-5-5',
    read: '2026-11-19',
  },
  {
    refuses: 'no-thinking',
    // Haiku 5.5 accepts it.
    since: { opus: 5.5, sonnet: 5.5, fable: 5, mythos: 5 },
    source: 'https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5#thinking-cant-be-disabled',
    read: '2026-11-19',
  },
];

/** Whether a model refuses a feature. The name may be that of any vendor that sells the model. */
export function refuses(
  model: string,
  feature: RefusedFeature,
  { quirks }: { readonly quirks?: Pick<Quirks, 'rules'> } = {},
): boolean {
  if (quirks?.rules === false || !/claude/i.test(model)) return false;
  const rule = modelRules.find((row) => row.refuses === feature);
  const [, family = ''] = claudeFamily.exec(model) ?? [];
  const first = rule?.since[family.toLowerCase()] ?? rule?.since['every'];
  return first !== undefined && isClaudeSince(model, first);
}

/** The family in `claude-3-7-sonnet`, `claude-sonnet-4-20250514` or `claude-opus-4.6`. */
const claudeFamily = /claude-(?:[\d.-]+-)?([a-z]+)/i;

/** The major and minor version in the same names. */
const claudeVersion = /claude-(?:[a-z]+-)?(\d+)(?:[.-](\d)(?!\d))?/i;

/** Whether the model is Claude of this version or later. A name without a number counts as the newest. */
export function isClaudeSince(model: string, version: number): boolean {
  if (!/claude/i.test(model)) return false;
  const [, major = '9', minor = '0'] = claudeVersion.exec(model) ?? [];
  return Number(`${major}.${minor}`) >= version;
}
