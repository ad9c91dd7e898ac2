// Samples a text that matches a simple regular expression: literals, classes, groups, alternatives and quantifiers.
// Other features (look-around, back references, Unicode properties) have no sample.
// Invariant: the text matches by construction, so the expression is never executed and cannot backtrack.

import { SampleLimit, type SampleBudget } from './sample-budget.ts';
import type { Random } from '../model/random.ts';

const attempts = 30;
/** After this many texts that are too long, the pattern itself is considered too long. */
const mostTooLong = 3;
/** The most repetitions of `*`, `+` and `{n,}` beyond their minimum. */
const extraRepeats = 4;
/** The same for `{n,m}`. */
const mostExtraRepeats = 1000;
/** After this many steps everything is repeated as rarely as possible. */
const generousSteps = 5000;
const deepestGroup = 100;
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const digits = Array.from('0123456789');
const letters = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');
const wordCharacters = [...letters, ...digits, '_'];

const escapeClasses: ReadonlyMap<string, readonly string[]> = new Map([
  ['d', digits],
  ['w', wordCharacters],
  ['s', [' ']],
  ['t', ['\t']],
  ['n', ['\n']],
  ['r', ['\r']],
  ['f', ['\f']],
  ['v', ['\v']],
  ['D', without(digits)],
  ['W', without(wordCharacters)],
  ['S', without([' '])],
]);

/** Writes one part of a text. */
type PatternWriter = (text: PatternText) => void;

/** What a pattern is sampled with. */
export interface PatternSource {
  readonly random: Random;
  readonly budget: SampleBudget;
  readonly place: string;
  /** Try the shortest text first. */
  readonly isLean: boolean;
}

export class PatternSampler {
  /** Undefined for an unsupported pattern. */
  readonly #parsed = new Map<string, PatternWriter | undefined>();

  /** Throws `SampleLimit` when every text that was tried is too long. */
  sample(pattern: string, source: PatternSource, fits: (text: string) => boolean): string | undefined {
    const part = this.#parse(pattern);
    if (part === undefined) return undefined;
    const tooLong: SampleLimit[] = [];
    for (let attempt = 0; attempt < attempts && tooLong.length < mostTooLong; attempt += 1) {
      const text = new PatternText(source, source.isLean && attempt === 0);
      try {
        part(text);
        if (text.isMatch && fits(text.toString())) return text.toString();
      } catch (error) {
        if (!(error instanceof SampleLimit)) throw error;
        tooLong.push(error);
      }
    }
    if (tooLong[0] !== undefined) throw tooLong[0];
    return undefined;
  }

  #parse(pattern: string): PatternWriter | undefined {
    if (!this.#parsed.has(pattern)) this.#parsed.set(pattern, parsePattern(pattern));
    return this.#parsed.get(pattern);
  }
}

function parsePattern(pattern: string): PatternWriter | undefined {
  try {
    // Validates the pattern.
    const { source } = new RegExp(pattern, 'u');
    return new PatternParser(source).parse();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A text in progress. Checks anchors: `^` allows nothing before it, `$` nothing after it. */
class PatternText {
  readonly random: Random;
  readonly #source: PatternSource;
  readonly #generousSteps: number;
  readonly #parts: string[] = [];
  #steps = 0;
  #isEnded = false;
  isMatch = true;

  constructor(source: PatternSource, isLean: boolean) {
    this.#source = source;
    this.#generousSteps = isLean ? 0 : generousSteps;
    this.random = source.random;
  }

  write(character: string): void {
    const { budget, place } = this.#source;
    if (this.#isEnded) this.isMatch = false;
    this.#parts.push(character);
    budget.expectCharacters(this.#parts.length, 'pattern', place);
  }

  start(): void {
    if (this.#parts.length > 0) this.isMatch = false;
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Chooses a number of repetitions. Counts as a step, also if it is 0. */
  repeats(minimum: number, maximum: number): number {
    this.step();
    return this.#steps > this.#generousSteps ? minimum : this.random.integer(minimum, maximum);
  }

  step(): void {
    const { budget, place } = this.#source;
    this.#steps += 1;
    // Empty parts write no characters, so steps need their own limit.
    budget.expectCharacters(this.#steps / 4, 'pattern', place);
    budget.spendSteps(1, place);
  }

  toString(): string {
    return this.#parts.join('');
  }
}

/** Parses an expression from left to right. Throws a `SyntaxError` for unsupported syntax. */
class PatternParser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternWriter {
    return this.#alternatives();
  }

  #alternatives(): PatternWriter {
    const alternatives = [this.#sequence()];
    while (this.#take('|')) alternatives.push(this.#sequence());
    return (text) => text.random.pick(alternatives)(text);
  }

  #sequence(): PatternWriter {
    const parts: PatternWriter[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      parts.push(repeat(this.#atom(), this.#quantifier()));
    }
    return (text) => {
      for (const part of parts) part(text);
    };
  }

  #atom(): PatternWriter {
    const character = this.#next();
    if (character === '^') return (text) => text.start();
    if (character === '$') return (text) => text.end();
    if (character === '.') return oneOf(letters);
    if (character === '(') return this.#group();
    if (character === '[') return oneOf(this.#class());
    if (character === '\\') return oneOf(this.#escape());
    return (text) => text.write(character);
  }

  #group(): PatternWriter {
    if (++this.#depth > deepestGroup) throw new SyntaxError('groups are nested too deep to sample');
    if (this.#take('?') && !this.#take(':')) {
      const name = this.#match(/<[A-Za-z_]\w*>/uy);
      if (name === undefined) throw new SyntaxError('look-around and modifiers are not sampled');
    }
    const inner = this.#alternatives();
    if (!this.#take(')')) throw new SyntaxError('unterminated group');
    this.#depth -= 1;
    return inner;
  }

  #class(): readonly string[] {
    const negated = this.#take('^');
    const members = new Set<string>();
    while (this.#at < this.#source.length && this.#source[this.#at] !== ']') {
      const from = this.#member();
      const isRange = this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']' && from.length === 1;
      if (isRange) this.#at += 1;
      for (const member of isRange ? range(from[0]!, this.#member()[0]!) : from) members.add(member);
    }
    this.#at += 1;
    return negated ? without([...members]) : [...members];
  }

  #member(): readonly string[] {
    const character = this.#next();
    return character === '\\' ? this.#escape() : [character];
  }

  #escape(): readonly string[] {
    const character = this.#next();
    const known = escapeClasses.get(character);
    if (known === undefined && /[A-Za-z0-9]/u.test(character)) throw new SyntaxError(`\\${character} is not sampled`);
    return known ?? [character];
  }

  #quantifier(): readonly [number, number] {
    const found = this.#match(/(?:[?*+]|\{(\d+)(,?)(\d*)\})\??/uy);
    if (found === undefined) return [1, 1];
    if (found[0].startsWith('?')) return [0, 1];
    if (found[0].startsWith('*')) return [0, extraRepeats];
    if (found[0].startsWith('+')) return [1, 1 + extraRepeats];
    const minimum = Number(found[1]);
    if (found[2] === '') return [minimum, minimum];
    return [minimum, found[3] === '' ? minimum + extraRepeats : Math.min(Number(found[3]), minimum + mostExtraRepeats)];
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  /** One code point, as with the flag `u`. */
  #next(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

function repeat(part: PatternWriter, [minimum, maximum]: readonly [number, number]): PatternWriter {
  return (text) => {
    const times = text.repeats(minimum, maximum);
    for (let turn = 0; turn < times; turn += 1) {
      if (turn > 0) text.step();
      part(text);
    }
  };
}

function oneOf(characters: readonly string[]): PatternWriter {
  if (characters.length === 0) throw new SyntaxError('an empty class matches nothing');
  return (text) => text.write(text.random.pick(characters));
}

function without(characters: readonly string[]): readonly string[] {
  const excluded = new Set(characters);
  return printable.filter((character) => !excluded.has(character));
}

function range(from: string, to: string): string[] {
  const first = from.codePointAt(0)!;
  const length = Math.min(to.codePointAt(0)! - first, 512) + 1;
  return Array.from({ length }, (_, index) => String.fromCodePoint(first + index));
}
