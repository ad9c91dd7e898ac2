// Series and figures for the charts, from the summaries of the last seconds.

import type { LiveTick } from './feed.ts';

/** Seconds that the charts show. */
export const shownSeconds = 120;
/** Seconds whose samples make one point of a latency curve. */
const smoothing = 5;

export type Series = readonly (number | null)[];

/** The value of which a share of all values is not larger; null without values. */
export function quantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const ordered = values.toSorted((left, right) => left - right);
  return ordered[Math.min(ordered.length - 1, Math.ceil(share * ordered.length) - 1)] ?? null;
}

/** A point for each of the last seconds; null where there is no summary. */
export function alignTicks(ticks: readonly LiveTick[], now: number): readonly (LiveTick | undefined)[] {
  const byAge = new Map(ticks.map((tick) => [Math.round((now - tick.time) / 1000), tick]));
  return Array.from({ length: shownSeconds }, (_, index) => byAge.get(shownSeconds - 1 - index));
}

export function counts(ticks: readonly (LiveTick | undefined)[], of: (tick: LiveTick) => number): Series {
  return ticks.map((tick) => (tick === undefined ? null : of(tick)));
}

export function quantiles(
  ticks: readonly (LiveTick | undefined)[],
  of: (tick: LiveTick) => readonly number[],
  share: number,
): Series {
  return ticks.map((_, index) => {
    const recent = ticks.slice(Math.max(0, index - smoothing + 1), index + 1);
    return quantile(
      recent.flatMap((tick) => (tick === undefined ? [] : of(tick))),
      share,
    );
  });
}

export function sum(ticks: readonly (LiveTick | undefined)[], of: (tick: LiveTick) => number): number {
  return ticks.reduce((total, tick) => total + (tick === undefined ? 0 : of(tick)), 0);
}

export interface TargetFigures {
  readonly name: string;
  readonly attempts: number;
  readonly failed: number;
  readonly latency: number | null;
}

export function targetFigures(ticks: readonly (LiveTick | undefined)[]): TargetFigures[] {
  const entries = ticks.flatMap((tick) => Object.entries(tick?.targets ?? {}));
  return [...Map.groupBy(entries, ([name]) => name)].map(([name, list]) => ({
    name,
    attempts: list.reduce((total, [, { attempts }]) => total + attempts, 0),
    failed: list.reduce((total, [, { failed }]) => total + failed, 0),
    latency: quantile(
      list.flatMap(([, { latency }]) => latency),
      0.5,
    ),
  }));
}
