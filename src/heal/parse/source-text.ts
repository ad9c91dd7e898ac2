// The text as it came, chunk by chunk. A stretch of it can be had without putting the whole together while it grows.

/** So many chunks are put together: a model's are a few characters long, and kept one by one take ten times their length. */
const together = 256;

export class SourceText {
  readonly #blocks: string[] = [];
  /** Where each block begins. */
  readonly #offsets: number[] = [];
  /** The chunks that are in no block yet. */
  #chunks: string[] = [];
  #chunksStart = 0;
  #length = 0;
  #text: string | undefined;

  get length(): number {
    return this.#length;
  }

  push(chunk: string): void {
    if (this.#chunks.length === together) this.#gather();
    const isFirst = this.#length === 0;
    // Most texts come in one.
    if (isFirst) this.#chunks = [chunk];
    else this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#text = isFirst ? chunk : undefined;
  }

  #gather(): void {
    this.#blocks.push(this.#chunks.join(''));
    this.#offsets.push(this.#chunksStart);
    this.#chunks.length = 0;
    this.#chunksStart = this.#length;
  }

  /** The whole as far as it has come. */
  join(): string {
    this.#text ??= this.#blocks.join('') + this.#chunks.join('');
    return this.#text;
  }

  slice(start: number, end: number): string {
    if (this.#text !== undefined) return this.#text.slice(start, end);
    if (end > this.#chunksStart) this.#gather();
    const low = Math.max(0, lowerBound(this.#offsets, start + 1, (offset) => offset) - 1);
    const first = this.#offsets[low] ?? 0;
    let text = '';
    for (let at = low; at < this.#blocks.length && (this.#offsets[at] as number) < end; at++) text += this.#blocks[at];
    return text.slice(start - first, end - first);
  }
}

/** The index of the first item at or after a place, by halves. */
export function lowerBound<T>(items: readonly T[], place: number, placeOf: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(items[middle] as T) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
