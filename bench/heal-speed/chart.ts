// Draws the cost of streaming by document size as SVG. Both axes are logarithmic, so a slope of one is linear and a
// slope of two quadratic.

export interface Line {
  readonly name: string;
  readonly colour: string;
  /** Kilobytes and milliseconds. */
  readonly points: readonly (readonly [number, number])[];
}

const frame = { left: 70, top: 40, right: 520, bottom: 340 };
const [width, height] = [760, 390];
/** Between the names at the ends of the lines. */
const lineHeight = 17;

export function drawChart(lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const x = scale(extent(points.map(([kilobytes]) => kilobytes)), frame.left + 12, frame.right - 12);
  const decades = extent(points.map(([, ms]) => Math.log10(ms)));
  const [low, high] = [Math.floor(decades[0]), Math.ceil(decades[1])];
  const y = scale([10 ** low, 10 ** high], frame.bottom, frame.top);
  const marks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  const sizes = [...new Set(points.map(([kilobytes]) => kilobytes))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    label(
      frame.left,
      22,
      'CPU time to stream a JSON document in 4-character chunks, the value read after each',
      'start',
    ),
    ...marks.flatMap((ms) => [
      `<path d="M${frame.left} ${y(ms)}H${frame.right}" stroke="#dddddd"/>`,
      label(frame.left - 8, y(ms) + 4, duration(ms), 'end'),
    ]),
    ...sizes.map((kilobytes) => label(x(kilobytes), frame.bottom + 20, `${kilobytes} KB`, 'middle')),
    label((frame.left + frame.right) / 2, frame.bottom + 42, 'document size (both axes logarithmic)', 'middle'),
    ...lines.flatMap((line) => drawLine(line, x, y)),
    ...nameLines(lines, y),
    '</svg>',
    '',
  ].join('\n');
}

type Scale = (value: number) => number;

function drawLine({ colour, points }: Line, x: Scale, y: Scale): string[] {
  const places = points.map(([kilobytes, ms]) => `${x(kilobytes)} ${y(ms)}`);
  return [
    `<path d="M${places.join('L')}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
    ...points.map(([kilobytes, ms]) => `<circle cx="${x(kilobytes)}" cy="${y(ms)}" r="3.5" fill="${colour}"/>`),
  ];
}

/** From top to bottom, without overlap even if lines end close together. */
function nameLines(lines: readonly Line[], y: Scale): string[] {
  const ends = lines.map(({ name, colour, points }) => ({ name, colour, ms: points.at(-1)![1] }));
  let lowest = 0;
  return ends
    .toSorted((left, right) => right.ms - left.ms)
    .map(({ name, colour, ms }) => {
      lowest = Math.max(y(ms) + 4, lowest + lineHeight);
      return label(frame.right + 6, lowest, `${name}, ${duration(ms)}`, 'start', colour);
    });
}

function scale([low, high]: readonly [number, number], from: number, to: number): Scale {
  const span = Math.log(high / low);
  return (value) => Math.round((from + (Math.log(value / low) / span) * (to - from)) * 10) / 10;
}

function extent(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function label(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end', colour = '#333333'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}">${text}</text>`;
}

export function duration(ms: number): string {
  const [amount, unit] = ms < 1000 ? [ms, 'ms'] : [ms / 1000, 's'];
  return `${amount >= 10 ? Math.round(amount).toLocaleString('en') : Number(amount.toPrecision(2))} ${unit}`;
}
