// The text received so far, in chunks. Can be sliced without joining all of it while it grows.

/**
 * This many chunks are joined to a block. A model's chunks are only a few characters long, and single strings would
 * take ten times the memory.
 */
const blockSize = 256;

export class SourceText {
  readonly #blocks: string[] = [];
  /** Start offset of each block. */
  readonly #offsets: number[] = [];
  /** Chunks that are not in a block yet. */
  #chunks: string[] = [];
  #chunksStart = 0;
  #length = 0;
  #text: string | undefined;

  get length(): number {
    return this.#length;
  }

  push(chunk: string): void {
    if (this.#chunks.length === blockSize) this.#gather();
    const isFirst = this.#length === 0;
    // Most texts arrive in one chunk.
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

  /** The entire text so far. */
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

/** Binary search: the index of the first item at or after an offset. */
export function lowerBound<T>(items: readonly T[], offset: number, offsetOf: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsetOf(items[middle] as T) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
