// Ways to cut a text, also inside a surrogate pair or an escape.

export function cutEvery(text: string, size: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size));
  return chunks;
}

/** Pieces of 1 to `longest` characters, the same for the same seed. */
export function cutRandomly(text: string, seed: number, longest = 12): string[] {
  const chunks: string[] = [];
  let state = seed >>> 0;
  for (let at = 0; at < text.length;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const size = 1 + ((state >>> 16) % longest);
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}
