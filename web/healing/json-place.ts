// Parses JSON strictly and remembers on which line each part is, so that an error in a schema can be shown at its line.

export interface PlacedJson {
  readonly value: unknown;
  /** The line of each part, by its JSON pointer: `#/properties/age`. */
  readonly lines: ReadonlyMap<string, number>;
}

export class JsonSyntaxError extends Error {
  /** From 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Throws `JsonSyntaxError`. */
export function parsePlaced(text: string): PlacedJson {
  const reader = new PlacedReader(text);
  return { value: reader.readDocument(), lines: reader.lines };
}

const literals: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const maxDepth = 500;

class PlacedReader {
  readonly lines = new Map<string, number>();
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): unknown {
    const value = this.#readValue('#', 0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail(`unexpected ${this.#shown()} after the end`);
    return value;
  }

  #readValue(pointer: string, depth: number): unknown {
    this.#skipSpace();
    if (depth > maxDepth) this.#fail('the nesting is too deep');
    this.lines.set(pointer, this.#line);
    const first = this.#text[this.#at];
    if (first === '{') return this.#readObject(pointer, depth);
    if (first === '[') return this.#readArray(pointer, depth);
    if (first === '"') return this.#readString();
    return this.#readScalar();
  }

  #readObject(pointer: string, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at++;
    if (this.#take('}')) return {};
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') this.#fail(`expected a key in double quotes, found ${this.#shown()}`);
      const key = this.#readString();
      if (!this.#take(':')) this.#fail(`expected a colon after the key ${JSON.stringify(key)}, found ${this.#shown()}`);
      const escaped = key.replaceAll('~', '~0').replaceAll('/', '~1');
      entries.push([key, this.#readValue(`${pointer}/${escaped}`, depth + 1)]);
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail(`expected a comma or }, found ${this.#shown()}`);
    return Object.fromEntries(entries);
  }

  #readArray(pointer: string, depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    if (this.#take(']')) return items;
    do items.push(this.#readValue(`${pointer}/${items.length}`, depth + 1));
    while (this.#take(','));
    if (!this.#take(']')) this.#fail(`expected a comma or ], found ${this.#shown()}`);
    return items;
  }

  #readString(): string {
    const found = /"(?:[^"\\\n\r]|\\.)*"/y;
    found.lastIndex = this.#at;
    const [token] = found.exec(this.#text) ?? this.#fail('the string has no end on this line');
    this.#at += token.length;
    return this.#parse(token) as string;
  }

  #readScalar(): unknown {
    const found = /[-+.\w]+/y;
    found.lastIndex = this.#at;
    const [token] = found.exec(this.#text) ?? this.#fail(`expected a value, found ${this.#shown()}`);
    if (Object.hasOwn(literals, token)) {
      this.#at += token.length;
      return literals[token];
    }
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(token))
      this.#fail(`${JSON.stringify(token)} is not a value`);
    this.#at += token.length;
    return Number(token);
  }

  #parse(token: string): unknown {
    try {
      return JSON.parse(token);
    } catch {
      return this.#fail('the string has an invalid escape or control character');
    }
  }

  #take(mark: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    for (; /^[ \t\n\r]$/.test(this.#text[this.#at] ?? ''); this.#at++) if (this.#text[this.#at] === '\n') this.#line++;
  }

  #shown(): string {
    const next = this.#text[this.#at];
    return next === undefined ? 'the end' : JSON.stringify(next);
  }

  #fail(message: string): never {
    throw new JsonSyntaxError(message, this.#line);
  }
}
