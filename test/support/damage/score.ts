// Compares healed values with the accepted ones and counts. The bars are those of the scorecard.

import { isDeepStrictEqual } from 'node:util';

import { HealError, heal, type Flag } from '../../../src/heal/index.ts';
import { styles } from '../../../src/testing/damage/damage.ts';
import type { DamageCase } from './case.ts';

/** A text to heal, with or without its schema. */
export interface HealRun {
  readonly damaged: Pick<DamageCase, 'text' | 'schema' | 'accepted' | 'isCut'>;
  readonly isTyped: boolean;
}

/** One case of the scorecard. */
export interface Run extends HealRun {
  readonly damaged: DamageCase;
}

export interface Attempt {
  readonly value: unknown;
  readonly confidence?: number;
  readonly flags?: readonly Flag[];
}

export interface Outcome extends Partial<Attempt> {
  /** `doubted` is the right value, but with a confidence below the default minimum. */
  readonly verdict: 'exact' | 'doubted' | 'wrong' | 'refused' | 'crashed';
  readonly message?: string;
}

export interface Scored extends Run {
  readonly outcome: Outcome;
}

/** In percent. */
export const bars = { exact: 99, style: 95, pairs: 90, confidentlyWrong: 0.5 };

/** The default of `minConfidence`. */
const sure = 0.7;

/** Each case with its schema, and also without if possible. */
export function runsOf(cases: Iterable<DamageCase>): Run[] {
  return [...cases].flatMap((damaged) =>
    damaged.needsSchema
      ? [{ damaged, isTyped: true }]
      : [
          { damaged, isTyped: true },
          { damaged, isTyped: false },
        ],
  );
}

export function judge(accepted: readonly unknown[], attempt: Attempt): Outcome {
  const isRight = accepted.some((value) => isDeepStrictEqual(attempt.value, value));
  const verdict = (attempt.confidence ?? 1) >= sure ? 'exact' : 'doubted';
  return { verdict: isRight ? verdict : 'wrong', ...attempt };
}

/** Also examines values below the minimum confidence, to distinguish doubted from wrong ones. */
export function healRun({ damaged, isTyped }: HealRun): Outcome {
  const options = { minConfidence: 0 };
  try {
    const result = isTyped ? heal(damaged.text, damaged.schema, options) : heal(damaged.text, undefined, options);
    return judge(damaged.accepted, result);
  } catch (error) {
    if (error instanceof HealError) return { verdict: 'refused', message: `${error.kind}: ${error.message}` };
    return { verdict: 'crashed', message: String(error) };
  }
}

export function isConfidentlyWrong({ outcome }: Scored): boolean {
  return outcome.verdict === 'wrong' && (outcome.confidence ?? 1) >= sure;
}

export function isExact({ outcome }: Scored): boolean {
  return outcome.verdict === 'exact';
}

/** The percentage of `scored` that `accepts` returns true for; undefined if there are none. */
export function percent(scored: readonly Scored[], accepts: (each: Scored) => boolean): number | undefined {
  return scored.length === 0 ? undefined : (100 * scored.filter(accepts).length) / scored.length;
}

/** The groups of the scorecard, by name. */
export const groups: Readonly<Record<string, (run: Run) => boolean>> = {
  all: () => true,
  ...Object.fromEntries(styles.map((style) => [style, ({ damaged }: Run) => damaged.style === style])),
  single: ({ damaged }) => damaged.kinds.length === 1,
  pairs: ({ damaged }) => damaged.kinds.length === 2,
  typed: ({ isTyped }) => isTyped,
  untyped: ({ isTyped }) => !isTyped,
};

/** A message for every bar that is missed. */
export function missedBars(scored: readonly Scored[]): string[] {
  const missed: string[] = [];
  const expectExact = (name: string, bar: number): void => {
    const exact =
      percent(
        scored.filter((each) => groups[name]!(each)),
        isExact,
      ) ?? 0;
    if (!(exact >= bar)) missed.push(`${name}: ${exact.toFixed(2)} % exact, the bar is ${bar} %`);
  };
  expectExact('all', bars.exact);
  for (const style of styles) expectExact(style, bars.style);
  expectExact('pairs', bars.pairs);
  const wrong = percent(scored, isConfidentlyWrong) ?? 100;
  if (!(wrong < bars.confidentlyWrong))
    missed.push(`wrong but confident: ${wrong.toFixed(2)} %, the bar is ${bars.confidentlyWrong} %`);
  return missed;
}
