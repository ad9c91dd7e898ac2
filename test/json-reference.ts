// Reads JSON by its grammar and nothing else, to hold both healing and the engine against. Only for valid texts.

type Tree = string | number | boolean | null | undefined | Tree[] | Members;

/** The members of an object, each key as it is written between its quotes. */
class Members {
  readonly list: (readonly [written: string, value: Tree])[] = [];
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const token = /[ \t\n\r]*(?:([[\]{}:,])|"((?:[^"\\]|\\.)*)"|([^ \t\n\r[\]{}:,"]+))/y;
const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * `read` is what the engine made of the text. V8 14 compares a key with the one that followed the same keys before, and
 * does so with the key as it is written: `"\u0020"` is read as a backslash where `"\\"` was the key before. Such a key
 * may be called so here too, and nothing else is taken from `read`.
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

  /** Whether the container ends here; passes the bracket then. */
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
  if (Array.isArray(tree)) return tree.map((item, index) => build(item, memberOf(read, String(index))));
  return tree instanceof Members ? buildObject(tree, read) : tree;
}

function buildObject({ list }: Members, read: unknown): object {
  const object = {};
  const keys = new Set(list.map(([written]) => unescape(written)));
  for (const [written, tree] of list) {
    const meant = unescape(written);
    const misread = written.slice(0, meant.length);
    const isMisread = has(read, misread) && !(has(read, meant) && keys.has(misread));
    const key = written.includes('\\') && isMisread ? misread : meant;
    const value = build(tree, memberOf(read, key));
    Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  }
  return object;
}

function has(read: unknown, key: string): boolean {
  return typeof read === 'object' && read !== null && Object.hasOwn(read, key);
}

function memberOf(read: unknown, key: string): unknown {
  return has(read, key) ? (read as Record<string, unknown>)[key] : undefined;
}
