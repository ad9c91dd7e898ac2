// Reads one string, in any kind of quotes, with any unescaped content. Decides at each quote whether it ends the
// string, and goes back once, a bounded distance, if it finds that the closing quote is missing.

import { closersOf, code, isQuote, isWord } from './character.ts';
import { ClosingRun } from './closing-run.ts';
import { maxKeyLength, lookbehindLength, type Cursor } from './cursor.ts';
import { readEscape } from './escape.ts';
import { endsAtMismatchedQuote } from './mismatched-quote.ts';
import { GrowingText } from './growing-text.ts';
import { InnerQuotes } from './inner-quote.ts';
import { END, MORE } from './lookahead.ts';
import { maxSearchLength, MissingEndQuote, type EndPoint } from './missing-end-quote.ts';
import type { Node } from './node.ts';
import type { StringOpening } from './string-opening.ts';
import { judgeQuote, quoteRunLength, type StringRole, type QuoteContext } from './quote.ts';
import { closingStart, wrongQuote, strayBrackets, unsettledLength } from './string-tail.ts';
import type { Tree } from './tree.ts';

const { backslash, closeCurly, closeSquare, doubleQuote, less, openCurly, openSquare } = code;

const lineStart = /\n\s*$/;

/** Members inside a string. */
const swallowed = /["'`’”]\s*:\s*(?:["'`‘“\d{[-]|(?:true|false|null)\b)/;

/**
 * Code units that neither end a string nor need any other handling. A table lookup, because this covers most of a text.
 */
const isOrdinary = Uint8Array.from({ length: 128 }, (_, unit) =>
  unit >= 32 && !'"\'`\\<{}[]'.includes(String.fromCharCode(unit)) ? 1 : 0,
);

export class StringReader {
  readonly role: StringRole;
  /** The opening quote. */
  readonly quote: number;
  /** The node of the string; `undefined` for a key. */
  readonly node: Node | undefined;
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #start: number;
  readonly #opening: StringOpening;
  readonly #closers: readonly number[];
  /** The opening quote was escaped, so the closing one may be too. */
  readonly #escaped: boolean;
  /** Inside thinking, where `</think>` ends the string. */
  readonly #thinking: boolean;
  readonly #text: GrowingText;
  readonly #inner = new InnerQuotes();
  readonly #missing: MissingEndQuote;
  readonly #closing: ClosingRun;
  #openCurly = 0;
  #openSquare = 0;
  /** Length of the text before the first control character. */
  #firstControl = Infinity;
  #isCut = false;

  /** The cursor is at the opening quote, and is moved past it. */
  constructor(
    cursor: Cursor,
    tree: Tree,
    options: {
      readonly role: StringRole;
      readonly opening: StringOpening;
      readonly node: Node | undefined;
      readonly thinking: boolean;
    },
  ) {
    const { role, opening } = options;
    this.#cursor = cursor;
    this.#tree = tree;
    this.role = role;
    this.#opening = opening;
    this.node = options.node;
    this.#thinking = options.thinking;
    this.#escaped = cursor.before === backslash;
    this.#start = options.node?.start ?? cursor.position;
    this.#text = new GrowingText(typeof options.node?.value === 'string' ? options.node.value : '');
    this.#missing = new MissingEndQuote(cursor, this.#text, { role, opening, inner: this.#inner });
    this.#closing = new ClosingRun(cursor, tree);
    const quote = cursor.unit;
    this.quote = quote;
    this.#closers = closersOf(quote) ?? [quote];
    if (quote !== doubleQuote || opening === 'doubled') tree.mark('fixed-quotes');
    cursor.at += opening === 'plain' ? 1 : 2;
  }

  get text(): string {
    return this.#text.full;
  }

  get isDoubled(): boolean {
    return this.#opening === 'doubled';
  }

  /** Returns the text added since the last call; `undefined` if the text did not only grow. */
  takeAdded(): string | undefined {
    return this.#text.takeAdded();
  }

  /** The part from `start` on that can no longer change. The string may turn out to have ended earlier. */
  settledFrom(start: number): string {
    const { length } = this.#text;
    const end = Math.min(this.#endPoint()?.length ?? length, this.#inner.firstStray ?? length);
    const tail = this.#text.slice(Math.max(0, end - lookbehindLength), end);
    return this.#text.slice(start, end - unsettledLength(tail));
  }

  /** The earliest position that reading may go back to. */
  get needed(): number {
    if (this.role === 'key' && this.#text.length < maxSearchLength) return this.#start;
    // Brackets before that point may be given back too.
    const point = this.#endPoint();
    return point === undefined ? this.#cursor.position : point.position - lookbehindLength;
  }

  read(): 'closed' | 'more' | 'interrupted' {
    const cursor = this.#cursor;
    let from = cursor.at;
    for (; cursor.at < cursor.length; cursor.at++) {
      const unit = cursor.text.charCodeAt(cursor.at);
      if (unit < 128 && isOrdinary[unit] === 1) continue;
      if (!this.#isStop(unit)) {
        this.#note(unit, cursor.at - from);
        continue;
      }
      this.#text.append(cursor.text.slice(from, cursor.at));
      const done = this.#stop(unit);
      if (done !== 'read') return done;
      from = cursor.at;
      cursor.at--;
    }
    this.#text.append(cursor.text.slice(from, cursor.at));
    this.#missing.forgetFar();
    this.#closing.forgetFar();
    return 'more';
  }

  /** The first point where the string may have ended. */
  #endPoint(): EndPoint | undefined {
    const { resume } = this.#missing;
    const { point } = this.#closing;
    if (resume === undefined || point === undefined) return resume ?? point;
    return point.position < resume.position ? point : resume;
  }

  /**
   * The text ended inside the string. Brackets at its very end that close exactly the open containers are not part of
   * it.
   */
  cut(): void {
    this.#isCut = true;
    if (this.role === 'key' ? this.#cutKey() : this.#cutToLine()) return;
    if (!this.#cutToStray() && !this.#cutWrongQuote() && !this.#cutClosers()) this.#tree.mark('closed-truncated');
    this.#markString();
  }

  /** `{"key: value}`: a key without a closing quote ended at its colon. */
  #cutKey(): boolean {
    const colon = this.text.indexOf(':');
    if (colon < 1 || this.#text.length >= maxKeyLength || this.#opening !== 'plain') return false;
    this.#missing.endAtColon(this.#start, colon);
    this.#goBack();
    return true;
  }

  /** The string ended at a line end, before another string or before closing brackets. */
  #cutToLine(): boolean {
    const isEnded = this.#missing.isBeforeCutLine() || this.#closing.endsBeforeCut(this.#missing.isBeforeNext());
    if (isEnded) this.#goBackToLine();
    return isEnded;
  }

  /** The quote taken for an inner one was the end. What follows it is not part of the value. */
  #cutToStray(): boolean {
    const { firstStray, count } = this.#inner;
    if (this.role !== 'member' || firstStray === undefined || count !== 1) return false;
    this.#text.cutTo(this.text.slice(0, firstStray));
    this.#inner.count = 0;
    this.#tree.mark('dropped-text');
    return true;
  }

  /** A top-level string can only have a wrong closing quote, such as a backtick closed by an apostrophe. */
  #cutWrongQuote(): boolean {
    if (this.role !== 'root' || this.quote === doubleQuote || this.#inner.count > 0) return false;
    if (!wrongQuote.test(this.text)) return false;
    this.#text.cutTo(this.text.slice(0, -1));
    this.#isCut = false;
    return true;
  }

  #cutClosers(): boolean {
    const tail = this.text.slice(closingStart(this.text));
    const closers = tail.replaceAll(/[^}\]]/g, '');
    if (this.role === 'key' || closers === '' || this.#hasOpen() || closers !== this.#closersNeeded()) return false;
    this.#text.cutTo(this.text.slice(0, -tail.length).replace(wrongQuote, ''));
    this.#tree.mark('inserted-quote');
    return true;
  }

  /** The brackets that would close all open containers. */
  #closersNeeded(): string {
    return this.#tree.frames
      .map((frame) => (frame.node.kind === 'object' ? '}' : ']'))
      .toReversed()
      .join('');
  }

  /** Whether brackets were opened in the string and not closed. */
  #hasOpen(): boolean {
    return this.#openCurly + this.#openSquare > 0;
  }

  /** `pending` is the length of the text read but not appended yet. */
  #note(unit: number, pending: number): void {
    if (unit < 32) this.#firstControl = Math.min(this.#firstControl, this.#text.length + pending);
    else if ((unit === closeCurly || unit === closeSquare) && !this.#hasOpen()) this.#noteCloser(unit, pending);
    else if (unit === openCurly) this.#openCurly++;
    else if (unit === closeCurly) this.#openCurly = Math.max(0, this.#openCurly - 1);
    else if (unit === openSquare) this.#openSquare++;
    else if (unit === closeSquare) this.#openSquare = Math.max(0, this.#openSquare - 1);
  }

  #noteCloser(unit: number, pending: number): void {
    if (this.role !== 'member' && this.role !== 'item') return;
    this.#closing.note(unit, this.#text.length + pending, this.#inner.quotations);
  }

  #isStop(unit: number): boolean {
    if (unit === backslash || isQuote(unit)) return true;
    // No other ASCII character closes a string.
    return unit <= 127 ? unit === less && this.#thinking : this.#closes(unit);
  }

  #closes(unit: number): boolean {
    return unit === this.#closers[0] || unit === this.#closers[1];
  }

  #stop(unit: number): 'read' | 'closed' | 'more' | 'interrupted' {
    if (unit === backslash) return this.#escape();
    if (unit === less) return this.#tag();
    return this.#closes(unit) ? this.#quote() : this.#mismatchedQuote();
  }

  /** A quote of another kind ends the string only if what follows shows that one of the two is mistyped. */
  #mismatchedQuote(): 'read' | 'closed' | 'more' {
    // If opening and closing quotes differ, a second opening quote after a comma begins the next string.
    const opensNext = this.#cursor.unit === this.quote && (this.role === 'member' || this.role === 'item');
    if (opensNext && this.#missing.endsBeforeQuote()) return this.#goBack();
    const isInner =
      this.#tree.frame === undefined ||
      this.role === 'key' ||
      this.#text.length === 0 ||
      this.#inner.count > 0 ||
      this.#hasOpen();
    const ends = isInner ? 'no' : endsAtMismatchedQuote(this.#cursor, this.#tree, this.role, this.quote);
    if (ends !== 'yes') return ends === 'more' ? 'more' : this.#take(1);
    this.#tree.mark('fixed-quotes');
    this.#cursor.at++;
    this.#markString();
    return 'closed';
  }

  #tag(): 'read' | 'more' | 'interrupted' {
    const tag = this.#cursor.thinkTag;
    if (tag === 'more') return 'more';
    return tag === 'none' || tag.opens ? this.#take(1) : 'interrupted';
  }

  /** At a quote that may close the string. */
  #quote(): 'read' | 'closed' | 'more' {
    const doubled = this.isDoubled;
    const atValue = this.role === 'key' ? this.#missing.isAtValue() : 'no';
    if (atValue !== 'no') return atValue === 'more' ? 'more' : this.#goBack();
    const run = quoteRunLength(this.#cursor, this.role, doubled);
    if (run === 0) return 'more';
    const last = this.#cursor.at + run - 1;
    const missing = this.#missing.closesNextKey(last);
    if (missing !== 'no') return missing === 'more' ? 'more' : this.#goBack();
    const verdict = this.#opensLine() ? 'inner' : judgeQuote(this.#context(run), last);
    if (verdict === 'more') return 'more';
    if (verdict === 'inner') return this.#takeInner(run);
    if (run === 1 && this.#missing.endsNext()) return this.#goBack();
    if (run === 1 && this.#closing.endsBeforeQuotation(this.#inner.quotations)) return this.#goBackToLine();
    const marks = doubled && run > 1 ? 2 : 1;
    if (run > marks && this.#takeInner(run - marks) === 'closed') return 'closed';
    this.#cursor.at += marks;
    this.#markString();
    return 'closed';
  }

  /** Whether a quote in a list begins a line and is followed by a word, so that it cannot close a string. */
  #opensLine(): boolean {
    const cursor = this.#cursor;
    if (this.role !== 'item' || !isWord(cursor.unitAt(1))) return false;
    return lineStart.test(cursor.text.slice(Math.max(0, cursor.at - lookbehindLength), cursor.at));
  }

  /** Whether the text is the name of a field of the object around the array. */
  #isOuterField(): boolean {
    return this.#text.length <= maxKeyLength && this.#tree.frames.at(-2)?.expect?.knows(this.text) === true;
  }

  #context(run: number): QuoteContext {
    const cursor = this.#cursor;
    const { frame } = this.#tree;
    return {
      text: cursor.text,
      ended: cursor.ended || cursor.settling,
      role: this.role,
      innerQuotes: this.#inner.quotations + run - (this.isDoubled && run > 1 ? 2 : 1),
      openCurly: this.#openCurly,
      openSquare: this.#openSquare,
      keysQuoted: frame !== undefined && frame.quotedKeys > 0,
      wantsString: frame?.expect?.item()?.wantsString === true && !this.#isOuterField(),
      depth: this.#tree.frames.length,
    };
  }

  #take(length: number): 'read' {
    this.#text.append(this.#cursor.text.slice(this.#cursor.at, this.#cursor.at + length));
    this.#cursor.at += length;
    return 'read';
  }

  #takeInner(run: number): 'read' | 'closed' {
    if (this.role === 'key' && this.#missing.endsBeforeColon()) return this.#goBack();
    if (run === 1 && (this.#missing.isAfterNext() || this.#closing.endsBeforeOpening())) return this.#goBackToLine();
    this.#missing.note();
    this.#inner.add(this.#cursor, run, this.#text.length);
    return this.#take(run);
  }

  /** Ends the string at the end of a line, or before the brackets that follow it. */
  #goBackToLine(): 'closed' {
    if (!this.#missing.isBeforeNext()) this.#missing.forget();
    return this.#goBack();
  }

  /** Ends the string at the first point where it may have ended. Reading continues there. */
  #goBack(): 'closed' {
    const { position, length, quotations } = this.#endPoint() as EndPoint;
    const before = this.text.slice(0, length);
    // Brackets before the comma that the string did not open are not part of it.
    const tail = this.role === 'key' ? '' : strayBrackets(before);
    this.#text.cutTo(before.slice(0, before.length - tail.length).replace(wrongQuote, ''));
    this.#cursor.position = position - tail.length;
    const { firstStray } = this.#inner;
    const isStray = this.role === 'member' && firstStray !== undefined && firstStray < this.#text.length;
    if (isStray) {
      this.#text.cutTo(this.text.slice(0, firstStray));
      this.#inner.count = 0;
    } else this.#inner.keep(quotations);
    this.#tree.mark(isStray ? 'dropped-text' : 'inserted-quote');
    this.#markString();
    return 'closed';
  }

  /** Whether the end of the string is a guess: it has unescaped inner quotes, or no closing quote. */
  #isDoubtful(): boolean {
    return this.#inner.count > 0 || this.#isCut;
  }

  #markString(): void {
    const range = { start: this.#start, end: this.#cursor.position };
    if (this.#inner.exist) this.#tree.mark('fixed-inner-quotes', range);
    if (this.#firstControl < this.#text.length) this.#tree.mark('fixed-control-character', range);
    // A repaired string that contains members has probably swallowed them.
    if (this.#isDoubtful() && swallowed.test(this.text)) this.#tree.mark('guessed-structure', range);
  }

  #escape(): 'read' | 'closed' | 'more' {
    const cursor = this.#cursor;
    const next = cursor.unitAt(1);
    if (next === MORE) return 'more';
    // An escape truncated by the end of the text is dropped.
    if (next === END) {
      cursor.at++;
      return 'read';
    }
    if (this.#escaped && this.#closes(next)) {
      const verdict = judgeQuote(this.#context(1), cursor.at + 1);
      if (verdict === 'more') return 'more';
      if (verdict === 'close') {
        cursor.at += 2;
        this.#markString();
        return 'closed';
      }
    }
    const text = readEscape(cursor, this.#tree, this.quote);
    if (text === undefined) return 'more';
    this.#text.append(text);
    return 'read';
  }
}
