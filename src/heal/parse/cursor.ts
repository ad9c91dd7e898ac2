// The machine's position in the text. Keeps only a window of the text, so that the cost of adding a chunk depends only
// on the chunk.

import { canonical, code } from './character.ts';
import { isQuoteEntity, type Decoding } from './decoding.ts';
import { END, Lookahead, MORE, type LookaheadVerdict } from './lookahead.ts';

const { backtick, space } = code;

/** How much text before the position is kept, to examine what precedes a quote. */
export const lookbehindLength = 64;

/** A longer word or string is never a key. */
export const maxKeyLength = 128;

/** A longer run of the same character is not counted to its end, because it would be counted again for every chunk. */
export const maxRunLength = 64;

/** Longer texts are decoded in pieces. */
const maxPieceLength = 65_536;

const thinkTags = ['think', 'thinking', 'thought', 'reasoning', 'reflection', 'scratchpad', 'analysis'];
const thinkTag = new RegExp(`^<(/?)(?:${thinkTags.join('|')})>`, 'i');
const maxTagLength = 16;

export class Cursor {
  /** The position in `text`. */
  at = 0;
  /** Counts changes of `text`, because comparing two long strings is expensive. */
  changes = 0;
  /** The length of `text`, cached for hot loops. */
  length = 0;
  #text = '';
  ended = false;
  /** The end of a string is decided as if the text ended here. */
  settling = false;
  #base = 0;
  /** How the text is escaped one time too many, and an incomplete escape at the end of the last chunk. */
  #decoding: Decoding | undefined;
  #held = '';

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.length = text.length;
    this.changes++;
  }

  /** `needed` is the earliest position that parsing may go back to. */
  push(chunk: string, needed = this.position): void {
    // Twice the length, because text before a position to go back to may be examined as well.
    const keep = Math.max(0, Math.min(this.at - 2 * lookbehindLength, needed - this.#base));
    this.text = this.text.slice(keep) + (this.#decoding === undefined ? chunk : this.#decode(this.#decoding, chunk));
    this.#base += keep;
    this.at -= keep;
  }

  /** From here on, the text is escaped one time too many. */
  decode(decoding: Decoding): void {
    if (this.#decoding !== undefined) return;
    this.#decoding = decoding;
    this.text = this.text.slice(0, this.at) + this.#decode(decoding, this.text.slice(this.at));
    if (this.ended) this.#release();
  }

  get isDecoded(): boolean {
    return this.#decoding !== undefined;
  }

  /** Decodes in pieces to limit the number of intermediate strings. */
  #decode(decoding: Decoding, chunk: string): string {
    if (chunk.length <= maxPieceLength) return this.#decodePiece(decoding, chunk);
    const pieces: string[] = [];
    for (let at = 0; at < chunk.length; at += maxPieceLength)
      pieces.push(this.#decodePiece(decoding, chunk.slice(at, at + maxPieceLength)));
    return pieces.join('');
  }

  #decodePiece({ halfLength, decode }: Decoding, piece: string): string {
    const text = this.#held + piece;
    const end = text.length - halfLength(text);
    this.#held = text.slice(end);
    return decode(text.slice(0, end));
  }

  /** No more text will arrive. */
  end(): void {
    this.ended = true;
    this.#release();
  }

  /** Appends the incomplete escape as it is. */
  #release(): void {
    if (this.#held !== '') this.text += this.#held;
    this.#held = '';
  }

  /** The position in the entire text. */
  get position(): number {
    return this.#base + this.at;
  }

  set position(position: number) {
    this.at = position - this.#base;
  }

  get unit(): number {
    return this.unitAt(0);
  }

  unitAt(offset: number): number {
    const at = this.at + offset;
    return at < this.length ? canonical(this.text.charCodeAt(at)) : this.ended ? END : MORE;
  }

  /** The code unit before the position; a space at the beginning of the text. */
  get before(): number {
    return this.at === 0 ? space : this.text.charCodeAt(this.at - 1);
  }

  ahead(offset = 1): Lookahead {
    return new Lookahead(this.text, this.at + offset, this.ended);
  }

  /** Whether an HTML-escaped quote is at this offset. */
  isQuoteEntity(offset = 0): LookaheadVerdict {
    return this.#decoding === undefined ? isQuoteEntity(this.text, this.at + offset, this.ended) : 'no';
  }

  /** Whether a code fence is here. */
  get isFence(): LookaheadVerdict {
    const [first, second, third] = [this.unit, this.unitAt(1), this.unitAt(2)];
    if (first !== backtick) return 'no';
    if (second === MORE || (second === backtick && third === MORE)) return 'more';
    return second === backtick && third === backtick ? 'yes' : 'no';
  }

  /** The thinking tag at the position, if there is one. */
  get thinkTag(): { readonly length: number; readonly opens: boolean } | 'none' | 'more' {
    const text = this.text.slice(this.at, this.at + maxTagLength);
    const tag = thinkTag.exec(text);
    if (tag !== null) return { length: tag[0].length, opens: tag[1] === '' };
    return text.length < maxTagLength && !this.ended && /^<\/?[a-z]*$/i.test(text) ? 'more' : 'none';
  }
}
