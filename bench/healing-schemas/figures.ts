// Small statistics.

/** In percent. */
export function share(count: number, total: number): number {
  return total === 0 ? 0 : (100 * count) / total;
}

/** `rank` from 0 to 1. */
export function percentile(values: readonly number[], rank: number): number {
  const ordered = values.toSorted((left, right) => left - right);
  return ordered[Math.min(ordered.length - 1, Math.floor(rank * ordered.length))] ?? 0;
}

/** How many items have each key, the most frequent first. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return [...counts].toSorted(([, left], [, right]) => right - left);
}
