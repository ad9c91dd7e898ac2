// Reads text set off by three quotes or a code fence in place of a string, as models write code into JSON.

import { code, isSeparator } from './character.ts';
import type { LookaheadVerdict, Cursor } from './cursor.ts';
import { Lookahead, MORE } from './lookahead.ts';
import type { Node } from './node.ts';

const { closeCurly, closeSquare } = code;

export class BlockReader {
  readonly node: Node;
  readonly #cursor: Cursor;
  readonly #fence: string;
  #text = '';

  /** The cursor stands behind the opening marks. */
  constructor(cursor: Cursor, fence: string, node: Node) {
    this.#cursor = cursor;
    this.#fence = fence;
    this.node = node;
  }

  get text(): string {
    return dedent(this.#text);
  }

  read(): 'closed' | 'more' {
    const cursor = this.#cursor;
    const marks = this.#fence.length;
    // What is passed is taken in one piece: joined mark by mark it would be a tree with a node for each.
    for (let from = cursor.at; ;) {
      const at = cursor.text.indexOf(this.#fence, from);
      if (at === -1) {
        // The last two characters may be the beginning of the closing marks.
        this.#take(cursor.ended ? cursor.text.length : Math.max(from, cursor.text.length - 2));
        return 'more';
      }
      const closes = this.#closes(at + marks);
      if (closes !== 'no') {
        this.#take(closes === 'yes' ? at : from);
        if (closes === 'more') return 'more';
        cursor.at += marks;
        return 'closed';
      }
      from = at + marks;
    }
  }

  #take(end: number): void {
    this.#text += this.#cursor.text.slice(this.#cursor.at, end);
    this.#cursor.at = end;
  }

  /** Marks that end a block stand before something structural, or at the end of a line. */
  #closes(at: number): LookaheadVerdict {
    const ahead = new Lookahead(this.#cursor.text, at, this.#cursor.ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    const structural = isSeparator(unit) || unit === closeCurly || unit === closeSquare;
    return unit < 0 || structural || ahead.newline ? 'yes' : 'no';
  }
}

/** Where the text of a block begins: behind the marks and, for a fence, behind the line that names the language. */
export function blockStart(cursor: Cursor, fence: string): number | 'more' {
  const at = cursor.at + fence.length;
  if (fence !== '```') return at;
  const line = cursor.text.slice(at, at + maxLanguageLength).indexOf('\n');
  if (line !== -1) return at + line;
  return cursor.ended || cursor.text.length >= at + maxLanguageLength ? at : 'more';
}

/** A longer line names no language. */
const maxLanguageLength = 80;

/** Without the line breaks that only set the text off, and without the indentation all its lines share. */
export function dedent(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  if (lines[0]?.trim() === '') lines.shift();
  if (lines.at(-1)?.trim() === '') lines.pop();
  let shared = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line.trim() !== '') shared = Math.min(shared, line.length - line.trimStart().length);
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(shared))).join('\n');
}
