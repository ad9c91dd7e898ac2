// Reads text in triple quotes or in a code fence where a string is expected. Models write code into JSON this way.

import { code, isSeparator } from './character.ts';
import type { Cursor } from './cursor.ts';
import { Lookahead, MORE, type LookaheadVerdict } from './lookahead.ts';
import type { Node } from './node.ts';

const { closeCurly, closeSquare } = code;

export class BlockReader {
  readonly node: Node;
  readonly #cursor: Cursor;
  readonly #fence: string;
  #text = '';

  /** The cursor is after the opening delimiter. */
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
    // Text up to the closing delimiter is appended as one piece. Many small appends would build a deep rope string.
    for (let from = cursor.at; ;) {
      const at = cursor.text.indexOf(this.#fence, from);
      if (at === -1) {
        // The last two characters may be the beginning of the closing delimiter.
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

  /** A closing delimiter is followed by a structural character, or is at the end of a line. */
  #closes(at: number): LookaheadVerdict {
    const ahead = new Lookahead(this.#cursor.text, at, this.#cursor.ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    const structural = isSeparator(unit) || unit === closeCurly || unit === closeSquare;
    return unit < 0 || structural || ahead.newline ? 'yes' : 'no';
  }
}

/** Where the text of a block begins: after the delimiter and, for a fence, after the line that names the language. */
export function blockStart(cursor: Cursor, fence: string): number | 'more' {
  const at = cursor.at + fence.length;
  if (fence !== '```') return at;
  const line = cursor.text.slice(at, at + maxLanguageLength).indexOf('\n');
  if (line !== -1) return at + line;
  return cursor.ended || cursor.text.length >= at + maxLanguageLength ? at : 'more';
}

/** A longer line does not name a language. */
const maxLanguageLength = 80;

/** Removes the first and last line break and the common indentation. */
export function dedent(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n');
  if (lines[0]?.trim() === '') lines.shift();
  if (lines.at(-1)?.trim() === '') lines.pop();
  let shared = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line.trim() !== '') shared = Math.min(shared, line.length - line.trimStart().length);
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(shared))).join('\n');
}
