// Reads one quoted string, in whatever quotes, with whatever stands inside unescaped. Decides at each quote whether it
// is the end, and goes back once, a bounded way, when it finds that the end quote is missing.

import { closersOf, code, isQuote, isSpace, isWord } from './character.ts';
import { memory, type Answer, type Cursor } from './cursor.ts';
import { END, MORE } from './lookahead.ts';
import type { Node } from './node.ts';
import { judgeQuote, type Place } from './quote.ts';
import type { Tree } from './tree.ts';

/** How long a key may be when the quote before it turns out to open it. */
const longestKey = 128;

/** How a string begins. `block`: with three quotes, and is no plain string. */
export type Opening = 'plain' | 'doubled' | 'escaped' | 'block' | 'more';

/** Three quotes open a block; two before a word are one quote written twice; `\"` is a quote of an escaped text. */
export function readOpening(cursor: Cursor, place: Place): Opening {
  const quote = cursor.unit;
  if (quote === code.backslash) return 'escaped';
  if (quote !== code.doubleQuote && quote !== code.singleQuote) return 'plain';
  if (cursor.unitAt(1) === MORE) return 'more';
  if (cursor.unitAt(1) !== quote) return 'plain';
  const third = cursor.unitAt(2);
  if (third === MORE && !cursor.settling) return 'more';
  if (third === quote && place !== 'key') return 'block';
  return isWord(third) ? 'doubled' : 'plain';
}

export class StringReader {
  readonly place: Place;
  /** Where the string is shown; nothing for a key. */
  readonly node: Node | undefined;
  readonly #cursor: Cursor;
  readonly #tree: Tree;
  readonly #start: number;
  readonly #opening: Opening;
  readonly #closers: readonly number[];
  /** `</think>` ends it, wherever it stands. */
  readonly #thinking: boolean;
  #text: string;
  #innerQuotes = 0;
  /** Inner quotes between two letters, which open no quotation. */
  #apostrophes = 0;
  #openCurly = 0;
  #openSquare = 0;
  #control = false;
  /** Where the string may have ended, if its end quote is missing: before the comma that precedes a quote. */
  #resume: { readonly position: number; readonly length: number } | undefined;

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
    this.#start = options.node?.start ?? cursor.position;
    this.#text = typeof options.node?.value === 'string' ? options.node.value : '';
    const quote = options.opening === 'escaped' ? cursor.unitAt(1) : cursor.unit;
    this.#closers = closersOf(quote) ?? [quote];
    if (quote !== code.doubleQuote || options.opening === 'escaped') tree.mark('fixed-quotes');
    cursor.at += options.opening === 'plain' ? 1 : 2;
  }

  get text(): string {
    return this.#text;
  }

  /** What of the text can no longer change: the end quote may turn out to be missing further back. */
  get settled(): string {
    const text = this.#resume === undefined ? this.#text : this.#text.slice(0, this.#resume.length);
    return text.slice(0, text.length - (/(?:[,\n]\s*|[\s}\]]+)$/.exec(text.slice(-memory))?.[0].length ?? 0));
  }

  /** The earliest position that may be gone back to. */
  get needed(): number {
    return this.#resume?.position ?? this.#cursor.position;
  }

  read(): 'closed' | 'more' | 'interrupted' {
    const cursor = this.#cursor;
    let from = cursor.at;
    for (; cursor.at < cursor.text.length; cursor.at++) {
      const unit = cursor.text.charCodeAt(cursor.at);
      const isStop = unit === code.backslash || (unit === code.less && this.#thinking) || this.#closers.includes(unit);
      if (!isStop) {
        this.#note(unit);
        continue;
      }
      this.#text += cursor.text.slice(from, cursor.at);
      const done = this.#stop(unit);
      if (done !== 'read') return done;
      from = cursor.at;
      cursor.at--;
    }
    this.#text += cursor.text.slice(from, cursor.at);
    if (this.#resume !== undefined && cursor.position - this.#resume.position > longestKey * 2)
      this.#resume = undefined;
    return 'more';
  }

  /** The text ended inside the string. Brackets at its very end that close just what is open are not its own. */
  cut(): void {
    const tail = /[\s}\]]*$/.exec(this.#text)?.[0] ?? '';
    const closers = tail.replaceAll(/\s/g, '');
    if (
      this.place !== 'key' &&
      closers !== '' &&
      this.#openCurly + this.#openSquare === 0 &&
      closers === this.#wanted()
    ) {
      this.#text = this.#text.slice(0, -tail.length);
      this.#tree.mark('inserted-quote');
    } else this.#tree.mark('closed-truncated');
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

  #stop(unit: number): 'read' | 'closed' | 'more' | 'interrupted' {
    if (unit === code.backslash) return this.#escape();
    if (unit === code.less) return this.#tag();
    return this.#opening === 'escaped' ? this.#take(1) : this.#quote();
  }

  #tag(): 'read' | 'more' | 'interrupted' {
    const tag = this.#cursor.thinkTag;
    if (tag === 'more') return 'more';
    return tag === 'none' || tag.opens ? this.#take(1) : 'interrupted';
  }

  /** At a quote that could close the string. */
  #quote(): 'read' | 'closed' | 'more' {
    const doubled = this.#opening === 'doubled';
    const run = this.#quoteRun();
    if (run === 0) return 'more';
    if (doubled && run === 1) return this.#takeInner(1);
    const last = this.#cursor.at + run - 1;
    const missing = this.#closesNextKey(last);
    if (missing !== 'no') return missing === 'more' ? 'more' : this.#goBack();
    const verdict = judgeQuote(this.#context(run), last);
    if (verdict === 'more') return 'more';
    if (verdict === 'inner') return this.#takeInner(run);
    // One inner quote that follows a comma is more likely the next item's, and the end quote of this one missing.
    const isNextItem = this.place === 'item' && this.#innerQuotes === 1 && run === 1;
    if (isNextItem && this.#resume !== undefined) return this.#goBack();
    const inner = run - (doubled ? 2 : 1);
    if (inner > 0) this.#takeInner(inner);
    this.#cursor.at += doubled ? 2 : 1;
    this.#tell();
    return 'closed';
  }

  #context(run: number): Parameters<typeof judgeQuote>[0] {
    const cursor = this.#cursor;
    const { frame } = this.#tree;
    return {
      text: cursor.text,
      ended: cursor.ended || cursor.settling,
      place: this.place,
      innerQuotes: this.#innerQuotes + run - 1,
      openCurly: this.#openCurly,
      openSquare: this.#openSquare,
      keysQuoted: frame !== undefined && frame.quotedKeys > 0,
      depth: this.#tree.frames.length,
    };
  }

  /** How many quotes in a row are to be judged together; 0 when the row may go on in text that has not arrived. */
  #quoteRun(): number {
    const cursor = this.#cursor;
    const { unit } = cursor;
    let run = 1;
    while (cursor.unitAt(run) === unit) run++;
    if (cursor.unitAt(run) === MORE && !cursor.settling) return 0;
    // The second of two may open the next key.
    if (run !== 2 || this.#opening === 'doubled' || this.place !== 'member') return run;
    const key = cursor.ahead().key();
    return key === 'more' ? 0 : key === 'key' ? 1 : run;
  }

  #take(length: number): 'read' {
    this.#text += this.#cursor.text.slice(this.#cursor.at, this.#cursor.at + length);
    this.#cursor.at += length;
    return 'read';
  }

  #takeInner(run: number): 'read' | 'closed' {
    const cursor = this.#cursor;
    if (this.place === 'key' && this.#endsBeforeColon()) return this.#goBack();
    if (this.#resume === undefined && (this.place === 'member' || this.place === 'item'))
      this.#resume = this.#missingEnd();
    const isApostrophe = run === 1 && isWord(cursor.before) && isWord(cursor.unitAt(1));
    if (isApostrophe) this.#apostrophes++;
    else this.#innerQuotes += run;
    return this.#take(run);
  }

  /** `{"key: "value"}`: the key ended before the colon. */
  #endsBeforeColon(): boolean {
    const match = /:\s*$/.exec(this.#text);
    if (match === null || match.index === 0) return false;
    this.#resume = { position: this.#cursor.position - match[0].length, length: match.index };
    return true;
  }

  /** If a comma or a line break stands before this quote, the string may have ended there. */
  #missingEnd(): { position: number; length: number } | undefined {
    const cursor = this.#cursor;
    let back = 1;
    let newline = false;
    while (back < memory && back <= cursor.at && isSpace(cursor.unitAt(-back))) {
      newline ||= cursor.unitAt(-back) === code.lineFeed;
      back++;
    }
    if (back > cursor.at || back > this.#text.length) return undefined;
    if (cursor.unitAt(-back) === code.comma)
      return { position: cursor.position - back, length: this.#text.length - back };
    return newline ? { position: cursor.position - back + 1, length: this.#text.length - back + 1 } : undefined;
  }

  /** `": ` inside a value: the quote closes the next key, whose opening quote was taken for an inner one. */
  #closesNextKey(at: number): Answer {
    if (this.place !== 'member' || this.#resume === undefined) return 'no';
    const unit = this.#cursor.ahead(at - this.#cursor.at + 1).skip();
    if (unit === MORE) return 'more';
    return unit === code.colon ? 'yes' : 'no';
  }

  /** Ends the string where its end quote is missing, and has the cursor read on from there. */
  #goBack(): 'closed' {
    const { position, length } = this.#resume as { position: number; length: number };
    this.#text = this.#text.slice(0, length);
    this.#innerQuotes = 0;
    this.#apostrophes = 0;
    this.#cursor.position = position;
    this.#tree.mark('inserted-quote');
    this.#tell();
    return 'closed';
  }

  #tell(): void {
    const stretch = { start: this.#start, end: this.#cursor.position };
    if (this.#innerQuotes + this.#apostrophes > 0) this.#tree.mark('fixed-inner-quotes', stretch);
    if (this.#control) this.#tree.mark('fixed-control-character', stretch);
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
    if (this.#opening === 'escaped') return this.#escapedText(next);
    return this.#plainEscape(next);
  }

  /** In a text whose quotes are all escaped, `\"` closes, and `\\\"` is the inner quote. */
  #escapedText(next: number): 'read' | 'closed' | 'more' {
    const cursor = this.#cursor;
    if (this.#closers.includes(next)) {
      cursor.at += 2;
      this.#tell();
      return 'closed';
    }
    if (next !== code.backslash) return this.#plainEscape(next);
    const [third, fourth] = [cursor.unitAt(2), cursor.unitAt(3)];
    if (third === MORE || fourth === MORE) return 'more';
    const isInner = isQuote(third) || (third === code.backslash && isQuote(fourth));
    if (!isInner) {
      // One level of escaping comes off: `\\n` is `\n`.
      cursor.at++;
      return this.#plainEscape(cursor.unitAt(1));
    }
    cursor.at += isQuote(third) ? 2 : 3;
    return this.#take(1);
  }

  #plainEscape(next: number): 'read' | 'more' {
    const cursor = this.#cursor;
    if (next === letterU) return this.#unicode();
    const plain = simpleEscapes.get(next);
    if (plain !== undefined) this.#text += plain;
    else if (next === letterX && isHex(cursor.unitAt(2)) && isHex(cursor.unitAt(3))) {
      this.#text += String.fromCharCode(Number.parseInt(cursor.text.slice(cursor.at + 2, cursor.at + 4), 16));
      this.#tree.mark('fixed-escape');
      cursor.at += 2;
    } else {
      if (next === letterX && (cursor.unitAt(2) === MORE || cursor.unitAt(3) === MORE)) return 'more';
      // A backslash that means nothing keeps the character behind it.
      this.#tree.mark('fixed-escape');
      this.#text += String.fromCharCode(next);
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
      this.#text += String.fromCharCode(Number.parseInt(cursor.text.slice(cursor.at + 2, cursor.at + 6), 16));
    else this.#tree.mark('fixed-escape');
    if (digits === 4 || after === END) cursor.at += 2 + digits;
    else {
      this.#text += 'u';
      cursor.at += 2;
    }
    return 'read';
  }
}

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
