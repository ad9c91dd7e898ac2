// Reads JSON by its grammar and nothing else, to hold both healing and the engine against. Only for valid texts.

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
  return new JsonReader(text).value(read);
}

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(read: unknown): unknown {
    const { mark, string, word } = this.#next();
    if (mark === '{') return this.#object(read);
    if (mark === '[') return this.#array(read);
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

  #array(read: unknown): unknown[] {
    const items: unknown[] = [];
    if (this.#ends(']')) return items;
    do items.push(this.value(member(read, String(items.length))));
    while (this.#next().mark === ',');
    return items;
  }

  #object(read: unknown): object {
    const object = {};
    if (this.#ends('}')) return object;
    do {
      const key = keyOf(this.#next().string as string, read);
      this.#next();
      const value = this.value(member(read, key));
      Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
    } while (this.#next().mark === ',');
    return object;
  }
}

function unescape(written: string): string {
  return written.replaceAll(/\\(?:u([\da-f]{4})|(.))/gi, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function keyOf(written: string, read: unknown): string {
  const key = unescape(written);
  const misread = written.slice(0, key.length);
  return written.includes('\\') && !hasMember(read, key) && hasMember(read, misread) ? misread : key;
}

function hasMember(read: unknown, key: string): boolean {
  return typeof read === 'object' && read !== null && Object.hasOwn(read, key);
}

function member(read: unknown, key: string): unknown {
  return hasMember(read, key) ? (read as Record<string, unknown>)[key] : undefined;
}
