// The lenient machine: reads text that was meant to be JSON, in chunks cut anywhere, and builds the tree of what
// it says. One machine serves one-shot and streaming; `end()` after one `push` is one-shot.
// Invariants:
//   1. Every decision depends on the state and on a bounded window of text that has fully arrived (or on the end),
//      never on where a chunk was cut.
//   2. Work is linear in the text: the position only moves forward, except for one bounded step back per string.
//   3. Nothing recurses by the depth of the input.

import { closersOf, code, isOddSpace, isQuote, isSpace, isWord } from './character.ts';
import { END, Lookahead, MORE } from './lookahead.ts';
import type { Flag, FlagKind } from './flag.ts';
import { setMember, type Node, type NodeKind } from './node.ts';
import type { Path } from './path.ts';
import { judgeQuote, type Place } from './quote.ts';
import { isLiteral, isNumeric, parseScalar } from './scalar.ts';
import { dedent } from './block.ts';

/** What a schema can tell the machine about a place. */
export interface Expectation {
  /** Whether the object here has this field; nothing when any name will do. */
  knows(key: string): boolean | undefined;
  member(key: string): Expectation | undefined;
  item(): Expectation | undefined;
  /** A text is wanted, and nothing else. */
  readonly wantsText: boolean;
  readonly wantsArray: boolean;
}

/** A change to the notation, with the stretch of text it concerns. */
export interface Mark extends Omit<Flag, 'path'> {
  readonly path: Path | undefined;
  readonly start: number;
  readonly end: number;
}

/** A value found in the text. */
export interface Root {
  readonly node: Node;
  readonly fenced: boolean;
  /** How many `</think>` stood before it. */
  readonly afterThink: number;
  readonly marks: Mark[];
}

/** Told of every node when it begins and when it is complete, parents around children. */
export interface NodeListener {
  opened(node: Node, parent: Node | undefined): void;
  completed(node: Node, parent: Node | undefined): void;
}

export interface MachineOptions {
  readonly expect?: Expectation;
  readonly listener?: NodeListener;
}

interface Frame {
  readonly node: Node;
  readonly expect: Expectation | undefined;
  /** The bracket that opened it. */
  readonly open: number;
  key: string;
  path: Path | undefined;
  /** Whether a comma stands before what comes now. */
  afterComma: boolean;
  bareKeys: number;
  quotedKeys: number;
}

/** A string while it is read. */
interface OpenString {
  readonly place: Place;
  readonly start: number;
  readonly closers: readonly number[];
  /** The quotes of the whole text are escaped: `{\"a\": 1}`. */
  readonly escaped: boolean;
  /** The quotes are doubled: `""a""`. */
  readonly doubled: boolean;
  text: string;
  innerQuotes: number;
  /** Inner quotes between two letters, which open no quotation. */
  apostrophes: number;
  openCurly: number;
  openSquare: number;
  control: boolean;
  /** Where the string may have ended, if its end quote is missing: before the comma that precedes a quote. */
  resume: { readonly at: number; readonly length: number } | undefined;
  node: Node | undefined;
}

/** A word without quotes while it is read, with the brackets opened in it. */
interface OpenBare {
  readonly start: number;
  text: string;
  round: number;
  curly: number;
  square: number;
}

/** A block of three quotes while it is read. */
interface OpenBlock {
  readonly start: number;
  readonly fence: string;
  text: string;
  readonly node: Node;
}

/** How far back the text is kept, to look at what precedes a quote. */
const memory = 64;
/** How long a key may be when the quote before it turns out to open it. */
const longestKey = 128;
const thinkTags = ['think', 'thinking', 'thought', 'reasoning', 'reflection', 'scratchpad', 'analysis'];
const thinkTag = new RegExp(`^<(/?)(?:${thinkTags.join('|')})>`, 'i');

export class LenientMachine {
  readonly roots: Root[] = [];
  /** How many `</think>` have been passed. */
  thinks = 0;
  /** Whether any text outside values was passed over. */
  prose = false;
  /** Where code fences stood, without their marks; the last may be open. */
  readonly fences: { readonly start: number; end: number | undefined }[] = [];
  /** Where the text after the last `</think>` begins. */
  answerStart = 0;
  readonly #options: MachineOptions;
  readonly #frames: Frame[] = [];
  #text = '';
  #base = 0;
  #at = 0;
  #ended = false;
  #settling = false;
  #step: () => boolean = this.#inProse;
  #root: Root | undefined;
  #string: OpenString | undefined;
  #bare: OpenBare | undefined;
  #block: OpenBlock | undefined;
  #comment: '\n' | '*/' | undefined;
  #fenced = false;
  #thinking = false;
  /** Nothing but white space since the text, or the fence, began. */
  #fresh = true;
  #last: Node | undefined;
  #calls = 0;

  constructor(options: MachineOptions = {}) {
    this.#options = options;
  }

  push(chunk: string): void {
    const keep = Math.max(0, Math.min(this.#at - memory, this.#resumeIndex()));
    this.#text = this.#text.slice(keep) + chunk;
    this.#base += keep;
    this.#at -= keep;
    this.#run();
  }

  /** Takes what has arrived as all there is to know of a string's end, without ending anything else. */
  settle(): void {
    this.#settling = true;
    this.#run();
  }

  end(): void {
    this.#ended = true;
    this.#run();
    this.#finishOpen();
  }

  /** Whether a `<think>` is open: what comes now is no answer. */
  get thinking(): boolean {
    return this.#thinking;
  }

  /** How much of the string being read can no longer change: its end quote may turn out to be missing further back. */
  get settledText(): string {
    const string = this.#string;
    if (string === undefined) return '';
    const text = string.resume === undefined ? string.text : string.text.slice(0, string.resume.length);
    return text.slice(0, text.length - (/(?:[,\n]\s*|[\s}\]]+)$/.exec(text.slice(-memory))?.[0].length ?? 0));
  }

  /** The root being read, if any. */
  get open(): Root | undefined {
    return this.#root;
  }

  /** The containers being read, from the outermost in. */
  get openPath(): Node[] {
    return this.#frames.map((frame) => frame.node);
  }

  /** The innermost node being read, if any. */
  get leaf(): Node | undefined {
    return this.#string?.node ?? this.#block?.node ?? this.#frames.at(-1)?.node;
  }

  #resumeIndex(): number {
    const resume = this.#string?.resume;
    return resume === undefined ? this.#at : resume.at - this.#base;
  }

  #run(): void {
    while (this.#step());
    const string = this.#string;
    if (string?.node !== undefined) this.#showString(string.node, string.text);
  }

  get #unit(): number {
    return this.#at < this.#text.length ? this.#text.charCodeAt(this.#at) : this.#ended ? END : MORE;
  }

  #unitAt(offset: number): number {
    const at = this.#at + offset;
    return at < this.#text.length ? this.#text.charCodeAt(at) : this.#ended ? END : MORE;
  }

  get #position(): number {
    return this.#base + this.#at;
  }

  get #frame(): Frame | undefined {
    return this.#frames.at(-1);
  }

  #mark(kind: FlagKind, detail: Partial<Mark> = {}): void {
    const start = this.#position;
    this.#root?.marks.push({ kind, path: this.#frame?.path, start, end: start, ...detail });
  }

  // Text around values.

  #inProse(): boolean {
    for (;;) {
      const unit = this.#unit;
      if (unit < 0) return false;
      if (unit === code.openCurly || unit === code.openSquare) {
        const plausible = this.#fresh ? 'yes' : this.#isPlausibleRoot(unit);
        if (plausible === 'more') return false;
        if (plausible === 'yes') return this.#openRoot(unit);
      } else if (unit === code.backtick) {
        const fence = this.#isFence();
        if (fence === 'more') return false;
        if (fence === 'yes') return this.#passFence();
        if (this.#fresh) return this.#openRootString(unit);
      } else if (unit === code.less) {
        const tag = this.#passThinkTag();
        if (tag === 'more') return false;
        if (tag === 'yes') continue;
      } else if (this.#fresh && isQuote(unit)) return this.#openRootString(unit);
      else if (this.#fresh && unit === code.backslash) {
        if (this.#unitAt(1) === MORE) return false;
        if (isQuote(this.#unitAt(1))) return this.#openRootString(unit);
      }
      if (!isSpace(unit)) {
        this.#fresh = false;
        this.prose = true;
      }
      this.#at++;
    }
  }

  /** Whether a bracket in prose opens a value, judged by what comes right after it. */
  #isPlausibleRoot(open: number): 'yes' | 'no' | 'more' {
    const ahead = new Lookahead(this.#text, this.#at + 1, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit < 0 || isQuote(unit)) return 'yes';
    if (open === code.openCurly) {
      if (unit === code.closeCurly || unit === code.backslash || unit === code.dot) return 'yes';
      const key = ahead.key();
      return key === 'more' ? 'more' : key === 'none' ? 'no' : 'yes';
    }
    if (unit === code.closeSquare || unit === code.openCurly || unit === code.openSquare) return 'yes';
    const value = ahead.valueStart();
    if (value !== 'none') return value === 'more' ? 'more' : 'yes';
    const before = this.#at === 0 ? code.space : this.#text.charCodeAt(this.#at - 1);
    if (!isWord(unit) || !(isSpace(before) || before === code.colon)) return 'no';
    const word = ahead.loneWord();
    if (word !== 'word') return word === 'more' ? 'more' : 'no';
    return ahead.unit === code.comma || this.#options.expect?.wantsArray === true ? 'yes' : 'no';
  }

  #isFence(): 'yes' | 'no' | 'more' {
    const [second, third] = [this.#unitAt(1), this.#unitAt(2)];
    if (second === MORE || (second === code.backtick && third === MORE)) return 'more';
    return second === code.backtick && third === code.backtick ? 'yes' : 'no';
  }

  #passFence(): boolean {
    let length = 3;
    // The language, up to the value or the end of the line.
    if (!this.#fenced) {
      while (
        isWord(this.#unitAt(length)) ||
        this.#unitAt(length) === code.minus ||
        this.#unitAt(length) === code.plus
      ) {
        length++;
      }
      if (this.#unitAt(length) === MORE) return false;
    }
    const open = this.fences.at(-1);
    if (this.#fenced && open !== undefined) open.end = this.#position;
    this.#at += length;
    this.#fenced = !this.#fenced;
    this.#fresh = this.#fenced;
    if (this.#fenced) this.fences.push({ start: this.#position, end: undefined });
    return true;
  }

  #passThinkTag(): 'yes' | 'no' | 'more' {
    const text = this.#text.slice(this.#at, this.#at + 16);
    const tag = thinkTag.exec(text);
    if (tag !== null) {
      this.#at += tag[0].length;
      this.#thinking = tag[1] === '';
      this.#fresh = true;
      this.#fenced = false;
      if (!this.#thinking) {
        this.thinks++;
        this.answerStart = this.#position;
      }
      return 'yes';
    }
    const possible = text.length < 16 && !this.#ended && /^<\/?[a-z]*$/i.test(text);
    return possible ? 'more' : 'no';
  }

  #startRoot(node: Node): void {
    this.#root = { node, fenced: this.#fenced, afterThink: this.thinks, marks: [] };
    this.roots.push(this.#root);
    this.#fresh = false;
  }

  #openRoot(open: number): boolean {
    this.#openContainer(open);
    return true;
  }

  #openRootString(_quote: number): boolean {
    return this.#startString('root');
  }

  // Containers.

  #createNode(kind: NodeKind, start: number, extra: Partial<Node> = {}): Node {
    const parent = this.#frame;
    const path = parent === undefined ? undefined : parent.path;
    return {
      kind,
      path,
      start,
      end: start,
      complete: false,
      value: undefined,
      bare: false,
      raw: '',
      children: [],
      keys: [],
      slot: undefined,
      ...extra,
    };
  }

  #openContainer(open: number): void {
    const isObject = open === code.openCurly;
    const node = this.#createNode(isObject ? 'object' : 'array', this.#position, { value: isObject ? {} : [] });
    const parent = this.#frame;
    const expect = parent === undefined ? this.#options.expect : expectationOf(parent);
    if (parent === undefined) this.#startRoot(node);
    this.#attach(node);
    this.#options.listener?.opened(node, parent?.node);
    this.#frames.push({
      node,
      expect,
      open,
      key: '',
      path: node.path,
      afterComma: false,
      bareKeys: 0,
      quotedKeys: 0,
    });
    if (open === code.openRound) this.#mark('fixed-brackets');
    this.#at++;
    this.#step = isObject ? this.#inKey : this.#beforeItem;
  }

  /** Puts a node into its container. An earlier member of the same name is replaced. */
  #attach(node: Node): void {
    const frame = this.#frame;
    if (frame === undefined) return;
    const { children, keys, value } = frame.node;
    frame.afterComma = false;
    if (frame.node.kind === 'array') {
      children.push(node);
      (value as unknown[]).push(node.value);
      return;
    }
    if (Object.hasOwn(value as object, frame.key)) this.#mark('duplicate-key', { field: frame.key });
    children.push(node);
    keys.push(frame.key);
    setMember(value as Record<string, unknown>, frame.key, node.value);
  }

  /** The value of the node just attached has changed. */
  #update(node: Node): void {
    const frame = this.#frame;
    if (frame === undefined) return;
    if (frame.node.kind === 'array') (frame.node.value as unknown[])[frame.node.children.length - 1] = node.value;
    else setMember(frame.node.value as Record<string, unknown>, frame.key, node.value);
  }

  #complete(node: Node): void {
    node.end = this.#position;
    node.complete = true;
    this.#last = node;
    this.#options.listener?.completed(node, this.#frame?.node);
    if (this.#frame === undefined) {
      this.#root = undefined;
      this.#step = this.#inProse;
    } else this.#step = this.#afterValue;
  }

  #closeFrame(): void {
    const frame = this.#frames.pop();
    if (frame !== undefined) this.#complete(frame.node);
  }

  #addScalar(kind: NodeKind, start: number, extra: Partial<Node>): void {
    const node = this.#createNode(kind, start, extra);
    if (this.#frame === undefined) this.#startRoot(node);
    this.#attach(node);
    this.#options.listener?.opened(node, this.#frame?.node);
    this.#complete(node);
  }

  /** Passes white space and comments. False: more text is needed. */
  #skip(): boolean {
    for (;;) {
      if (this.#comment !== undefined) {
        if (!this.#passComment(this.#comment)) return false;
        continue;
      }
      const unit = this.#unit;
      if (unit < 0) return unit === END;
      if (isSpace(unit)) {
        if (isOddSpace(unit)) this.#mark('fixed-whitespace');
        this.#at++;
      } else if (unit === code.slash) {
        const next = this.#unitAt(1);
        if (next === MORE) return false;
        if (next !== code.slash && next !== code.star) return true;
        this.#comment = next === code.slash ? '\n' : '*/';
        this.#at += 2;
        this.#mark('stripped-comment');
      } else if (unit === code.hash) {
        const next = this.#unitAt(1);
        if (next === MORE) return false;
        if (this.#step === this.#inValue && !isSpace(next) && next !== code.hash) return true;
        this.#comment = '\n';
        this.#mark('stripped-comment');
      } else return true;
    }
  }

  #passComment(end: '\n' | '*/'): boolean {
    const at = this.#text.indexOf(end, this.#at);
    if (at === -1) {
      // The last character may be the first half of the end.
      this.#at = Math.max(this.#at, this.#text.length - (this.#ended ? 0 : end.length - 1));
      if (this.#ended) this.#comment = undefined;
      return this.#ended;
    }
    this.#at = at + end.length;
    this.#comment = undefined;
    return true;
  }

  /** What ends a value from outside, at a place where structure is expected. */
  #isInterrupted(): 'yes' | 'no' | 'more' {
    const unit = this.#unit;
    if (unit === code.backtick) return this.#isFence();
    if (unit !== code.less || !this.#thinking) return 'no';
    const text = this.#text.slice(this.#at, this.#at + 16);
    if (thinkTag.test(text)) return 'yes';
    return text.length < 16 && !this.#ended && /^<\/?[a-z]*$/i.test(text) ? 'more' : 'no';
  }

  /** Closes everything that is open: the text, the fence or the thinking has ended. */
  #closeAll(): void {
    if (this.#frames.length > 0) this.#mark('closed-truncated', { end: this.#position });
    while (this.#frames.length > 0) this.#closeFrame();
    this.#step = this.#inProse;
  }

  #finishOpen(): void {
    const string = this.#string;
    if (string !== undefined) this.#finishTruncatedString(string);
    const block = this.#block;
    if (block !== undefined) {
      this.#mark('closed-truncated');
      this.#finishBlock(block);
    }
    if (this.#frames.length > 0) this.#closeAll();
  }

  // Objects.

  #inKey(): boolean {
    if (!this.#skip()) return false;
    const frame = this.#frame as Frame;
    const unit = this.#unit;
    const interrupted = this.#isInterrupted();
    if (interrupted === 'more') return false;
    if (unit === END || interrupted === 'yes') return this.#stopHere();
    if (unit === code.closeCurly || unit === code.closeSquare) return this.#close(unit);
    if (unit === code.comma || unit === code.semicolon) return this.#extraComma(frame);
    if (unit === code.backslash && this.#unitAt(1) === MORE) return false;
    if (isQuote(unit) || (unit === code.backslash && isQuote(this.#unitAt(1)))) return this.#startString('key');
    if (unit === code.dot && this.#unitAt(1) === MORE) return false;
    if (unit === code.dot && this.#unitAt(1) === code.dot) return this.#passEllipsis();
    if (unit === code.openCurly) return this.#braceForKey(frame);
    if (unit === code.colon) {
      this.#at++;
      return this.#setKey(frame, '', true);
    }
    if (unit === code.openSquare || unit === code.closeRound || unit === code.plus || unit === code.star) {
      this.#mark('dropped-text');
      this.#at++;
      return true;
    }
    return this.#bareKey(frame);
  }

  #stopHere(): boolean {
    this.#closeAll();
    return this.#unit >= 0;
  }

  #extraComma(frame: Frame): boolean {
    this.#mark(frame.node.children.length === 0 ? 'fixed-leading-comma' : 'fixed-trailing-comma');
    frame.afterComma = true;
    this.#at++;
    return true;
  }

  #passEllipsis(): boolean {
    let length = 2;
    while (this.#unitAt(length) === code.dot) length++;
    if (this.#unitAt(length) === MORE) return false;
    this.#at += length;
    this.#mark('stripped-ellipsis');
    return true;
  }

  /** `{{`, or an object whose end is missing before the next one. */
  #braceForKey(frame: Frame): boolean {
    if (frame.node.children.length === 0 && !frame.afterComma && this.#frames.at(-2)?.node.kind !== 'array') {
      this.#mark('dropped-bracket');
      this.#at++;
      return true;
    }
    this.#mark('inserted-brackets');
    this.#closeFrame();
    return true;
  }

  #setKey(frame: Frame, key: string, bare: boolean): boolean {
    frame.key = key;
    frame.path = { parent: frame.node.path, key };
    if (bare) frame.bareKeys++;
    else frame.quotedKeys++;
    this.#step = this.#inColon;
    return true;
  }

  /** Reads up to the colon. Words with no colon behind them are no key. */
  #bareKey(frame: Frame): boolean {
    const start = this.#at;
    let at = start;
    for (; at < this.#text.length && at - start < longestKey; at++) {
      const unit = this.#text.charCodeAt(at);
      if (unit === code.colon || unit === code.equals) return this.#endBareKey(frame, at);
      if (isQuote(unit) && (unit !== code.singleQuote || isSpace(this.#text.charCodeAt(at - 1)))) {
        return this.#endBareKey(frame, at);
      }
      if (unit === code.openCurly || unit === code.openSquare) return this.#endBareKey(frame, at);
      if (unit === code.comma || unit === code.closeCurly || unit === code.closeSquare || unit === code.lineFeed) {
        return this.#dropWords(frame, at);
      }
    }
    if (at - start >= longestKey || this.#ended) return this.#dropWords(frame, at);
    return false;
  }

  #endBareKey(frame: Frame, at: number): boolean {
    const key = this.#text.slice(this.#at, at).trim();
    let end = at;
    // `a": 1`: the quote that opened the key is missing.
    if (isQuote(this.#text.charCodeAt(at))) {
      const key = new Lookahead(this.#text, at, this.#ended).key();
      if (key === 'more') return false;
      if (key === 'key') return this.#dropWords(frame, at);
      const ahead = new Lookahead(this.#text, at + 1, this.#ended);
      const next = ahead.skip();
      if (next === MORE) return false;
      if (next === code.colon) end = ahead.at;
    }
    this.#mark('unquoted-key', { field: key, end: this.#base + at });
    this.#at = end;
    return this.#setKey(frame, key, true);
  }

  /** Words where a key should be: a flag without a value, or prose that strayed in. */
  #dropWords(frame: Frame, at: number): boolean {
    const words = this.#text.slice(this.#at, at).trim();
    this.#at = at;
    const unit = this.#unit;
    const isFlag = /^[\w$-]+$/.test(words) && (unit === code.comma || unit === code.closeCurly);
    if (!isFlag) {
      this.#mark('dropped-text', { found: words.slice(0, 40) });
      return true;
    }
    this.#setKey(frame, words, true);
    return this.#missingValue();
  }

  #inColon(): boolean {
    if (!this.#skip()) return false;
    const unit = this.#unit;
    if (unit === code.colon) this.#at++;
    else if (unit === code.equals) {
      const arrow = this.#unitAt(1);
      if (arrow === MORE) return false;
      this.#mark('fixed-colon');
      this.#at += arrow === code.greater ? 2 : 1;
    } else if (unit === END) {
      this.#mark('missing-value');
      return this.#dropKey();
    } else if (unit === code.comma || unit === code.closeCurly) return this.#missingValue();
    else this.#mark('fixed-colon');
    this.#step = this.#inValue;
    return true;
  }

  /** A key that the text ended in. */
  #dropKey(): boolean {
    this.#missingValue();
    return true;
  }

  #missingValue(): boolean {
    this.#mark('missing-value');
    this.#addScalar('missing', this.#position, { value: null });
    return true;
  }

  // Values.

  #beforeItem(): boolean {
    const frame = this.#frame as Frame;
    frame.key = '';
    frame.path = { parent: frame.node.path, key: frame.node.children.length };
    this.#step = this.#inValue;
    return true;
  }

  #inValue(): boolean {
    const line = this.#position;
    if (!this.#skip()) return false;
    const frame = this.#frame as Frame;
    const isItem = frame.node.kind === 'array';
    const unit = this.#unit;
    if (unit === code.backtick) {
      const fence = this.#isFence();
      if (fence === 'more') return false;
      if (fence === 'yes') {
        const sameLine = !this.#text.slice(Math.max(0, line - this.#base), this.#at).includes('\n');
        return !isItem && sameLine ? this.#startBlock('```') : this.#stopHere();
      }
    }
    const interrupted = this.#isInterrupted();
    if (interrupted === 'more') return false;
    if (interrupted === 'yes') return this.#stopHere();
    if (unit === END) return this.#stopInValue(isItem);
    if (unit === code.openCurly || unit === code.openSquare || unit === code.openRound) {
      this.#openContainer(unit);
      return true;
    }
    if (unit === code.closeCurly || unit === code.closeSquare || (unit === code.closeRound && isItem)) {
      return isItem ? this.#close(unit) : this.#missingValue();
    }
    if (unit === code.comma || unit === code.semicolon) return isItem ? this.#extraComma(frame) : this.#missingValue();
    if (unit === code.colon || unit === code.equals || unit === code.greater) {
      this.#mark('fixed-colon');
      this.#at++;
      return true;
    }
    if (unit === code.backslash && this.#unitAt(1) === MORE) return false;
    if (isQuote(unit) || (unit === code.backslash && isQuote(this.#unitAt(1)))) {
      return this.#startString(this.#calls > 0 ? 'call' : isItem ? 'item' : 'member');
    }
    if (unit === code.dot && this.#unitAt(1) === MORE) return false;
    if (unit === code.dot && this.#unitAt(1) === code.dot && isItem) return this.#passEllipsis();
    this.#bare = { start: this.#position, text: '', round: 0, curly: 0, square: 0 };
    this.#step = this.#inBare;
    return true;
  }

  #stopInValue(isItem: boolean): boolean {
    if (!isItem) this.#missingValue();
    this.#closeAll();
    return false;
  }

  #afterValue(): boolean {
    if (!this.#skip()) return false;
    const frame = this.#frame as Frame;
    const unit = this.#unit;
    const interrupted = this.#isInterrupted();
    if (interrupted === 'more') return false;
    if (unit === END || interrupted === 'yes') return this.#stopHere();
    if (unit === code.comma || unit === code.semicolon) {
      if (unit === code.semicolon) this.#mark('fixed-separator');
      frame.afterComma = true;
      this.#at++;
      return this.#next(frame);
    }
    if (unit === code.closeCurly || unit === code.closeSquare || unit === code.closeRound) return this.#close(unit);
    if (unit === code.plus && this.#last?.kind === 'string') return this.#joinString();
    if (frame.node.kind === 'object' && unit === code.openCurly) {
      this.#mark('inserted-brackets');
      this.#closeFrame();
      return true;
    }
    if (unit !== code.dot) this.#mark('inserted-comma');
    return this.#next(frame);
  }

  #next(frame: Frame): boolean {
    this.#step = frame.node.kind === 'object' ? this.#inKey : this.#beforeItem;
    return true;
  }

  // Closing brackets.

  #close(unit: number): boolean {
    const frame = this.#frame as Frame;
    if (unit === code.closeRound) return this.#closeRound(frame);
    const kind = unit === code.closeCurly ? 'object' : 'array';
    if (frame.node.kind !== kind) return this.#closeMismatch(kind);
    if (this.#frames.length === 1 && kind === 'object') {
      const goesOn = this.#goesOn(frame);
      if (goesOn === 'more') return false;
      if (goesOn === 'yes') {
        this.#mark('dropped-bracket');
        this.#at++;
        return true;
      }
    }
    if (frame.afterComma && frame.node.children.length > 0) this.#mark('fixed-trailing-comma');
    this.#at++;
    this.#closeFrame();
    return true;
  }

  #closeRound(frame: Frame): boolean {
    this.#at++;
    if (this.#calls > 0) {
      this.#calls--;
      return true;
    }
    if (frame.open === code.openRound || frame.node.kind === 'array') this.#closeFrame();
    else this.#mark('dropped-bracket');
    return true;
  }

  /**
   * The bracket does not fit the innermost container. Either the brackets in between are missing, or it is the
   * wrong bracket for the innermost; what follows decides.
   */
  #closeMismatch(kind: 'object' | 'array'): boolean {
    const depth = this.#frames.findLastIndex((frame) => frame.node.kind === kind);
    if (depth === -1) return this.#closeStray();
    const fits = this.#fitsAfter(this.#frames[depth - 1]);
    if (fits === 'more') return false;
    if (fits === 'no') {
      this.#mark('fixed-brackets');
      this.#at++;
      this.#closeFrame();
      return true;
    }
    this.#mark('inserted-brackets');
    while (this.#frames.length > depth + 1) this.#closeFrame();
    this.#at++;
    this.#closeFrame();
    return true;
  }

  /** A bracket that nothing open could have: one too many when the container goes on, else its own, miswritten. */
  #closeStray(): boolean {
    const goesOn = this.#goesOn(this.#frame as Frame);
    if (goesOn === 'more') return false;
    this.#mark(goesOn === 'yes' ? 'dropped-bracket' : 'fixed-brackets');
    this.#at++;
    if (goesOn === 'no') this.#closeFrame();
    return true;
  }

  /** Whether a comma follows, and then what the container holds. */
  #goesOn(frame: Frame): 'yes' | 'no' | 'more' {
    const ahead = new Lookahead(this.#text, this.#at + 1, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit !== code.comma) return 'no';
    ahead.at++;
    if (frame.node.kind === 'object') {
      const key = ahead.key();
      return key === 'more' ? 'more' : key === 'key' ? 'yes' : 'no';
    }
    const value = ahead.valueStart();
    return value === 'more' ? 'more' : value === 'value' ? 'yes' : 'no';
  }

  /** Whether what follows the bracket can follow in this container (or, without one, at the top level). */
  #fitsAfter(container: Frame | undefined): 'yes' | 'no' | 'more' {
    const ahead = new Lookahead(this.#text, this.#at + 1, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit !== code.comma) return 'yes';
    if (container === undefined) return 'no';
    ahead.at++;
    const key = ahead.key();
    if (key === 'more') return 'more';
    return (key === 'none') === (container.node.kind === 'array') ? 'yes' : 'no';
  }

  // Strings.

  #startString(place: Place): boolean {
    const escaped = this.#unit === code.backslash;
    const quote = escaped ? this.#unitAt(1) : this.#unit;
    const opening = this.#readOpening(quote, escaped, place);
    if (opening === 'more') return false;
    if (opening === 'block') return this.#startBlock(String.fromCharCode(quote).repeat(3));
    if (quote !== code.doubleQuote || escaped) this.#mark('fixed-quotes');
    this.#string = {
      place,
      start: this.#position,
      closers: closersOf(quote) ?? [quote],
      escaped,
      doubled: opening === 'doubled',
      text: '',
      innerQuotes: 0,
      apostrophes: 0,
      openCurly: 0,
      openSquare: 0,
      control: false,
      resume: undefined,
      node: undefined,
    };
    if (place !== 'key') this.#openStringNode(this.#string);
    this.#at += (escaped ? 2 : 1) + (opening === 'doubled' ? 1 : 0);
    this.#step = this.#inString;
    return true;
  }

  /** Three quotes open a block; two before a word are one quote written twice. */
  #readOpening(quote: number, escaped: boolean, place: Place): 'plain' | 'block' | 'doubled' | 'more' {
    if (escaped || (quote !== code.doubleQuote && quote !== code.singleQuote)) return 'plain';
    if (this.#unitAt(1) === MORE) return 'more';
    if (this.#unitAt(1) !== quote) return 'plain';
    const third = this.#unitAt(2);
    if (third === MORE && !this.#settling) return 'more';
    if (third === quote && place !== 'key') return 'block';
    return isWord(third) ? 'doubled' : 'plain';
  }

  #openStringNode(string: OpenString): void {
    const node = this.#createNode('string', string.start, { value: '' });
    string.node = node;
    if (this.#frame === undefined) this.#startRoot(node);
    this.#attach(node);
    this.#options.listener?.opened(node, this.#frame?.node);
  }

  #showString(node: Node, text: string): void {
    if (node.value === text) return;
    node.value = text;
    this.#update(node);
  }

  #inString(): boolean {
    const string = this.#string as OpenString;
    let from = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === code.backslash) {
        string.text += this.#text.slice(from, this.#at);
        const escape = this.#readEscape(string);
        if (escape !== 'read') return escape === 'closed';
        from = this.#at;
        this.#at--;
      } else if (string.closers.includes(unit) && !string.escaped) {
        string.text += this.#text.slice(from, this.#at);
        const done = this.#atQuote(string);
        if (done !== 'inner') return done === 'closed';
        from = this.#at;
        this.#at--;
      } else if (unit < 32) string.control = true;
      else if (unit === code.openCurly) string.openCurly++;
      else if (unit === code.closeCurly) string.openCurly = Math.max(0, string.openCurly - 1);
      else if (unit === code.openSquare) string.openSquare++;
      else if (unit === code.closeSquare) string.openSquare = Math.max(0, string.openSquare - 1);
      else if (unit === code.less && this.#thinking) {
        const interrupted = this.#isInterrupted();
        if (interrupted === 'no') continue;
        string.text += this.#text.slice(from, this.#at);
        if (interrupted === 'more') return false;
        this.#finishTruncatedString(string);
        return this.#stopHere();
      }
    }
    string.text += this.#text.slice(from, this.#at);
    if (string.resume !== undefined && this.#position - string.resume.at > longestKey * 2) string.resume = undefined;
    return false;
  }

  /** At a unit that could close the string. `inner`: it does not, and was taken as text. */
  #atQuote(string: OpenString): 'closed' | 'inner' | 'more' {
    let run = this.#quoteRun();
    if (run === 0) return 'more';
    if (run === 2 && !string.doubled && string.place === 'member') {
      const key = new Lookahead(this.#text, this.#at + 1, this.#ended).key();
      if (key === 'more') return 'more';
      if (key === 'key') run = 1;
    }
    if (string.doubled && run === 1) return this.#takeInner(string, 1);
    const last = this.#at + run - 1;
    const missing = this.#isQuoteOfNextKey(string, last);
    if (missing !== 'no') return missing === 'more' ? 'more' : this.#resumeEarlier(string);
    const frame = this.#frame;
    const context = {
      text: this.#text,
      ended: this.#ended || this.#settling,
      place: string.place,
      innerQuotes: string.innerQuotes + run - 1,
      openCurly: string.openCurly,
      openSquare: string.openSquare,
      keysQuoted: frame !== undefined && frame.quotedKeys > 0,
      depth: this.#frames.length,
    };
    const verdict = judgeQuote(context, last);
    if (verdict === 'more') return 'more';
    if (verdict === 'inner') return this.#takeInner(string, run);
    // One inner quote that follows a comma is more likely the next item's, and the end quote of this one missing.
    if (string.place === 'item' && string.innerQuotes === 1 && string.resume !== undefined && run === 1) {
      return this.#resumeEarlier(string);
    }
    const inner = string.doubled ? run - 2 : run - 1;
    if (inner > 0) this.#takeInner(string, inner);
    this.#at += string.doubled ? 2 : 1;
    this.#closeString(string);
    return 'closed';
  }

  /** How many quotes stand in a row; 0 when the row may go on in text that has not arrived. */
  #quoteRun(): number {
    const unit = this.#unit;
    let run = 1;
    while (this.#unitAt(run) === unit) run++;
    if (this.#unitAt(run) === MORE && !this.#settling) return 0;
    return run;
  }

  #takeInner(string: OpenString, run: number): 'inner' {
    if (string.resume === undefined && (string.place === 'member' || string.place === 'item')) {
      string.resume = this.#placeOfMissingEnd(string);
    }
    const isApostrophe = run === 1 && isWord(this.#text.charCodeAt(this.#at - 1)) && isWord(this.#unitAt(1));
    string.text += this.#text.slice(this.#at, this.#at + run);
    if (isApostrophe) string.apostrophes++;
    else string.innerQuotes += run;
    this.#at += run;
    return 'inner';
  }

  /** If a comma or a line break stands before this quote, the string may have ended there. */
  #placeOfMissingEnd(string: OpenString): OpenString['resume'] {
    let at = this.#at - 1;
    let back = 0;
    let newline = false;
    while (at >= 0 && isSpace(this.#text.charCodeAt(at)) && back < memory) {
      newline ||= this.#text.charCodeAt(at) === code.lineFeed;
      at--;
      back++;
    }
    if (at < 0 || back >= string.text.length) return undefined;
    if (this.#text.charCodeAt(at) === code.comma) return { at: this.#base + at, length: string.text.length - back - 1 };
    return newline ? { at: this.#base + at + 1, length: string.text.length - back } : undefined;
  }

  /** `": ` inside a value: the quote closes the next key, whose opening quote was taken for an inner one. */
  #isQuoteOfNextKey(string: OpenString, at: number): 'yes' | 'no' | 'more' {
    if (string.place !== 'member' || string.resume === undefined) return 'no';
    const ahead = new Lookahead(this.#text, at + 1, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    return unit === code.colon ? 'yes' : 'no';
  }

  /** Ends the string where its end quote is missing, and reads on from there. */
  #resumeEarlier(string: OpenString): 'closed' {
    const resume = string.resume as NonNullable<OpenString['resume']>;
    string.text = string.text.slice(0, resume.length);
    string.innerQuotes = 0;
    string.apostrophes = 0;
    this.#at = resume.at - this.#base;
    this.#mark('inserted-quote');
    this.#closeString(string);
    return 'closed';
  }

  #closeString(string: OpenString): void {
    this.#string = undefined;
    if (string.innerQuotes + string.apostrophes > 0)
      this.#mark('fixed-inner-quotes', { start: string.start, end: this.#position });
    if (string.control) this.#mark('fixed-control-character', { start: string.start, end: this.#position });
    const frame = this.#frame;
    if (string.node === undefined) {
      if (frame !== undefined) this.#setKey(frame, string.text, false);
      return;
    }
    this.#showString(string.node, string.text);
    this.#complete(string.node);
  }

  /** The text ended inside a string. Brackets at its very end that close just what is open are not its own. */
  #finishTruncatedString(string: OpenString): void {
    const tail = /[\s}\]]*$/.exec(string.text)?.[0] ?? '';
    const closers = tail.replaceAll(/\s/g, '');
    const wanted = this.#frames
      .map((frame) => (frame.node.kind === 'object' ? '}' : ']'))
      .toReversed()
      .join('');
    if (string.place !== 'key' && closers !== '' && closers === wanted && string.openCurly + string.openSquare === 0) {
      string.text = string.text.slice(0, -tail.length);
      this.#mark('inserted-quote');
    } else this.#mark('closed-truncated');
    if (string.node === undefined) {
      this.#string = undefined;
      return;
    }
    this.#closeString(string);
  }

  /** `"a" + "b"`. */
  #joinString(): boolean {
    const ahead = new Lookahead(this.#text, this.#at + 1, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return false;
    if (!isQuote(unit)) {
      this.#at++;
      return true;
    }
    const node = this.#last as Node;
    node.complete = false;
    this.#at = ahead.at + 1;
    this.#mark('joined-strings');
    this.#string = {
      place: this.#frame?.node.kind === 'array' ? 'item' : 'member',
      start: node.start,
      closers: closersOf(unit) ?? [unit],
      escaped: false,
      doubled: false,
      text: node.value as string,
      innerQuotes: 0,
      apostrophes: 0,
      openCurly: 0,
      openSquare: 0,
      control: false,
      resume: undefined,
      node,
    };
    this.#step = this.#inString;
    return true;
  }

  /** At a backslash. */
  #readEscape(string: OpenString): 'read' | 'closed' | 'more' {
    const next = this.#unitAt(1);
    if (next === MORE) return 'more';
    if (next === END) {
      this.#at++;
      return 'read';
    }
    if (string.escaped && string.closers.includes(next)) return this.#atEscapedQuote(string);
    if (next === 117) return this.#readUnicode(string);
    const plain = simpleEscapes.get(next);
    if (plain !== undefined) string.text += plain;
    else if (next === 120 && isHex(this.#unitAt(2)) && isHex(this.#unitAt(3))) {
      string.text += String.fromCharCode(Number.parseInt(this.#text.slice(this.#at + 2, this.#at + 4), 16));
      this.#mark('fixed-escape');
      this.#at += 2;
    } else {
      if (next === 120 && (this.#unitAt(2) === MORE || this.#unitAt(3) === MORE)) return 'more';
      // A backslash that means nothing keeps the character behind it.
      this.#mark('fixed-escape');
      string.text += String.fromCharCode(next);
    }
    this.#at += 2;
    return 'read';
  }

  #readUnicode(string: OpenString): 'read' | 'more' {
    let digits = 0;
    while (digits < 4 && isHex(this.#unitAt(2 + digits))) digits++;
    if (digits < 4 && this.#unitAt(2 + digits) === MORE) return 'more';
    if (digits === 4) {
      string.text += String.fromCharCode(Number.parseInt(this.#text.slice(this.#at + 2, this.#at + 6), 16));
      this.#at += 6;
    } else {
      this.#mark('fixed-escape');
      // An escape that the end of the text cut off is dropped; any other keeps its characters.
      if (this.#unitAt(2 + digits) === END) this.#at += 2 + digits;
      else {
        string.text += 'u';
        this.#at += 2;
      }
    }
    return 'read';
  }

  /** In a text whose quotes are all escaped, `\"` closes; `\\\"` is the inner quote. */
  #atEscapedQuote(string: OpenString): 'closed' | 'read' | 'more' {
    const ahead = new Lookahead(this.#text, this.#at + 2, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    this.#at += 2;
    this.#closeString(string);
    return 'closed';
  }

  // Blocks: three quotes or a code fence in place of a string.

  #startBlock(fence: string): boolean {
    let at = this.#at + 3;
    if (fence === '```') {
      const line = this.#text.indexOf('\n', at);
      if (line === -1 && !this.#ended) return false;
      if (line !== -1) at = line;
    }
    const node = this.#createNode('string', this.#position, { value: '' });
    this.#mark('fixed-quotes');
    this.#block = { start: this.#position, fence, text: '', node };
    if (this.#frame === undefined) this.#startRoot(node);
    this.#attach(node);
    this.#options.listener?.opened(node, this.#frame?.node);
    this.#at = at;
    this.#step = this.#inBlock;
    return true;
  }

  #inBlock(): boolean {
    const block = this.#block as OpenBlock;
    for (;;) {
      const at = this.#text.indexOf(block.fence, this.#at);
      if (at === -1) {
        const keep = this.#ended ? this.#text.length : Math.max(this.#at, this.#text.length - 2);
        block.text += this.#text.slice(this.#at, keep);
        this.#at = keep;
        return false;
      }
      const closes = this.#closesBlock(at + 3);
      if (closes === 'more') return false;
      block.text += this.#text.slice(this.#at, closes === 'yes' ? at : at + 3);
      this.#at = at + 3;
      if (closes === 'yes') {
        this.#finishBlock(block);
        return true;
      }
    }
  }

  #closesBlock(at: number): 'yes' | 'no' | 'more' {
    const ahead = new Lookahead(this.#text, at, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    const structural = unit === code.comma || unit === code.closeCurly || unit === code.closeSquare;
    return unit < 0 || structural || ahead.newline ? 'yes' : 'no';
  }

  #finishBlock(block: OpenBlock): void {
    this.#block = undefined;
    block.node.value = dedent(block.text);
    this.#update(block.node);
    this.#complete(block.node);
  }

  // Words without quotes.

  #inBare(): boolean {
    const bare = this.#bare as OpenBare;
    const isItem = this.#frame?.node.kind === 'array';
    let from = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const unit = this.#text.charCodeAt(this.#at);
      if (isWord(unit) || unit === code.space) continue;
      const word = () => (bare.text + this.#text.slice(from, this.#at)).trim();
      if (unit === code.openRound && this.#startsCall(word())) {
        this.#bare = undefined;
        this.#at++;
        this.#calls++;
        this.#mark('stripped-wrapper');
        this.#step = this.#inValue;
        return true;
      }
      const ends = this.#endsBare(bare, unit, word, isItem);
      if (ends === 'no') continue;
      bare.text += this.#text.slice(from, this.#at);
      from = this.#at;
      if (ends === 'more') return false;
      return this.#finishBare(bare);
    }
    bare.text += this.#text.slice(from, this.#at);
    return this.#ended ? this.#finishBare(bare) : false;
  }

  /** `ObjectId("1")`, `Decimal('1.5')`, `set([…])`: the value is what is inside. */
  #startsCall(word: string): boolean {
    return callNames.test(word);
  }

  #endsBare(bare: OpenBare, unit: number, word: () => string, isItem: boolean): 'yes' | 'no' | 'more' {
    switch (unit) {
      case code.openRound:
        bare.round++;
        return 'no';
      case code.closeRound:
        if (bare.round === 0 && (this.#calls > 0 || this.#frame?.open === code.openRound)) return 'yes';
        bare.round = Math.max(0, bare.round - 1);
        return 'no';
      case code.openCurly:
        if (word() === '' || isLiteral(word()) || isNumeric(word())) return 'yes';
        bare.curly++;
        return 'no';
      case code.openSquare:
        bare.square++;
        return 'no';
      case code.closeCurly:
        if (bare.curly === 0) return 'yes';
        bare.curly--;
        return 'no';
      case code.closeSquare:
        if (bare.square === 0) return 'yes';
        bare.square--;
        return 'no';
      case code.comma:
      case code.semicolon:
        if (bare.round > 0 || bare.curly > 0 || bare.square > 0) return 'no';
        return isItem ? this.#itemComma(word()) : this.#memberComma(word());
      case code.lineFeed:
        return this.#atLineEnd(word(), isItem);
      case code.slash:
      case code.hash:
        return this.#startsComment(unit);
      case code.backtick:
        return this.#isFence();
      case code.less:
        return this.#isInterrupted();
      default:
        return isQuote(unit) ? this.#quoteInBare(word()) : 'no';
    }
  }

  /** A comma in a list ends the item, unless it groups the digits of one number that is wanted. */
  #itemComma(_word: string): 'yes' | 'no' | 'more' {
    return 'yes';
  }

  #memberComma(word: string): 'yes' | 'no' | 'more' {
    if (isLiteral(word)) return 'yes';
    const ahead = new Lookahead(this.#text, this.#at + 1, this.#ended);
    const first = ahead.unit;
    if (first === MORE) return 'more';
    if (isNumeric(word)) return first >= 48 && first <= 57 ? 'no' : 'yes';
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit < 0 || unit === code.closeCurly || unit === code.closeSquare || unit === code.comma) return 'yes';
    if (unit === code.dot || unit === code.hash) return 'yes';
    const key = ahead.key();
    if (key === 'more') return 'more';
    return key === 'none' ? 'no' : 'yes';
  }

  #atLineEnd(word: string, isItem: boolean): 'yes' | 'no' | 'more' {
    const ahead = new Lookahead(this.#text, this.#at + 1, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if (unit < 0 || isItem || isLiteral(word) || isNumeric(word)) return 'yes';
    if (unit === code.closeCurly || unit === code.closeSquare || unit === code.comma) return 'yes';
    const key = ahead.key();
    if (key === 'more') return 'more';
    return key === 'none' ? 'no' : 'yes';
  }

  #startsComment(unit: number): 'yes' | 'no' | 'more' {
    const before = this.#at === 0 ? code.space : this.#text.charCodeAt(this.#at - 1);
    const next = this.#unitAt(1);
    if (next === MORE) return 'more';
    if (unit === code.hash) return isSpace(before) && isSpace(next) ? 'yes' : 'no';
    if (next === code.star) return 'yes';
    return next === code.slash && isSpace(before) ? 'yes' : 'no';
  }

  /** `foo",`: the quote that opened the word is missing. */
  #quoteInBare(word: string): 'yes' | 'no' | 'more' {
    if (word === '') return 'no';
    const key = new Lookahead(this.#text, this.#at, this.#ended).key();
    if (key === 'more') return 'more';
    if (key === 'key' && this.#frame?.node.kind === 'object') return 'yes';
    const ahead = new Lookahead(this.#text, this.#at + 1, this.#ended);
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    const structural = unit === code.comma || unit === code.closeCurly || unit === code.closeSquare || unit === END;
    if (isLiteral(word) || isNumeric(word)) return 'yes';
    return structural && !word.includes('"') ? 'yes' : 'no';
  }

  /** Whether the quote here opens the next key, rather than closing the word before it. */
  #opensKey(): boolean {
    return new Lookahead(this.#text, this.#at, this.#ended).key() === 'key';
  }

  #finishBare(bare: OpenBare): boolean {
    this.#bare = undefined;
    const raw = bare.text.trim();
    const isEndQuote = isQuote(this.#unit) && !this.#opensKey();
    if (isEndQuote) this.#at++;
    const scalar = parseScalar(raw);
    if (scalar.fixed !== undefined) this.#mark(isEndQuote ? 'fixed-quotes' : scalar.fixed, { start: bare.start });
    this.#addScalar(scalar.kind, bare.start, { value: scalar.value, bare: true, raw });
    return true;
  }
}

const callNames =
  /^(?:new\s+)?(?:ObjectId|ISODate|Date|NumberLong|NumberInt|NumberDecimal|Timestamp|Decimal(?:128)?|UUID|set|frozenset|list|tuple|dict|OrderedDict|datetime|date|str|int|float|bool|String|Number|Boolean|callback)$/;

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

function expectationOf(frame: Frame): Expectation | undefined {
  return frame.node.kind === 'object' ? frame.expect?.member(frame.key) : frame.expect?.item();
}
