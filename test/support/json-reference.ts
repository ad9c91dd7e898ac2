// A reference parser that follows the JSON grammar, to compare healing and the engine's JSON.parse with. For valid
// texts only.

import { isDeepStrictEqual } from 'node:util';

type Tree = string | number | boolean | null | undefined | Tree[] | Members;

/** The key as written between its quotes, and the value. */
type Member = readonly [written: string, value: Tree];

class Members {
  readonly list: Member[] = [];
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const token = /[ \t\n\r]*(?:([[\]{}:,])|"((?:[^"\\]|\\.)*)"|([^ \t\n\r[\]{}:,"]+))/y;
const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * `read` is the engine's result for the text. V8 14 predicts the next key from earlier objects with the same keys, and
 * compares it with the source text of the key: `"\u0020"` is read as a backslash if the earlier key was `"\\"`. For
 * such a key, the wrong name in `read` is accepted; nothing else is taken from `read`.
 */
export function readJson(text: string, read?: unknown): unknown {
  return build(new JsonReader(text).value(), read);
}

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Tree {
    const { mark, string, word } = this.#next();
    if (mark === '{') return this.#object();
    if (mark === '[') return this.#array();
    if (string !== undefined) return unescape(string);
    return words.has(word as string) ? words.get(word as string) : Number(word);
  }

  #next(): { mark: string | undefined; string: string | undefined; word: string | undefined } {
    token.lastIndex = this.#at;
    const [whole = '', mark, string, word] = token.exec(this.#text) ?? [];
    this.#at += whole.length;
    return { mark, string, word };
  }

  /** Whether the container ends here. If so, skips the bracket. */
  #ends(bracket: ']' | '}'): boolean {
    const at = this.#at;
    if (this.#next().mark === bracket) return true;
    this.#at = at;
    return false;
  }

  #array(): Tree[] {
    const items: Tree[] = [];
    if (this.#ends(']')) return items;
    do items.push(this.value());
    while (this.#next().mark === ',');
    return items;
  }

  #object(): Members {
    const members = new Members();
    if (this.#ends('}')) return members;
    do {
      const written = this.#next().string as string;
      this.#next();
      members.list.push([written, this.value()]);
    } while (this.#next().mark === ',');
    return members;
  }
}

function unescape(written: string): string {
  return written.replaceAll(/\\(?:u([\da-f]{4})|(.))/gi, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function build(tree: Tree, read: unknown): unknown {
  if (Array.isArray(tree)) return tree.map((item, index) => build(item, Array.isArray(read) ? read[index] : undefined));
  return tree instanceof Members ? buildObject(tree, read) : tree;
}

function buildObject({ list }: Members, read: unknown): object {
  const asMeant = assemble(list, read, []);
  const doubtful = list.filter(([written]) => written.includes('\\') && has(read, misreadKey(written)));
  for (let choice = 1; choice < 2 ** doubtful.length && !isDeepStrictEqual(asMeant, read); choice++) {
    const misread = doubtful.filter((_, index) => (choice & (1 << index)) !== 0);
    const object = assemble(list, read, misread);
    if (isDeepStrictEqual(object, read)) return object;
  }
  return asMeant;
}

function assemble(list: readonly Member[], read: unknown, misread: readonly Member[]): object {
  const object = {};
  for (const member of list) {
    const [written, tree] = member;
    const key = misread.includes(member) ? misreadKey(written) : unescape(written);
    const value = build(tree, has(read, key) ? read[key] : undefined);
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  }
  return object;
}

/** As many characters of the source text as the key has. */
function misreadKey(written: string): string {
  return written.slice(0, unescape(written).length);
}

function has(read: unknown, key: string): read is Readonly<Record<string, unknown>> {
  return typeof read === 'object' && read !== null && Object.hasOwn(read, key);
}
