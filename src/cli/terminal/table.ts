// Formats a table for the terminal. Columns are as wide as their content; the least important are dropped if the table
// does not fit.

import { columnsOf } from './terminal.ts';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => string;
  /** Columns with the highest number are dropped first; a column without a number is always shown. */
  readonly dispensable?: number;
}

const gap = '  ';

export function formatTable<T>(rows: readonly T[], columns: readonly Column<T>[], width: number): string {
  const texts = columns.map(({ title, cell }) => [title, ...rows.map(cell)]);
  const widths = texts.map((cells) => Math.max(...cells.map(columnsOf)));
  const shown = chooseColumns(columns, widths, width);
  const lines = [undefined, ...rows].map((_row, line) =>
    shown.map((column) => pad(texts[column]?.[line] ?? '', widths[column] ?? 0)).join(gap),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** The indices of the columns that fit. */
function chooseColumns(
  columns: readonly Pick<Column<never>, 'dispensable'>[],
  widths: readonly number[],
  width: number,
): number[] {
  let shown = [...columns.keys()];
  const total = () => shown.reduce((sum, column) => sum + (widths[column] ?? 0), gap.length * (shown.length - 1));
  const priorityOf = (column: number) => columns[column]?.dispensable ?? 0;
  while (total() > width) {
    const least = shown.toSorted((left, right) => priorityOf(right) - priorityOf(left))[0] ?? 0;
    if (priorityOf(least) === 0) break;
    shown = shown.filter((column) => column !== least);
  }
  return shown;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOf(text)));
}
