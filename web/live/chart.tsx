// A small chart of the last two minutes.

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../app/theme.ts';
import { shownSeconds, type Series } from './statistics.ts';

export interface Curve {
  readonly name: string;
  /** The number of its colour. */
  readonly color: 1 | 2 | 3 | 4;
  readonly points: Series;
}

export interface ChartProps {
  readonly title: string;
  readonly figure: string;
  readonly curves: readonly Curve[];
  readonly format: (value: number) => string;
}

const height = 110;
const seconds = Array.from({ length: shownSeconds }, (_, index) => index - shownSeconds + 1);

export function Chart({ title, figure, curves, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const names = curves.map(({ name }) => name).join();
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const made = new uPlot(optionsFor(box, curves, format), dataOf(curves), box);
    plot.current = made;
    const resize = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height }));
    resize.observe(box);
    return () => {
      resize.disconnect();
      made.destroy();
    };
    // The colours are read when the chart is made.
  }, [names, theme.value]);
  useEffect(() => plot.current?.setData(dataOf(curves)), [curves]);
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <b>{figure}</b>
        {curves.length > 1 && (
          <ul class="legend">
            {curves.map(({ name, color }) => (
              <li key={name} class={`series-${color}`}>
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
    </figure>
  );
}

function dataOf(curves: readonly Curve[]): uPlot.AlignedData {
  return [seconds, ...curves.map(({ points }) => [...points])];
}

function optionsFor(box: HTMLElement, curves: readonly Curve[], format: ChartProps['format']): uPlot.Options {
  const style = getComputedStyle(box);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--soft'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: box.clientWidth,
    height,
    cursor: { show: false },
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        values: (_plot, splits) => splits.map((value) => describeAge(value)),
      },
      { ...axis, size: 50, space: 34, values: (_plot, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      ...curves.map((curve) => ({
        stroke: color(`--series-${curve.color}`),
        width: 1.75,
        points: { show: false },
        spanGaps: true,
      })),
    ],
  };
}

function describeAge(value: number): string {
  return value >= 0 ? 'now' : `${-value} s`;
}
