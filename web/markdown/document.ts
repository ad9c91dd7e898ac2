// Markdown that grows, lexed piece by piece. Blocks that later text cannot change are lexed once, so the work for each piece
// of text does not depend on the text before it.
// Invariants: the sources of the settled blocks joined are the beginning of the text; a settled block keeps its identity;
// one step settles a piece of bounded length, unless it is one block of code.

import type { Token } from 'marked';
import { lexMarkdown } from './bounded-lexer.ts';

export type MarkdownToken = Token & {
  /** The rest of a paragraph or of a table that was too long for one piece. */
  readonly isContinued?: boolean;
};

/** The last blocks may still grow: a list continues after a blank line. */
const unsettledBlocks = 2;
/** The characters that one step lexes. */
const pieceLength = 2000;
/** A longer list or quotation is continued by another one. */
const longestBlock = 2 * pieceLength;
/** The characters of a group. Only the last group of settled blocks is drawn again. */
const groupLength = 1500;

export class MarkdownDocument {
  /** Settled blocks, in groups. */
  readonly groups: MarkdownToken[][] = [];
  /** The blocks that may still change. */
  open: readonly MarkdownToken[] = [];
  #text = '';
  /** Characters in the last group. */
  #grouped = 0;
  #settled = 0;
  /** The length of the next piece. It grows for a long block. */
  #length = pieceLength;
  #isContinued = false;
  /** The head of a table that was cut. The rest needs it to be a table. */
  #tableHead = '';

  /** Other text than a continuation of the last one starts again. Nothing is lexed until `advance`. */
  update(given: string): void {
    // The lexer counts a line ending as one character.
    const text = given.replaceAll('\r', '');
    if (!text.startsWith(this.#text)) this.#clear();
    this.#text = text;
  }

  /** Lexes the next piece. Returns whether the text goes on. */
  advance(): boolean {
    for (;;) {
      const piece = this.#text.slice(this.#settled, this.#settled + this.#length);
      const isEnd = this.#settled + piece.length === this.#text.length;
      const tokens = this.#lex(piece);
      const count = Math.max(0, tokens.length - unsettledBlocks);
      const isFilled = count === 0 && !isEnd;
      if (isFilled && mayGrow(tokens.at(-1), piece)) {
        this.#length *= 2;
        continue;
      }
      this.open = isEnd ? tokens.slice(count) : [];
      if (isFilled) this.#cut(piece);
      else if (count > 0) this.#settle(tokens.slice(0, count));
      return !isEnd;
    }
  }

  #cut(piece: string): void {
    const part = piece.slice(0, findBreak(piece));
    const tokens = this.#lex(part);
    const head = this.#tableHead;
    this.#settle(tokens);
    const last = tokens.at(-1);
    this.#isContinued = last?.type === 'paragraph' || last?.type === 'table';
    if (last?.type === 'table') this.#tableHead = head || headOf(last.raw);
  }

  #lex(source: string): MarkdownToken[] {
    const head = this.#tableHead;
    const [first, ...others]: Token[] = lexMarkdown(head + source);
    if (first === undefined) return [];
    if (!this.#isContinued) return [first, ...others];
    const isContinued = first.type === 'paragraph' || first.type === 'table';
    return [{ ...first, raw: first.raw.slice(head.length), isContinued }, ...others];
  }

  #settle(tokens: readonly MarkdownToken[]): void {
    for (const token of tokens) this.#add(token);
    this.#length = pieceLength;
    this.#isContinued = false;
    this.#tableHead = '';
  }

  #add(token: MarkdownToken): void {
    const last = this.groups.at(-1);
    const isFull = last === undefined || this.#grouped >= groupLength;
    if (isFull) this.groups.push([token]);
    // A new list, so that the group is drawn again.
    else this.groups[this.groups.length - 1] = [...last, token];
    this.#grouped = (isFull ? 0 : this.#grouped) + token.raw.length;
    this.#settled += token.raw.length;
  }

  #clear(): void {
    this.groups.length = 0;
    this.open = [];
    this.#settled = 0;
    this.#length = pieceLength;
    this.#isContinued = false;
    this.#tableHead = '';
  }
}

/** Whether the last block of a piece should have more room. Paragraphs and tables can be cut anywhere, code nowhere. */
function mayGrow(last: Token | undefined, { length }: string): boolean {
  if (last?.type === 'code') return true;
  return last?.type !== 'paragraph' && last?.type !== 'table' && length < longestBlock;
}

function headOf(table: string): string {
  return table.split('\n', 2).join('\n') + '\n';
}

/** Before the last line that is not indented, else after the last line, else after the last word. */
const breaks = [/^.*\n(?=\S)/s, /^.*\n/s, /^.* /s];

/** Anywhere but inside a character if there is no better place in the second half. */
function findBreak(piece: string): number {
  const half = Math.ceil(piece.length / 2);
  for (const pattern of breaks) {
    const found = pattern.exec(piece.slice(half));
    if (found !== null) return half + found[0].length;
  }
  return /[\uD800-\uDBFF]$/.test(piece) ? piece.length - 1 : piece.length;
}
