// A value found in the text, and which of several is the answer where no schema tells.

import { code } from './character.ts';
import { unitAt } from './json-token.ts';
import type { Mark, MarkCounts } from './mark.ts';
import type { Node } from './node.ts';

const { dot } = code;

export interface Root {
  readonly node: Node;
  readonly fenced: boolean;
  /** How many `</think>` stood before it. */
  readonly thinkCount: number;
  readonly marks: Mark[];
  /** What was changed besides, and is only counted. */
  unlisted: MarkCounts | undefined;
}

/** After the last `</think>` beats before; then the last fenced, else the largest. `last`: how many of them there are. */
export function chooseRoot(roots: readonly Root[], last: number): Root | undefined {
  if (roots.length < 2) return roots[0];
  const answers = roots.filter((root) => root.thinkCount === last);
  const pool = answers.length > 0 ? answers : roots;
  const fenced = pool.filter((root) => root.fenced);
  if (fenced.length > 0) return fenced.at(-1);
  let largest: Root | undefined;
  for (const root of pool) if (largest === undefined || sizeOf(root.node) >= sizeOf(largest.node)) largest = root;
  return largest;
}

/** Those that may still be the answer, whatever follows. */
export function contenders(roots: readonly Root[]): Root[] {
  const best = [chooseRoot(roots, -1), chooseRoot(roots, roots.at(-1)?.thinkCount ?? 0)];
  return roots.filter((root) => best.includes(root));
}

function sizeOf(node: Node): number {
  return node.end - node.start;
}

const call = /\.[A-Za-z_$][\w$]*\(/y;

/** `[1, 2].map(…)`: a program that makes its value from this one, which is then not the answer. */
export function isComputedFrom(text: string, { kind, end }: Node): boolean {
  if ((kind !== 'array' && kind !== 'object') || unitAt(text, end) !== dot) return false;
  call.lastIndex = end;
  return call.test(text);
}
