// How far confidences are from the share of values that are faithful.

export interface Prediction {
  readonly confidence: number;
  readonly isFaithful: boolean;
}

export interface Bin {
  readonly count: number;
  /** The mean of the confidences, and the share that is faithful. */
  readonly confidence: number;
  readonly faithful: number;
}

export interface Reliability {
  readonly count: number;
  readonly bins: readonly Bin[];
  /** Expected calibration error: the mean distance between confidence and faithful share, over all predictions. */
  readonly error: number;
  /** The mean squared distance between confidence and truth. */
  readonly brier: number;
}

const edges = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1];

/** A smaller bin would say little. */
const smallestBin = 20;

export function measureReliability(predictions: readonly Prediction[]): Reliability {
  const bins = binsOf(predictions).map(toBin);
  const count = predictions.length;
  const distances = bins.map((bin) => bin.count * Math.abs(bin.confidence - bin.faithful));
  const squares = predictions.map(({ confidence, isFaithful }) => (confidence - Number(isFaithful)) ** 2);
  return { count, bins, error: sum(distances) / count, brier: sum(squares) / count };
}

/** A bin that is too small is joined with the next. The last one is joined with the one before it. */
function binsOf(predictions: readonly Prediction[]): Prediction[][] {
  const bins: Prediction[][] = [[]];
  const ordered = predictions.toSorted((left, right) => left.confidence - right.confidence);
  for (const [index, each] of ordered.entries()) {
    const isNext = index > 0 && rangeOf(each) !== rangeOf(ordered[index - 1] as Prediction);
    if (isNext && (bins.at(-1)?.length ?? 0) >= smallestBin) bins.push([]);
    bins.at(-1)?.push(each);
  }
  const last = bins.at(-1) ?? [];
  if (bins.length > 1 && last.length < smallestBin) bins.splice(-2, 2, [...(bins.at(-2) ?? []), ...last]);
  return bins;
}

function rangeOf({ confidence }: Prediction): number {
  return edges.filter((edge) => confidence >= edge).length;
}

function toBin(predictions: readonly Prediction[]): Bin {
  const count = predictions.length;
  return {
    count,
    confidence: sum(predictions.map(({ confidence }) => confidence)) / count,
    faithful: predictions.filter(({ isFaithful }) => isFaithful).length / count,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
