// The text as it came, chunk by chunk. A stretch of it can be had without putting the whole together while it grows.

export class Source {
  readonly #chunks: string[] = [];
  /** Where each chunk begins. */
  readonly #offsets: number[] = [];
  #length = 0;
  #text: string | undefined;

  get length(): number {
    return this.#length;
  }

  push(chunk: string): void {
    this.#chunks.push(chunk);
    this.#offsets.push(this.#length);
    this.#length += chunk.length;
    this.#text = undefined;
  }

  /** The whole as far as it has come. */
  join(): string {
    const [only = ''] = this.#chunks;
    this.#text ??= this.#chunks.length === 1 ? only : this.#chunks.join('');
    return this.#text;
  }

  slice(start: number, end: number): string {
    if (this.#text !== undefined) return this.#text.slice(start, end);
    const low = Math.max(0, firstFrom(this.#offsets, start + 1, (offset) => offset) - 1);
    const first = this.#offsets[low] ?? 0;
    let text = '';
    for (let at = low; at < this.#chunks.length && (this.#offsets[at] as number) < end; at++) text += this.#chunks[at];
    return text.slice(start - first, end - first);
  }
}

/** The index of the first item at or after a place, by halves. */
export function firstFrom<T>(items: readonly T[], place: number, placeOf: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(items[middle] as T) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
