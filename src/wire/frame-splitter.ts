// Finds the ends of the frames in a stream of server-sent events, chunk by chunk. A blank line ends a frame, and it may
// begin in one chunk and end in the next.

const lineFeed = 10;
const carriageReturn = 13;

export class FrameSplitter {
  /** Whether the previous chunk ended a line. */
  #isAtLine = false;

  /** The offsets after each blank line, and the end of the chunk. */
  frameEnds(chunk: Uint8Array): number[] {
    const ends: number[] = [];
    let isAtLine = this.#isAtLine;
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      const isBlank = at === start || (at === start + 1 && chunk[start] === carriageReturn);
      if (isBlank && isAtLine) ends.push(at + 1);
      isAtLine = true;
      start = at + 1;
    }
    const isHalfEnd = start === chunk.length - 1 && chunk[start] === carriageReturn;
    this.#isAtLine = isAtLine && (start === chunk.length || isHalfEnd);
    if (ends.at(-1) !== chunk.length) ends.push(chunk.length);
    return ends;
  }
}
