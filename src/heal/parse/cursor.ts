// Where the machine is in the text. Only a window of the text is kept: what lies behind is gone but for a short
// memory, so that adding a chunk costs what the chunk costs.

import { canonical, code } from './character.ts';
import { isQuoteEntity, type Decoding } from './decoding.ts';
import { END, Lookahead, MORE } from './lookahead.ts';

const { backtick, space } = code;

/** `more`: it depends on text that has not arrived. */
export type LookaheadVerdict = 'yes' | 'no' | 'more';

/** How far back the text is kept, to look at what precedes a quote. */
export const lookbehindLength = 64;

/** Longer words and texts are no key, whatever stands around them. */
export const maxKeyLength = 128;

/** A row of the same mark is looked at for so long: waiting for its end would mean to count it again at each chunk. */
export const maxRunLength = 64;

/** Longer texts are decoded in pieces. */
const maxPieceLength = 65_536;

const thinkTags = ['think', 'thinking', 'thought', 'reasoning', 'reflection', 'scratchpad', 'analysis'];
const thinkTag = new RegExp(`^<(/?)(?:${thinkTags.join('|')})>`, 'i');
const maxTagLength = 16;

export class Cursor {
  /** The position in `text`. */
  at = 0;
  /** Counts how often `text` became another: to compare two texts is not cheap. */
  changes = 0;
  /** How long `text` is. Texts are stored in many ways, and to ask each for its length is not cheap either. */
  length = 0;
  #text = '';
  ended = false;
  /** A string's end is judged as if the text ended here, although it may not. */
  settling = false;
  #base = 0;
  /** How the text is escaped once more than it should be, and half an escape that waits for its rest. */
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

  /** `needed`: a position that may still be gone back to. */
  push(chunk: string, needed = this.position): void {
    // Twice, because what precedes a place to go back to may be looked at as well.
    const keep = Math.max(0, Math.min(this.at - 2 * lookbehindLength, needed - this.#base));
    this.text = this.text.slice(keep) + (this.#decoding === undefined ? chunk : this.#decode(this.#decoding, chunk));
    this.#base += keep;
    this.at -= keep;
  }

  /** From here on the text is escaped once more than it should be. */
  decode(decoding: Decoding): void {
    if (this.#decoding !== undefined) return;
    this.#decoding = decoding;
    this.text = this.text.slice(0, this.at) + this.#decode(decoding, this.text.slice(this.at));
    if (this.ended) this.#release();
  }

  get isDecoded(): boolean {
    return this.#decoding !== undefined;
  }

  /** In pieces: what stands for a whole text of escapes is put together from so many parts that collecting them costs most. */
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

  /** No more text will come. */
  end(): void {
    this.ended = true;
    this.#release();
  }

  /** Nothing will follow what waits. */
  #release(): void {
    if (this.#held !== '') this.text += this.#held;
    this.#held = '';
  }

  /** The position in the whole text. */
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

  /** The unit before the position; a space at the very beginning. */
  get before(): number {
    return this.at === 0 ? space : this.text.charCodeAt(this.at - 1);
  }

  ahead(offset = 1): Lookahead {
    return new Lookahead(this.text, this.at + offset, this.ended);
  }

  /** Whether a quote written as HTML stands here, this far ahead. */
  isQuoteEntity(offset = 0): LookaheadVerdict {
    return this.#decoding === undefined ? isQuoteEntity(this.text, this.at + offset, this.ended) : 'no';
  }

  /** Whether a code fence stands here. */
  get isFence(): LookaheadVerdict {
    const [first, second, third] = [this.unit, this.unitAt(1), this.unitAt(2)];
    if (first !== backtick) return 'no';
    if (second === MORE || (second === backtick && third === MORE)) return 'more';
    return second === backtick && third === backtick ? 'yes' : 'no';
  }

  /** The tag of a model's thinking that stands here. */
  get thinkTag(): { readonly length: number; readonly opens: boolean } | 'none' | 'more' {
    const text = this.text.slice(this.at, this.at + maxTagLength);
    const tag = thinkTag.exec(text);
    if (tag !== null) return { length: tag[0].length, opens: tag[1] === '' };
    return text.length < maxTagLength && !this.ended && /^<\/?[a-z]*$/i.test(text) ? 'more' : 'none';
  }
}
