// Renders two texts side by side in a frame, as lines for the terminal. Independent of the content.

import { columnsOf, type Paint } from '../../terminal/terminal.ts';

export interface Panel {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Each panel shows its last lines; `width` is the width of the complete frame. */
export function frameOf(left: Panel, right: Panel, size: { width: number; height: number }, paint: Paint): string[] {
  const [leftWidth, rightWidth] = widthsOf(size.width);
  const bar = paint('dim', '│');
  const rows = Array.from({ length: size.height }, (_, row) => {
    const cells = [cell(left, row, leftWidth, size.height), cell(right, row, rightWidth, size.height)];
    return `${bar} ${cells.join(` ${bar} `)} ${bar}`;
  });
  const top = `╭${heading(left.title, leftWidth)}┬${heading(right.title, rightWidth)}╮`;
  const bottom = `╰${'─'.repeat(leftWidth + 2)}┴${'─'.repeat(rightWidth + 2)}╯`;
  return [paint('dim', top), ...rows, paint('dim', bottom)];
}

/** The inner widths, without bars and padding. The right panel is a little wider because its text is indented. */
export function widthsOf(width: number): readonly [left: number, right: number] {
  const inside = width - 7;
  const left = Math.floor(inside * 0.46);
  return [left, inside - left];
}

/** Breaks lines at the width, even inside a word, because malformed text may have no spaces. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const characters = Array.from(line);
    const rows: string[] = [];
    for (let at = 0; at < Math.max(1, characters.length); at += width) {
      rows.push(characters.slice(at, at + width).join(''));
    }
    return rows;
  });
}

function heading(title: string, width: number): string {
  return `─ ${title} ${'─'.repeat(Math.max(0, width - columnsOf(title) - 1))}`;
}

function cell({ lines }: Panel, row: number, width: number, height: number): string {
  const shown = lines.slice(Math.max(0, lines.length - height));
  const line = shown[row] ?? '';
  return line + ' '.repeat(Math.max(0, width - columnsOf(line)));
}
