// A value found in the text, and the choice between several values without a schema.

import { code } from './character.ts';
import { unitAt } from './json-token.ts';
import type { Mark, MarkCounts } from './mark.ts';
import type { Node } from './node.ts';

const { dot } = code;

export interface Root {
  readonly node: Node;
  readonly fenced: boolean;
  /** Number of `</think>` tags before it. */
  readonly thinkCount: number;
  /** Whether it began after a `<think>` that was not closed before it. */
  readonly isThinking: boolean;
  readonly marks: Mark[];
  /** Counts of changes that have no mark. */
  unlisted: MarkCounts | undefined;
}

/**
 * Precedence: after the last `</think>`, then the last one in a code fence, then the largest. `last` is the number of
 * tags.
 */
export function chooseRoot(roots: readonly Root[], last: number): Root | undefined {
  if (roots.length < 2) return roots[0];
  const responses = roots.filter((root) => root.thinkCount === last);
  const pool = responses.length > 0 ? responses : roots;
  const fenced = pool.filter((root) => root.fenced);
  if (fenced.length > 0) return fenced.at(-1);
  let largest: Root | undefined;
  for (const root of pool) if (largest === undefined || sizeOf(root.node) >= sizeOf(largest.node)) largest = root;
  return largest;
}

/** The roots that may still be chosen, whatever follows. */
export function contenders(roots: readonly Root[]): Root[] {
  const best = [chooseRoot(roots, -1), chooseRoot(roots, roots.at(-1)?.thinkCount ?? 0)];
  return roots.filter((root) => best.includes(root));
}

function sizeOf(node: Node): number {
  return node.end - node.start;
}

const call = /\.[A-Za-z_$][\w$]*\(/y;

/** `[1, 2].map(…)`: a program that computes another value from this one. */
export function isComputedFrom(text: string, { kind, end }: Node): boolean {
  if ((kind !== 'array' && kind !== 'object') || unitAt(text, end) !== dot) return false;
  call.lastIndex = end;
  return call.test(text);
}
