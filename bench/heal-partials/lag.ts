// When each scalar of a value appears while the text arrives one character at a time.

import type { HealStream } from '../../src/heal/index.ts';

/** The number of characters read when a scalar first appeared, by its path. */
export function appearances(stream: HealStream, text: string): Map<string, number> {
  const seen = new Map<string, number>();
  for (let at = 0; at < text.length; at++) {
    for (const { path, value } of stream.push(text.charAt(at))) addScalars(seen, path.join('/'), value, at + 1);
  }
  return seen;
}

function addScalars(seen: Map<string, number>, path: string, value: unknown, at: number): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) addScalars(seen, path === '' ? key : `${path}/${key}`, child, at);
  } else if (!seen.has(path)) seen.set(path, at);
}

/** How much later each scalar appears. One that does not appear is seen at the end of the text. */
export function lagsOf(
  reference: ReadonlyMap<string, number>,
  later: ReadonlyMap<string, number>,
  length: number,
): number[] {
  return [...reference].map(([path, at]) => (later.get(path) ?? length) - at);
}
