// Draws the reliability of confidences as SVG: for each bin, the mean confidence and the share of faithful values, with
// its 95 % interval. On the diagonal the two are equal.

import type { Bin } from './reliability.ts';

export interface Series {
  readonly name: string;
  readonly colour: string;
  readonly bins: readonly Bin[];
}

const frame = { left: 70, top: 50, right: 410, bottom: 390 };
const [width, height] = [640, 450];

/** Both axes begin here: hardly any value is less certain. */
const lowest = 0.5;
const marks = [0.5, 0.6, 0.7, 0.8, 0.9, 1];

export function drawReliability(series: readonly Series[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    label(frame.left, 24, 'How often a healed value says what the text says, by its confidence', 'start'),
    ...marks.flatMap((mark) => [
      `<path d="M${frame.left} ${y(mark)}H${frame.right}M${x(mark)} ${frame.top}V${frame.bottom}" stroke="#e5e5e5"/>`,
      label(frame.left - 8, y(mark) + 4, percent(mark), 'end'),
      label(x(mark), frame.bottom + 20, mark.toFixed(1), 'middle'),
    ]),
    label((frame.left + frame.right) / 2, frame.bottom + 44, 'mean confidence of a bin', 'middle'),
    `<path d="M${x(lowest)} ${y(lowest)}L${x(1)} ${y(1)}" stroke="#999999" stroke-dasharray="4 4"/>`,
    ...series.flatMap((each, index) => drawSeries(each, index)),
    '</svg>',
    '',
  ].join('\n');
}

function drawSeries({ name, colour, bins }: Series, index: number): string[] {
  const top = frame.top + 20 + index * 44;
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  return [
    ...bins.flatMap((bin) => drawBin(bin, colour)),
    `<circle cx="${frame.right + 20}" cy="${top - 4}" r="5" fill="${colour}"/>`,
    label(frame.right + 32, top, name, 'start', colour),
    label(frame.right + 32, top + 17, `${count.toLocaleString('en')} values`, 'start', '#666666'),
  ];
}

function drawBin({ confidence, faithful, count }: Bin, colour: string): string[] {
  const [low, high] = interval(faithful, count);
  return [
    `<path d="M${x(confidence)} ${y(low)}V${y(high)}" stroke="${colour}" stroke-width="1.5"/>`,
    `<circle cx="${x(confidence)}" cy="${y(faithful)}" r="${round(3 + Math.log10(count))}" fill="${colour}"/>`,
  ];
}

/** The 95 % interval of a share, by Wilson's score. */
function interval(share: number, count: number): [number, number] {
  const z = 1.96;
  const centre = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const spread = (z / (1 + z ** 2 / count)) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  return [centre - spread, centre + spread];
}

function x(value: number): number {
  return round(frame.left + fraction(value) * (frame.right - frame.left));
}

function y(value: number): number {
  return round(frame.bottom - fraction(value) * (frame.bottom - frame.top));
}

function fraction(value: number): number {
  return (Math.max(value, lowest) - lowest) / (1 - lowest);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function label(
  left: number,
  top: number,
  text: string,
  anchor: 'start' | 'middle' | 'end',
  colour = '#333333',
): string {
  return `<text x="${left}" y="${top}" text-anchor="${anchor}" fill="${colour}">${text}</text>`;
}
