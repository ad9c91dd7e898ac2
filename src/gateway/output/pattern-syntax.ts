// Rewrites an ECMAScript regular expression (with the `u` flag, as in JSON Schema) in the syntax of RE2, so that it matches
// the same texts. The two differ in the meaning of `.`, `\s`, `\u0041` and `[^]`. Every character is written as its code
// point, so that no character has a special meaning in RE2.
// Expressions without an equivalent in RE2 (look-around, back references, some Unicode properties) are not rewritten.

export interface RewrittenPattern {
  readonly text: string;
  /** The approximate number of instructions, with counted repeats expanded. */
  readonly size: number;
}

/** `pattern` must be valid. `undefined` if RE2 has no equivalent. */
export function rewritePattern(pattern: string): RewrittenPattern | undefined {
  try {
    const { text, size } = new PatternRewriter(pattern).rewrite();
    return { text, size };
  } catch (error) {
    if (error instanceof InexpressiblePattern) return undefined;
    throw error;
  }
}

class InexpressiblePattern extends Error {}

/** Patterns with deeper groups are not rewritten. */
const deepest = 100;

const anything = '\\x{0}-\\x{10ffff}';
const lineEnds = '\\x{a}\\x{d}\\x{2028}\\x{2029}';
const spaces =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const noSpaces =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** The content of a class for each escape. */
const classEscapes: Readonly<Record<string, string>> = {
  d: '\\d',
  D: '\\D',
  w: '\\w',
  W: '\\W',
  s: spaces,
  S: noSpaces,
};

const controlEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** The general categories with the same characters in both syntaxes. */
const categories = new Set(
  'L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp'.split(' '),
);

interface PatternPart {
  readonly text: string;
  readonly size: number;
}

class PatternRewriter {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  rewrite(): PatternPart {
    return this.#alternatives();
  }

  #alternatives(): PatternPart {
    let { text, size } = this.#sequence();
    while (this.#take('|')) {
      const branch = this.#sequence();
      text += `|${branch.text}`;
      size += branch.size + 1;
    }
    return { text, size };
  }

  #sequence(): PatternPart {
    let [text, size] = ['', 1];
    while (this.#at < this.#pattern.length && !this.#sees('|') && !this.#sees(')')) {
      const atom = this.#atom();
      const [quantifier, times] = this.#quantifier();
      text += atom.text + quantifier;
      size += atom.size * times;
    }
    return { text, size };
  }

  #atom(): PatternPart {
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return { text: this.#class(), size: 2 };
    if (this.#take('^')) return { text: '\\A', size: 1 };
    if (this.#take('$')) return { text: '\\z', size: 1 };
    if (this.#take('.')) return { text: `[^${lineEnds}]`, size: 2 };
    if (this.#sees('\\b') || this.#sees('\\B')) return { text: this.#read(2), size: 1 };
    if (!this.#take('\\')) return { text: toText(this.#character()), size: 1 };
    const escape = this.#escape();
    return { text: typeof escape === 'number' ? toText(escape) : `[${escape}]`, size: 2 };
  }

  #group(): PatternPart {
    if (++this.#depth > deepest) throw new InexpressiblePattern();
    if (this.#take('?')) this.#groupKind();
    const { text, size } = this.#alternatives();
    this.#expect(')');
    this.#depth--;
    return { text: `(?:${text})`, size };
  }

  /** Skips the name of a group, which does not affect matching. */
  #groupKind(): void {
    if (this.#take(':')) return;
    const isNamed = this.#take('<') && !this.#sees('=') && !this.#sees('!');
    if (!isNamed) throw new InexpressiblePattern();
    const end = this.#pattern.indexOf('>', this.#at);
    this.#at = end + 1;
  }

  #class(): string {
    const isNegated = this.#take('^');
    let members = '';
    while (!this.#take(']')) {
      const from = this.#member();
      const isRange = typeof from === 'number' && this.#sees('-') && !this.#sees('-]');
      if (isRange) {
        this.#at++;
        const to = this.#member();
        if (typeof to !== 'number') throw new InexpressiblePattern();
        members += `${toText(from)}-${toText(to)}`;
      } else members += typeof from === 'number' ? toText(from) : from;
    }
    // An empty class matches nothing, and its negation everything.
    if (members === '') return isNegated ? `[${anything}]` : `[^${anything}]`;
    return `[${isNegated ? '^' : ''}${members}]`;
  }

  #member(): number | string {
    if (!this.#take('\\')) return this.#character();
    if (this.#take('b')) return 8;
    return this.#escape();
  }

  /** A code point, or the content of a class. */
  #escape(): number | string {
    const letter = this.#read(1);
    if (Object.hasOwn(classEscapes, letter)) return classEscapes[letter] as string;
    if (letter === 'p' || letter === 'P') return this.#property(letter);
    if (/[1-9k]/.test(letter)) throw new InexpressiblePattern();
    if (Object.hasOwn(controlEscapes, letter)) return controlEscapes[letter] as number;
    if (letter === 'c') return this.#character() % 32;
    if (letter === 'x') return Number.parseInt(this.#read(2), 16);
    if (letter === 'u') return this.#unicodeEscape();
    return letter.codePointAt(0) ?? 0;
  }

  #unicodeEscape(): number {
    if (this.#take('{')) {
      const end = this.#pattern.indexOf('}', this.#at);
      const point = Number.parseInt(this.#pattern.slice(this.#at, end), 16);
      this.#at = end + 1;
      return point;
    }
    const high = Number.parseInt(this.#read(4), 16);
    const low = /^\\u(d[c-f][\da-f]{2})/i.exec(this.#pattern.slice(this.#at, this.#at + 6))?.[1];
    if (!isHighSurrogate(high) || low === undefined) return high;
    this.#at += 6;
    return 0x10000 + (high - 0xd800) * 0x400 + (Number.parseInt(low, 16) - 0xdc00);
  }

  #property(letter: string): string {
    const end = this.#pattern.indexOf('}', this.#at);
    const name = this.#pattern.slice(this.#at + 1, end).replace(/^(?:General_Category|gc)=/, '');
    this.#at = end + 1;
    const script = /^(?:Script|sc)=(\w+)$/.exec(name)?.[1];
    if (script === undefined && !categories.has(name)) throw new InexpressiblePattern();
    return `\\${letter}{${script ?? name}}`;
  }

  /** The quantifier, and the number of copies of its atom. */
  #quantifier(): [text: string, times: number] {
    const found = /^(?:[?*+]|\{(\d+)(,?)(\d*)\})/.exec(this.#pattern.slice(this.#at, this.#at + 40));
    if (found === null) return ['', 1];
    const [text, least = '0', , most = ''] = found;
    this.#at += text.length;
    this.#take('?');
    return [text, Math.max(1, Number(least), Number(most)) + 1];
  }

  #character(): number {
    const point = this.#pattern.codePointAt(this.#at) ?? 0;
    this.#at += point > 0xffff ? 2 : 1;
    return point;
  }

  #read(length: number): string {
    this.#at += length;
    return this.#pattern.slice(this.#at - length, this.#at);
  }

  #sees(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw new InexpressiblePattern();
  }
}

/** A lone surrogate has no equivalent, because RE2 reads code points. */
function toText(point: number): string {
  if (point >= 0xd800 && point <= 0xdfff) throw new InexpressiblePattern();
  return `\\x{${point.toString(16)}}`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
