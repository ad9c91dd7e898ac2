// Finds the line of a key in a TOML text, for error messages. The TOML parser gives values without positions, so the text
// is scanned a second time, for positions only.
// Invariants:
//   1. Never throws and always terminates, whatever the text. In valid TOML every key and list entry is found.
//   2. Values are skipped, not parsed, so the scan cannot disagree with the parser about them.

/** Table and key names, and the ordinals of list entries: `['providers', 1, 'headers', 'x-team']`. */
export type KeyPath = readonly (string | number)[];

/** The line (from 1) of a path, or of its nearest parent. `undefined` if the text does not have its table either. */
export type TomlLocator = (path: KeyPath) => number | undefined;

export function locateInToml(text: string): TomlLocator {
  const { offsets } = new TomlScanner(text);
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const offset = offsets.get(JSON.stringify(path.slice(0, length)));
      if (offset !== undefined) return text.slice(0, offset).split('\n').length;
    }
    return undefined;
  };
}

const deepest = 100;

class TomlScanner {
  readonly offsets = new Map<string, number>();
  readonly #text: string;
  readonly #entryCounts = new Map<string, number>();
  #at = 0;
  #table: KeyPath = [];

  constructor(text: string) {
    this.#text = text;
    while (this.#skipBlank()) {
      if (this.#next === '[') this.#header();
      else this.#pair(this.#table, 0);
      this.#skipLine();
    }
  }

  get #next(): string | undefined {
    return this.#text[this.#at];
  }

  #header(): void {
    const start = this.#at;
    const isList = this.#text.startsWith('[[', start);
    this.#at += isList ? 2 : 1;
    const keys = this.#keys();
    this.#table = [];
    for (const [index, key] of keys.entries()) {
      this.#enter(key, start);
      const id = JSON.stringify(this.#table);
      const count = this.#entryCounts.get(id) ?? 0;
      if (isList && index === keys.length - 1) {
        this.#entryCounts.set(id, count + 1);
        this.#enter(count, start);
      } else if (count > 0) {
        // `[providers.headers]` refers to the last provider before it.
        this.#enter(count - 1, start);
      }
    }
  }

  #enter(key: string | number, offset: number): void {
    this.#table = [...this.#table, key];
    this.#note(this.#table, offset);
  }

  /** The first occurrence counts, because a table begins there. */
  #note(path: KeyPath, offset: number): void {
    const id = JSON.stringify(path);
    if (!this.offsets.has(id)) this.offsets.set(id, offset);
  }

  #pair(prefix: KeyPath, depth: number): void {
    const start = this.#at;
    let path = prefix;
    for (const key of this.#keys()) {
      path = [...path, key];
      this.#note(path, start);
    }
    if (this.#next !== '=') return;
    this.#at++;
    this.#skipSpaces();
    this.#value(path, depth);
  }

  #keys(): string[] {
    const keys: string[] = [];
    do {
      if (this.#next === '.') this.#at++;
      this.#skipSpaces();
      const key = this.#key();
      if (key === undefined) break;
      keys.push(key);
      this.#skipSpaces();
    } while (this.#next === '.');
    return keys;
  }

  #key(): string | undefined {
    const start = this.#at;
    if (this.#next === '"' || this.#next === "'") {
      this.#string();
      return unquote(this.#text.slice(start, this.#at));
    }
    const key = this.#match(/[^\s.="'[\]{},#]+/y);
    return key === '' ? undefined : key;
  }

  #value(path: KeyPath, depth: number): void {
    if (depth > deepest) return;
    if (this.#next === '"' || this.#next === "'") this.#string();
    else if (this.#next === '[') this.#entries(']', (ordinal) => this.#entry([...path, ordinal], depth + 1));
    else if (this.#next === '{') this.#entries('}', () => this.#pair(path, depth + 1));
    else this.#match(/[^,\]}#\n]*/y);
  }

  #entry(path: KeyPath, depth: number): void {
    this.#note(path, this.#at);
    this.#value(path, depth);
  }

  /** Reads the content of a list or of an inline table. */
  #entries(close: string, read: (ordinal: number) => void): void {
    this.#at++;
    for (let ordinal = 0; this.#skipBlank() && this.#next !== close; ordinal++) {
      const start = this.#at;
      read(ordinal);
      this.#skipBlank();
      if (this.#next === ',' || this.#at === start) this.#at++;
    }
    this.#at++;
  }

  #string(): void {
    const quote = this.#next ?? '';
    const isLong = this.#text.startsWith(quote.repeat(3), this.#at);
    const close = isLong ? quote.repeat(3) : quote;
    this.#at += close.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(close, this.#at)) {
      if (!isLong && this.#next === '\n') return;
      this.#at += quote === '"' && this.#next === '\\' ? 2 : 1;
    }
    this.#at += close.length;
    // A long string may itself end in quotes.
    if (isLong) this.#match(/["']*/y);
  }

  /** False at the end of the text. */
  #skipBlank(): boolean {
    while (this.#match(/\s+|#[^\n]*/y) !== '');
    return this.#at < this.#text.length;
  }

  #skipSpaces(): void {
    this.#match(/[ \t]*/y);
  }

  #skipLine(): void {
    this.#match(/[^\n]*\n?/y);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

function unquote(quoted: string): string {
  if (quoted.startsWith('"')) {
    try {
      return String(JSON.parse(quoted));
    } catch {
      // A TOML-only escape or an unfinished string: use the text between the quotes as it is.
    }
  }
  return quoted.slice(1, -1);
}
