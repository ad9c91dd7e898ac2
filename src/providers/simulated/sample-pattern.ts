// A text that matches a regular expression, for the simple ones: literals, classes, groups, alternatives and
// quantifiers. What it does not understand (look-around, back references, Unicode properties) has no sample.
// Every sample was tried against the expression itself before it leaves.

import type { Random } from './random.ts';

const attempts = 30;
/** How often `*`, `+` and `{n,}` repeat at most beyond what they must. */
const extraRepeats = 4;
const longestRepeat = 1000;
const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const digits = '0123456789';
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

const escapeClasses: Readonly<Record<string, string>> = {
  d: digits,
  w: `${letters}${digits}_`,
  s: ' ',
  t: '\t',
  n: '\n',
  r: '\r',
  D: letters,
  W: ' -.',
  S: `${letters}${digits}`,
};

export function samplePattern(pattern: string, random: Random, fits: (text: string) => boolean): string | undefined {
  try {
    const expression = new RegExp(pattern, 'u');
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const text = new PatternSampler(pattern, random).sample();
      if (fits(text) && expression.test(text)) return text;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}

/** Reads the expression from left to right and writes as it reads. Throws a `SyntaxError` at what it does not know. */
class PatternSampler {
  readonly #source: string;
  readonly #random: Random;
  #at = 0;

  constructor(source: string, random: Random) {
    this.#source = source;
    this.#random = random;
  }

  sample(): string {
    return this.#alternatives()();
  }

  #alternatives(): () => string {
    const arms = [this.#sequence()];
    while (this.#take('|')) arms.push(this.#sequence());
    return () => this.#random.pick(arms)();
  }

  #sequence(): () => string {
    const parts: (() => string)[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const atom = this.#atom();
      const [minimum, maximum] = this.#quantifier();
      parts.push(() => Array.from({ length: this.#random.integer(minimum, maximum) }, atom).join(''));
    }
    return () => parts.map((part) => part()).join('');
  }

  #atom(): () => string {
    const character = this.#source[this.#at++]!;
    if (character === '^' || character === '$') return () => '';
    if (character === '.') return () => this.#random.pick(letters.split(''));
    if (character === '(') return this.#group();
    if (character === '[') return this.#oneOf(this.#class());
    if (character === '\\') return this.#oneOf(this.#escape());
    return () => character;
  }

  #oneOf(characters: string): () => string {
    const list = characters.split('');
    return () => this.#random.pick(list);
  }

  #group(): () => string {
    if (this.#take('?')) {
      if (this.#take('<')) {
        const name = /^[A-Za-z_]\w*>/u.exec(this.#source.slice(this.#at))?.[0];
        if (name === undefined) throw new SyntaxError('look-behind is not sampled');
        this.#at += name.length;
      } else if (!this.#take(':')) throw new SyntaxError('look-ahead is not sampled');
    }
    const inner = this.#alternatives();
    if (!this.#take(')')) throw new SyntaxError('a group has no end');
    return inner;
  }

  #class(): string {
    const negated = this.#take('^');
    let members = '';
    while (this.#at < this.#source.length && this.#source[this.#at] !== ']') {
      const from = this.#member();
      const isRange = this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']' && from.length === 1;
      if (isRange) this.#at += 1;
      members += isRange ? range(from, this.#member()) : from;
    }
    this.#at += 1;
    return negated ? printable.filter((character) => !members.includes(character)).join('') : members;
  }

  #member(): string {
    const character = this.#source[this.#at++]!;
    return character === '\\' ? this.#escape() : character;
  }

  #escape(): string {
    const character = this.#source[this.#at++] ?? '';
    if (/[1-9bBpPkuxc]/u.test(character)) throw new SyntaxError(`\\${character} is not sampled`);
    return escapeClasses[character] ?? character;
  }

  #quantifier(): readonly [number, number] {
    const found = /^(?:[?*+]|\{(\d+)(,?)(\d*)\})\??/u.exec(this.#source.slice(this.#at));
    if (found === null) return [1, 1];
    this.#at += found[0].length;
    if (found[0].startsWith('?')) return [0, 1];
    if (found[0].startsWith('*')) return [0, extraRepeats];
    if (found[0].startsWith('+')) return [1, 1 + extraRepeats];
    const minimum = Number(found[1]);
    if (minimum > longestRepeat) throw new SyntaxError('so long a text is not sampled');
    if (found[2] === '') return [minimum, minimum];
    return [minimum, found[3] === '' ? minimum + extraRepeats : Math.min(Number(found[3]), minimum + longestRepeat)];
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

function range(from: string, to: string): string {
  let members = '';
  const last = Math.min(to.charCodeAt(0), from.charCodeAt(0) + 512);
  for (let code = from.charCodeAt(0); code <= last; code += 1) members += String.fromCharCode(code);
  return members;
}
