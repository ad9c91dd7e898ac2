// Formats the subject of a permission question as screen rows: a diff, a command or the arguments of a tool. Nothing is cut.
// A line wider than the screen becomes several rows, so that the number of rows is the height on the screen.

import type { PermissionQuestion } from '../../coder/permission/permission.ts';
import type { Paint } from '../terminal/terminal.ts';
import { paintDiffLine } from './tool-lines.ts';
import { toVisibleText } from './visible-text.ts';

export interface RowStyle {
  readonly paint: Paint;
  /** The width of the screen. */
  readonly columns: number;
}

const indent = '  ';
const narrowest = 20;
/** The lines of a diff that name the two files. */
const headerLines = 2;

export function toRows({ input, preview, grant }: PermissionQuestion, { paint, columns }: RowStyle): string[] {
  const width = Math.max(narrowest, columns - 2 * indent.length);
  if (preview !== undefined) {
    const lines = withoutCommonReturns(toLines(preview.text));
    return lines.flatMap((line) => wrap(toVisibleText(line), width).map((row) => paintRow(line, row, paint)));
  }
  const lines = toLines(grant.kind === 'command' ? grant.command : (JSON.stringify(input, undefined, 2) ?? ''));
  return lines.flatMap((line) => wrap(toVisibleText(line), width)).map((row) => `${indent}${row}`);
}

/** A line break at the end does not start another line. */
function toLines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** Carriage returns are shown only if some lines have one and others do not. */
function withoutCommonReturns(lines: readonly string[]): readonly string[] {
  const content = lines.slice(headerLines).filter((line) => /^[ +-]/.test(line));
  if (!content.every((line) => line.endsWith('\r'))) return lines;
  return lines.map((line) => line.replace(/\r$/, ''));
}

function wrap(line: string, width: number): string[] {
  const characters = Array.from(line.replaceAll('\t', '    '));
  const count = Math.max(1, Math.ceil(characters.length / width));
  return Array.from({ length: count }, (_, at) => characters.slice(at * width, (at + 1) * width).join(''));
}

/** Paints a row in the colour of its line. */
function paintRow(line: string, row: string, paint: Paint): string {
  return `${indent}${paintDiffLine(line.slice(0, 1), (format) => paint(format, row))}`;
}
