// Reads one quoted string, in whatever quotes, with whatever stands inside unescaped. Decides at each quote whether it
// is the end, and goes back once, a bounded way, when it finds that the end quote is missing.

import { canonical, closersOf, code, isQuote, isSeparator, isSpace, isWord } from './character.ts';
import { longestRun, memory, type Answer, type Cursor } from './cursor.ts';
import { END, FAR, MORE, type Lookahead } from './lookahead.ts';
import type { Node } from './node.ts';
import { judgeQuote, type Place } from './quote.ts';
import type { Frame, Tree } from './tree.ts';

/** How long a key may be when the quote before it turns out to open it. */
const longestKey = 128;

/** How far a key without an end quote may run over its value, a list perhaps, up to the next quote. */
const longestSearch = 2048;

/** How much of the end of a text is kept apart. */
const kept = 1024;

/** How a string begins. `block`: with three quotes, and is no plain string. */
export type Opening = 'plain' | 'doubled' | 'block' | 'more';

/** Three quotes open a block; two before a word are one quote written twice. `isDoubled`: so stood the last key. */
export function readOpening(cursor: Cursor, place: Place, isDoubled: boolean): Opening {
  const quote = cursor.unit;
  if (quote !== code.doubleQuote && quote !== code.singleQuote) return 'plain';
  if (cursor.unitAt(1) === MORE) return cursor.settling ? 'plain' : 'more';
  if (cursor.unitAt(1) !== quote) return 'plain';
  const third = cursor.unitAt(2);
  if (third === MORE && !cursor.settling) return 'more';
  if (third === quote && isDoubled && place !== 'key') return readEmpty(cursor, quote);
  if (third === quote && place !== 'key') return place === 'member' ? readTriple(cursor) : 'block';
  if (isDoubled && place !== 'key') return isSeparator(third) || isClosing(third) ? 'plain' : 'doubled';
  if (isWord(third)) return readDoubled(cursor, quote);
  return place === 'key' && isSpace(third) ? readEmptyKey(cursor) : 'plain';
}

/** Three quotes may be an empty string and the quote of the next key, the comma missing. */
function readTriple(cursor: Cursor): Opening {
  const key = cursor.ahead(2).key();
  return key === 'more' && !cursor.settling ? 'more' : key === 'key' ? 'plain' : 'block';
}

/** Four quotes are an empty string where quotes are doubled. */
function readEmpty(cursor: Cursor, quote: number): Opening {
  const fourth = cursor.unitAt(3);
  return fourth === MORE && !cursor.settling ? 'more' : fourth === quote ? 'doubled' : 'block';
}

/** An empty key stands before its colon; words behind two quotes are the key. */
function readEmptyKey(cursor: Cursor): Opening {
  const unit = cursor.ahead(2).skip();
  if (unit === MORE) return cursor.settling ? 'plain' : 'more';
  return isWord(unit) ? 'doubled' : 'plain';
}

/**
 * Two quotes and a word: one quote written twice if the next ones are two as well, or if the next one ends the string;
 * else a quotation at the start.
 */
function readDoubled(cursor: Cursor, quote: number): Opening {
  const ahead = cursor.ahead(2);
  while (ahead.unit >= 0 && ahead.unit !== quote) ahead.at++;
  if (ahead.unit === MORE) return cursor.settling ? 'plain' : 'more';
  if (ahead.unit < 0) return 'plain';
  const next = ahead.unitAt(1);
  if (next === MORE && !cursor.settling) return 'more';
  if (next === quote) return 'doubled';
  ahead.at++;
  const unit = ahead.skip();
  if (unit === MORE) return cursor.settling ? 'plain' : 'more';
  return isClosing(unit) ? 'doubled' : 'plain';
}

function isClosing(unit: number): boolean {
  return unit === code.closeCurly || unit === code.closeSquare;
}

/** A place to go back to. */
interface Resume {
  readonly position: number;
  readonly length: number;
  /** How many inner quotes there were before it, strays left out. */
  readonly quotations: number;
  /** It stands before a key without quotes. */
  readonly bareKey: boolean;
  /** A closing bracket stands before it. */
  readonly endsInBracket: boolean;
}

export class StringReader {
  readonly place: Place;
  /** What it began with. */
  readonly quote: number;
  /** Where the string is shown; nothing for a key. */
  readonly node: Node | undefined;
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #start: number;
  readonly #opening: Opening;
  readonly #closers: readonly number[];
  /** Its opening quote was escaped, and so its end quote may be. */
  readonly #escaped: boolean;
  /** `</think>` ends it, wherever it stands. */
  readonly #thinking: boolean;
  #text: string;
  /** The end of the text, for what is judged by it. */
  #tail = '';
  /** A longer end, for whoever sends the text on while it grows: looking at the whole would copy it each time. */
  #recent = '';
  /** What was added since the text was last shown; nothing when it did not only grow. */
  #added: string | undefined = '';
  #innerQuotes = 0;
  /** Inner quotes between two letters, which open no quotation. */
  #apostrophes = 0;
  #openCurly = 0;
  #openSquare = 0;
  #control = false;
  #isCut = false;
  /** Where the string may have ended, if its end quote is missing: before the comma that precedes a quote. */
  #resume: Resume | undefined;
  /** Inner quotes that look like the end of a quotation although none is open: `32" wide`. */
  #strays = 0;
  /** How long the text was at the first of them. */
  #firstStray: number | undefined;

  /** The cursor stands at the opening quote, and is moved behind it. */
  constructor(
    cursor: Cursor,
    tree: Tree,
    options: {
      readonly place: Place;
      readonly opening: Opening;
      readonly node: Node | undefined;
      readonly thinking: boolean;
    },
  ) {
    this.#cursor = cursor;
    this.#tree = tree;
    this.place = options.place;
    this.node = options.node;
    this.#opening = options.opening;
    this.#thinking = options.thinking;
    this.#escaped = cursor.before === code.backslash;
    this.#start = options.node?.start ?? cursor.position;
    this.#text = typeof options.node?.value === 'string' ? options.node.value : '';
    const quote = cursor.unit;
    this.quote = quote;
    this.#closers = closersOf(quote) ?? [quote];
    if (quote !== code.doubleQuote || options.opening === 'doubled') tree.mark('fixed-quotes');
    cursor.at += options.opening === 'plain' ? 1 : 2;
  }

  get text(): string {
    return this.#text;
  }

  get isDoubled(): boolean {
    return this.#opening === 'doubled';
  }

  /** What was added since this was last asked; nothing when the text did not only grow. */
  takeAdded(): string | undefined {
    const added = this.#added;
    this.#added = '';
    return added;
  }

  /** What, from a place on, can no longer change: the end quote may turn out to be missing further back. */
  settledFrom(start: number): string {
    const { length } = this.#text;
    const end = Math.min(this.#resume?.length ?? length, this.#firstStray ?? length);
    const tail = unsettled.exec(this.#slice(Math.max(0, end - memory), end))?.[0] ?? '';
    return this.#slice(start, end - tail.length);
  }

  /** A stretch of the text, by its recent part where that is enough: to cut the whole is not cheap. */
  #slice(start: number, end: number): string {
    if (end <= start) return '';
    const gone = this.#text.length - this.#recent.length;
    return start < gone ? this.#text.slice(start, end) : this.#recent.slice(start - gone, end - gone);
  }

  /** The earliest position that may be gone back to. */
  get needed(): number {
    if (this.place === 'key' && this.#text.length < longestSearch) return this.#start;
    // Brackets before the place may be given back too.
    return this.#resume === undefined ? this.#cursor.position : this.#resume.position - memory;
  }

  read(): 'closed' | 'more' | 'interrupted' {
    const cursor = this.#cursor;
    let from = cursor.at;
    for (; cursor.at < cursor.text.length; cursor.at++) {
      const unit = cursor.text.charCodeAt(cursor.at);
      if (!this.#isStop(unit)) {
        this.#note(unit);
        continue;
      }
      this.#append(cursor.text.slice(from, cursor.at));
      const done = this.#stop(unit);
      if (done !== 'read') return done;
      from = cursor.at;
      cursor.at--;
    }
    this.#append(cursor.text.slice(from, cursor.at));
    if (this.#resume !== undefined && this.#isFar(this.#resume)) this.#resume = undefined;
    return 'more';
  }

  /** The text ended inside the string. Brackets at its very end that close just what is open are not its own. */
  cut(): void {
    this.#isCut = true;
    if (this.place === 'key' && this.#cutKey()) return;
    if (this.place === 'member' && this.#firstStray !== undefined && this.#innerQuotes === 1) {
      this.#endAtStray();
      return;
    }
    // At the top nothing is left to be damaged but its end quote: `foo'.
    if (this.place === 'root' && this.quote !== code.doubleQuote && this.#innerQuotes === 0 && slip.test(this.#text)) {
      this.#cutTo(this.#text.slice(0, -1));
      this.#isCut = false;
      this.#tell();
      return;
    }
    const tail = this.#text.slice(closingStart(this.#text));
    const closers = tail.replaceAll(/[^}\]]/g, '');
    if (
      this.place !== 'key' &&
      closers !== '' &&
      this.#openCurly + this.#openSquare === 0 &&
      closers === this.#wanted()
    ) {
      this.#cutTo(this.#text.slice(0, -tail.length).replace(slip, ''));
      this.#tree.mark('inserted-quote');
    } else this.#tree.mark('closed-truncated');
    this.#tell();
  }

  /** `{"key: value}`: a key that never ended, ended at its colon. */
  #cutKey(): boolean {
    const colon = this.#text.indexOf(':');
    if (colon < 1 || this.#text.length >= longestKey || this.#opening !== 'plain') return false;
    this.#resume = {
      position: this.#start + 1 + colon,
      length: colon,
      quotations: 0,
      bareKey: false,
      endsInBracket: false,
    };
    this.#goBack();
    return true;
  }

  /** The quote taken for an inner one was the end; what stood behind it is none of the value. */
  #endAtStray(): void {
    this.#cutTo(this.#text.slice(0, this.#firstStray));
    this.#innerQuotes = 0;
    this.#tree.mark('dropped-text');
    this.#tell();
  }

  #wanted(): string {
    return this.#tree.frames
      .map((frame) => (frame.node.kind === 'object' ? '}' : ']'))
      .toReversed()
      .join('');
  }

  #note(unit: number): void {
    if (unit < 32) this.#control = true;
    else if (unit === code.openCurly) this.#openCurly++;
    else if (unit === code.closeCurly) this.#openCurly = Math.max(0, this.#openCurly - 1);
    else if (unit === code.openSquare) this.#openSquare++;
    else if (unit === code.closeSquare) this.#openSquare = Math.max(0, this.#openSquare - 1);
  }

  #isStop(unit: number): boolean {
    return (
      unit === code.backslash || isQuote(unit) || (unit === code.less && this.#thinking) || this.#closers.includes(unit)
    );
  }

  #stop(unit: number): 'read' | 'closed' | 'more' | 'interrupted' {
    if (unit === code.backslash) return this.#escape();
    if (unit === code.less) return this.#tag();
    return this.#closers.includes(unit) ? this.#quote() : this.#foreignQuote();
  }

  /** A quote of another kind ends the string only before a comma and a key in quotes: then one of the two is a slip. */
  #foreignQuote(): 'read' | 'closed' | 'more' {
    const frame = this.#tree.frame;
    // Quotes that open one way and close another: a second one that opens behind a comma begins the next string.
    if (this.#cursor.unit === this.quote && (this.place === 'member' || this.place === 'item')) {
      this.#resume = this.#missingEnd();
      if (this.#resume !== undefined) return this.#goBack();
    }
    if (
      frame === undefined ||
      this.place === 'key' ||
      this.#text === '' ||
      this.#innerQuotes > 0 ||
      this.#openCurly + this.#openSquare > 0
    )
      return this.#take(1);
    const ahead = this.#cursor.ahead();
    ahead.skip();
    // What looks like a comment here is text.
    if (/\S/.test(ahead.text.slice(this.#cursor.at + 1, ahead.at))) return this.#take(1);
    const follows = this.#endsAfter(ahead, this.#passClosers(ahead, 0));
    if (follows !== 'yes') return follows === 'more' ? 'more' : this.#take(1);
    this.#tree.mark('fixed-quotes');
    this.#cursor.at++;
    this.#tell();
    return 'closed';
  }

  #tag(): 'read' | 'more' | 'interrupted' {
    const tag = this.#cursor.thinkTag;
    if (tag === 'more') return 'more';
    return tag === 'none' || tag.opens ? this.#take(1) : 'interrupted';
  }

  /** Whether the bracket closes the container that is open at this distance from the innermost. */
  #isOwnCloser(unit: number, distance: number): boolean {
    const kind = this.#tree.frames.at(-1 - distance)?.node.kind;
    return (unit === code.closeCurly && kind === 'object') || (unit === code.closeSquare && kind === 'array');
  }

  /** Passes the brackets that close what is open; gives how many are closed then. */
  #passClosers(ahead: Lookahead, passed: number): number {
    let closers = passed;
    while (this.#isOwnCloser(ahead.skip(), closers)) {
      ahead.newline = false;
      ahead.at++;
      closers++;
    }
    return closers;
  }

  /**
   * Whether what follows the quote and the brackets after it, so many, speaks for the end of the string. Nothing that
   * could stand in a string of valid JSON does.
   */
  #endsAfter(ahead: Lookahead, closers: number): Answer {
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    const host = this.#tree.frames.at(-1 - closers);
    if (closers > 0 && (unit === END || (host === undefined && ahead.newline))) return 'yes';
    if (host === undefined || unit === code.closeRound) return closers > 0 ? isTail(ahead) : 'no';
    if (!isSeparator(unit)) return 'no';
    ahead.at++;
    const next = ahead.skip();
    if (next === MORE) return 'more';
    if (this.#isOwnCloser(next, closers)) return this.#endsAfter(ahead, this.#passClosers(ahead, closers));
    if (host.node.kind === 'object') return this.#keyFollows(ahead, next, host);
    if (closers === 0 || next !== code.openCurly) return this.#itemFollows(ahead, next);
    ahead.at++;
    return this.#keyFollows(ahead, ahead.skip(), this.#tree.frame as Frame);
  }

  /** Whether the next key stands there as the keys of the object do. */
  #keyFollows(ahead: Lookahead, next: number, host: Frame): Answer {
    const key = ahead.key();
    if (key === 'more') return 'more';
    if (host.quotedKeys === 0) return key === 'bare-key' ? 'yes' : 'no';
    // Another sign for the colon may stand in a text.
    if (host.colons > 0 && canonical(ahead.text.charCodeAt(ahead.at - 1)) !== code.colon) return 'no';
    return key === 'key' && (this.place === 'item' || next === Math.abs(host.keyQuote)) ? 'yes' : 'no';
  }

  /** Whether the next item stands there in the quotes that would end this one. */
  #itemFollows(ahead: Lookahead, next: number): Answer {
    if (next !== this.#cursor.unit || !ahead.quoted(next)) return ahead.unit === MORE ? 'more' : 'no';
    const unit = ahead.skip();
    return unit === MORE ? 'more' : isSeparator(unit) || unit === code.closeSquare ? 'yes' : 'no';
  }

  /** At a quote that could close the string. */
  #quote(): 'read' | 'closed' | 'more' {
    const doubled = this.#opening === 'doubled';
    const atValue = this.place === 'key' ? this.#isAtValue() : 'no';
    if (atValue !== 'no') return atValue === 'more' ? 'more' : this.#goBack();
    const run = this.#quoteRun();
    if (run === 0) return 'more';
    const last = this.#cursor.at + run - 1;
    const missing = this.#closesNextKey(last);
    if (missing !== 'no') return missing === 'more' ? 'more' : this.#goBack();
    const verdict = judgeQuote(this.#context(run), last);
    if (verdict === 'more') return 'more';
    if (verdict === 'inner') return this.#takeInner(run);
    if (run === 1 && this.#isEndOfNext()) return this.#goBack();
    const marks = doubled && run > 1 ? 2 : 1;
    if (run > marks) this.#takeInner(run - marks);
    this.#cursor.at += marks;
    this.#tell();
    return 'closed';
  }

  /**
   * One inner quote that follows a comma is more likely the next item's, or the next value's behind a bare key, and
   * the end quote of this one missing. The quote that would end this string ends the next.
   */
  #isEndOfNext(): boolean {
    const resume = this.#resume;
    if (resume === undefined || this.#isFar(resume)) return false;
    if (resume.quotations > 0 || this.#innerQuotes - this.#strays !== 1) return false;
    return this.place === 'item' ? !resume.bareKey : resume.bareKey;
  }

  /** The text is the name of a field of the object around the list. */
  #isOuterField(): boolean {
    return this.#text.length <= longestKey && this.#tree.frames.at(-2)?.expect?.knows(this.#text) === true;
  }

  #context(run: number): Parameters<typeof judgeQuote>[0] {
    const cursor = this.#cursor;
    const { frame } = this.#tree;
    return {
      text: cursor.text,
      ended: cursor.ended || cursor.settling,
      place: this.place,
      innerQuotes: this.#innerQuotes - this.#strays + run - (this.#opening === 'doubled' && run > 1 ? 2 : 1),
      openCurly: this.#openCurly,
      openSquare: this.#openSquare,
      keysQuoted: frame !== undefined && frame.quotedKeys > 0,
      wantsText: frame?.expect?.item()?.wantsText === true && !this.#isOuterField(),
      depth: this.#tree.frames.length,
    };
  }

  /** How many quotes in a row are to be judged together; 0 when the row may go on in text that has not arrived. */
  #quoteRun(): number {
    const cursor = this.#cursor;
    const { unit } = cursor;
    let run = 1;
    while (run < longestRun && cursor.unitAt(run) === unit) run++;
    if (cursor.unitAt(run) === MORE && !cursor.settling) return 0;
    // The second of two may open the next key, or the next item.
    if (run !== 2 || this.#opening === 'doubled') return run;
    const next = this.place === 'member' ? cursor.ahead().key() : this.place === 'item' ? this.#nextItem(unit) : 'none';
    return next === 'more' ? 0 : next === 'key' ? 1 : run;
  }

  #nextItem(quote: number): 'key' | 'none' | 'more' {
    const ahead = this.#cursor.ahead();
    // An item whose end is too far to see is one all the same.
    if (!ahead.quoted(quote)) return ahead.unit === MORE ? 'more' : ahead.unit === FAR ? 'key' : 'none';
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    const ends = unit === code.closeSquare || unit === code.closeRound;
    return ends || unit === quote || isSeparator(unit) ? 'key' : 'none';
  }

  /** The text grows by joining, which is cheap until it is cut; what must be looked at is kept apart. */
  #append(piece: string): void {
    this.#text += piece;
    this.#tail = (this.#tail + piece).slice(-memory);
    this.#recent += piece;
    if (this.#recent.length > 2 * kept) this.#recent = this.#recent.slice(-kept);
    if (this.#added !== undefined) this.#added += piece;
  }

  #cutTo(text: string): void {
    this.#text = text;
    this.#added = undefined;
  }

  #take(length: number): 'read' {
    this.#append(this.#cursor.text.slice(this.#cursor.at, this.#cursor.at + length));
    this.#cursor.at += length;
    return 'read';
  }

  #takeInner(run: number): 'read' | 'closed' {
    const cursor = this.#cursor;
    if (this.place === 'key' && this.#endsBeforeColon()) return this.#goBack();
    if (this.#resume !== undefined && this.#isFar(this.#resume)) this.#resume = undefined;
    if (this.#resume === undefined && (this.place === 'member' || this.place === 'item'))
      this.#resume = this.#missingEnd();
    const isApostrophe = run === 1 && isWord(cursor.before) && isWord(cursor.unitAt(run));
    if (isApostrophe) this.#apostrophes++;
    else this.#innerQuotes += run;
    // Behind a word or a mark, before none, and no quotation open.
    if (
      run === 1 &&
      !isApostrophe &&
      this.#isEnding(cursor.unitAt(run)) &&
      (this.#innerQuotes - this.#strays) % 2 === 1
    ) {
      this.#strays++;
      this.#firstStray ??= this.#text.length;
    }
    return this.#take(run);
  }

  /** Whether the quote looks like the end of a quotation by what stands around it. */
  #isEnding(next: number): boolean {
    const { before } = this.#cursor;
    if (isWord(before)) return true;
    return isSpace(next) && endMarks.has(before);
  }

  /** `{"key: "2020"`: the text ends in a colon, and no colon follows the quote. */
  #isAtValue(): Answer {
    if (!colonAtEnd.test(this.#tail)) return 'no';
    const unit = this.#cursor.ahead().skip();
    if (unit === MORE) return 'more';
    return unit !== code.colon && unit >= 0 && this.#endsBeforeColon() ? 'yes' : 'no';
  }

  /** `{"key: "value"}`: the key ended before the colon. */
  #endsBeforeColon(): boolean {
    // Looked for in a long text only once, at its first quote.
    if (this.#text.length > (this.#innerQuotes === 0 ? longestSearch : longestKey)) return false;
    const match = colonAtEnd.exec(this.#text) ?? colonBeforeValue.exec(this.#text);
    if (match === null || match.index === 0 || match.index > longestKey || this.#opening !== 'plain') return false;
    const position = this.#cursor.position - match[0].length;
    this.#resume = { position, length: match.index, quotations: 0, bareKey: false, endsInBracket: false };
    return true;
  }

  /** If a comma or a line break stands before this quote, the string may have ended there. */
  #missingEnd(): Resume | undefined {
    const cursor = this.#cursor;
    const raw = cursor.text.slice(Math.max(0, cursor.at - memory), cursor.at);
    const text = this.#tail;
    const [found, rawFound] = [endings.exec(text), rawEndings.exec(raw)];
    if (found === null || rawFound === null || found.index === 0) return undefined;
    const endsInBracket = /[}\]]\s*$/.test(text.slice(0, found.index));
    // A member is not followed by a bracket, unless its object has ended.
    if (this.place === 'member' && !endsInBracket && /[{[]\s*$/.test(found[0])) return undefined;
    return {
      position: cursor.position - (raw.length - rawFound.index),
      length: this.#text.length - (text.length - found.index),
      quotations: this.#innerQuotes - this.#strays,
      bareKey: found[1] !== undefined,
      endsInBracket,
    };
  }

  /** A place that is too far back is none: the text there may be gone. */
  #isFar({ position }: Resume): boolean {
    return this.#cursor.position - position > longestKey * 2;
  }

  /** `": ` inside a value: the quote closes the next key, whose opening quote was taken for an inner one. */
  #closesNextKey(at: number): Answer {
    const resume = this.#resume;
    if (resume === undefined || resume.bareKey || this.#isFar(resume)) return 'no';
    if (this.place === 'item' && !resume.endsInBracket) return 'no';
    const unit = this.#cursor.ahead(at - this.#cursor.at + 1).skip();
    if (unit === MORE) return 'more';
    return unit === code.colon ? 'yes' : 'no';
  }

  /** Ends the string where its end quote is missing, and has the cursor read on from there. */
  #goBack(): 'closed' {
    const { position, length, quotations } = this.#resume as Resume;
    const before = this.#text.slice(0, length);
    // Brackets before the comma that nothing in the string opened are not its own.
    const tail = this.place === 'key' ? '' : strayBrackets(before);
    this.#cutTo(before.slice(0, before.length - tail.length).replace(slip, ''));
    this.#cursor.position = position - tail.length;
    const isStray = this.place === 'member' && this.#firstStray !== undefined && this.#firstStray < this.#text.length;
    if (isStray) this.#cutTo(this.#text.slice(0, this.#firstStray));
    this.#innerQuotes = isStray ? 0 : quotations + this.#strays;
    this.#tree.mark(isStray ? 'dropped-text' : 'inserted-quote');
    this.#tell();
    return 'closed';
  }

  /** Its end was a guess: a quote inside it was not escaped, or it has none. */
  get #doubtful(): boolean {
    return this.#innerQuotes > 0 || this.#isCut;
  }

  #tell(): void {
    const stretch = { start: this.#start, end: this.#cursor.position };
    if (this.#innerQuotes + this.#apostrophes > 0) this.#tree.mark('fixed-inner-quotes', stretch);
    if (this.#control) this.#tree.mark('fixed-control-character', stretch);
    // Members inside a text that had to be mended: they were hardly meant to be in there.
    if (this.#doubtful && swallowed.test(this.#text)) this.#tree.mark('guessed-structure', stretch);
  }

  #escape(): 'read' | 'closed' | 'more' {
    const cursor = this.#cursor;
    const next = cursor.unitAt(1);
    if (next === MORE) return 'more';
    // An escape that the end of the text cut off is dropped.
    if (next === END) {
      cursor.at++;
      return 'read';
    }
    if (this.#escaped && this.#closers.includes(next)) {
      const verdict = judgeQuote(this.#context(1), cursor.at + 1);
      if (verdict === 'more') return 'more';
      if (verdict === 'close') {
        cursor.at += 2;
        this.#tell();
        return 'closed';
      }
    }
    return this.#plainEscape(next);
  }

  #plainEscape(next: number): 'read' | 'more' {
    const cursor = this.#cursor;
    if (next === letterU) return this.#unicode();
    const plain = simpleEscapes.get(next);
    if (plain !== undefined) {
      const isForeign = next === code.singleQuote ? this.quote === code.doubleQuote : next === code.lineFeed;
      if (isForeign) this.#tree.mark('fixed-escape');
      this.#append(plain);
    } else if (next === letterX && isHex(cursor.unitAt(2)) && isHex(cursor.unitAt(3))) {
      this.#append(String.fromCharCode(Number.parseInt(cursor.text.slice(cursor.at + 2, cursor.at + 4), 16)));
      this.#tree.mark('fixed-escape');
      cursor.at += 2;
    } else {
      if (next === letterX && (cursor.unitAt(2) === MORE || cursor.unitAt(3) === MORE)) return 'more';
      // A backslash that means nothing keeps the character behind it.
      this.#tree.mark('fixed-escape');
      this.#append(String.fromCharCode(next));
    }
    cursor.at += 2;
    return 'read';
  }

  #unicode(): 'read' | 'more' {
    const cursor = this.#cursor;
    let digits = 0;
    while (digits < 4 && isHex(cursor.unitAt(2 + digits))) digits++;
    const after = cursor.unitAt(2 + digits);
    if (digits < 4 && after === MORE) return 'more';
    if (digits === 4)
      this.#append(String.fromCharCode(Number.parseInt(cursor.text.slice(cursor.at + 2, cursor.at + 6), 16)));
    else this.#tree.mark('fixed-escape');
    if (digits === 4 || after === END) cursor.at += 2 + digits;
    else {
      this.#append('u');
      cursor.at += 2;
    }
    return 'read';
  }
}

const colonAtEnd = /\s*(?:[:：]|=>?)\s*$/;
const colonBeforeValue = /\s*(?:[:：]|=>?)\s*(?:true|false|null|-?\d|[{[]).*$/s;

/** A comma, a line break, or a comma and a key without quotes, before a quote. */
const endings = /(?:[,;]\s*(?:[{[]\s*)*|[,;]\s*([\w$]+)\s*:\s*|\s*\n\s*)$/;

/** The same as it stands in the text, where a line break may be written out. */
const rawEndings = /(?:[,;](?:\s|\\[nrt])*(?:[{[](?:\s|\\[nrt])*)*|[,;]\s*[\w$]+\s*:\s*|\s*\n\s*|(?:\s|\\[nrt])+)$/;

/** What may turn out to stand behind the end of the string: a quote, brackets, a comma, the next key without quotes. */
const unsettled = /["'`´’”»]?[\s}\]]*(?:[,;]\s*(?:(?:[{[]\s*)*|[\w$]+\s*:?\s*))?$/;

/** What a quotation, or a string, may end with besides a word. */
const endMarks: ReadonlySet<number> = new Set(Array.from(',.;!?)}]%', (mark) => mark.charCodeAt(0)));

/** A quote of the wrong kind where the end quote should be. */
const slip = /["'`´’”»]$/;

/** Whether nothing follows but brackets, and the semicolon of a program. */
function isTail(ahead: Lookahead): Answer {
  for (;;) {
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit === END || ahead.newline) return 'yes';
    if (!isClosing(unit) && unit !== code.closeRound && unit !== code.semicolon) return 'no';
    ahead.at++;
  }
}

/** Where the white space, closing brackets and fences at the end of a text begin. */
function closingStart(text: string): number {
  let start = text.length;
  for (;;) {
    const last = text.charCodeAt(start - 1);
    if (last === code.closeCurly || last === code.closeSquare || isSpace(last)) start--;
    else if (start >= 3 && text.startsWith('```', start - 3)) start -= 3;
    else return start;
  }
}

/** Closing brackets at the end of a text that opens fewer than it closes. */
function strayBrackets(text: string): string {
  const tail = /[\s}\]]*$/.exec(text.slice(-memory))?.[0] ?? '';
  if (!/[}\]]/.test(tail)) return '';
  const head = text.slice(0, text.length - tail.length);
  const opened = (head.match(/[{[]/g)?.length ?? 0) - (head.match(/[}\]]/g)?.length ?? 0);
  return opened > 0 ? '' : tail;
}

const swallowed = /["'`’”]\s*[:=]\s*["'`‘“\d{[tfn-]/;

const letterU = 117;
const letterX = 120;

const simpleEscapes: ReadonlyMap<number, string> = new Map([
  [34, '"'],
  [39, "'"],
  [47, '/'],
  [92, '\\'],
  [98, '\b'],
  [102, '\f'],
  [110, '\n'],
  [114, '\r'],
  [116, '\t'],
  [10, '\n'],
]);

function isHex(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70);
}
