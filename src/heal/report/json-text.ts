// Writes values of any depth as JSON. `JSON.stringify` recurses in some engines, and with a replacer in all of them, so
// that a deeply nested value would exceed the stack.

/** Deeper containers are written on one line, because their indentation would be longer than their content. */
const maxIndentedDepth = 100;

/** A container being written. */
interface OpenContainer {
  readonly members: Readonly<Record<PropertyKey, unknown>>;
  /** The names of the members; `undefined` for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

/** Like `JSON.stringify`, with two differences: a bigint is a number with all its digits, and `undefined` is `null`. */
export function toJsonText(value: unknown, indent = 0): string {
  return new JsonTextWriter(indent).write(value);
}

class JsonTextWriter {
  readonly #indent: number;
  readonly #pieces: string[] = [];
  readonly #open: OpenContainer[] = [];

  constructor(indent: number) {
    this.#indent = indent;
  }

  write(value: unknown): string {
    this.#put(toData(value));
    for (let top = this.#open.at(-1); top !== undefined; top = this.#open.at(-1)) {
      if (top.next < top.length) this.#putMember(top);
      else this.#close(top);
    }
    return this.#pieces.join('');
  }

  #put(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      this.#pieces.push(typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'null'));
      return;
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    const length = Array.isArray(value) ? value.length : (keys as string[]).length;
    this.#pieces.push(keys === undefined ? '[' : '{');
    this.#open.push({ members: value as OpenContainer['members'], keys, length, next: 0, isEmpty: true });
  }

  #putMember(top: OpenContainer): void {
    const key = top.keys?.[top.next] ?? top.next;
    const member = toData(top.members[key]);
    top.next++;
    if (top.keys !== undefined && isAbsent(member)) return;
    if (!top.isEmpty) this.#pieces.push(',');
    top.isEmpty = false;
    this.#breakLine(this.#open.length);
    if (top.keys !== undefined) this.#pieces.push(JSON.stringify(key), this.#indent > 0 ? ': ' : ':');
    this.#put(member);
  }

  #close(top: OpenContainer): void {
    if (!top.isEmpty) this.#breakLine(this.#open.length - 1);
    this.#pieces.push(top.keys === undefined ? ']' : '}');
    this.#open.pop();
  }

  #breakLine(depth: number): void {
    if (this.#indent === 0 || this.#open.length > maxIndentedDepth) return;
    this.#pieces.push(`\n${' '.repeat(depth * this.#indent)}`);
  }
}

/** What JSON has instead of the value: a text for a date. */
function toData(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return 'toJSON' in value && typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : value;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}
