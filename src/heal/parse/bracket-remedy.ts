// Chooses a remedy for a mismatched closing bracket. Each remedy is tried on the brackets that follow, and the one that
// leaves the fewest problems wins.

import { code } from './character.ts';
import { END, MORE, type Lookahead } from './lookahead.ts';
import type { ContainerFrame } from './frame.ts';

const { closeCurly, closeSquare, comma, openCurly, openSquare } = code;

type ContainerKind = 'object' | 'array';

/** `drop` the bracket, `replace` it by the matching one, or keep it and `insert` the missing ones before it. */
export type Remedy = (typeof remedies)[number];

/** What follows the brackets: a key, an item, the end of the text, or something else. */
type FollowingToken =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'value'; readonly type: ContainerKind | 'scalar' }
  | { readonly kind: 'end' }
  | { readonly kind: 'other' };

/** Maximum number of consecutive brackets considered. */
const maxRowLength = 6;

/** `open` are the innermost containers, innermost last. `ahead` is at the bracket. */
export function chooseRemedy(
  open: readonly ContainerFrame[],
  ahead: Lookahead,
): { kind: Remedy; isGuess: boolean } | 'more' {
  const row = readRow(ahead);
  if (row === 'more') return 'more';
  const next = readFollowing(ahead);
  if (next === 'more') return 'more';
  const [best, ...others] = remedies
    .map((kind) => ({ kind, ...outcomeOf(kind, open, row, next) }))
    .toSorted((left, right) => left.cost - right.cost);
  // Remedies of equal cost may give different values, unless only the end follows.
  const isEqual = others.some(({ cost, depth }) => cost === best?.cost && depth !== best.depth);
  return { kind: best?.kind ?? 'insert', isGuess: isEqual && (next.kind === 'key' || next.kind === 'value') };
}

const remedies = ['insert', 'replace', 'drop'] as const;

function readRow(ahead: Lookahead): ContainerKind[] | 'more' {
  const row: ContainerKind[] = [];
  for (;;) {
    const unit = ahead.skip();
    if (unit === MORE) return 'more';
    if ((unit !== closeCurly && unit !== closeSquare) || row.length === maxRowLength) return row;
    row.push(unit === closeCurly ? 'object' : 'array');
    ahead.at++;
  }
}

function readFollowing(ahead: Lookahead): FollowingToken | 'more' {
  const unit = ahead.skip();
  if (unit === END) return { kind: 'end' };
  if (unit !== comma) return { kind: 'other' };
  ahead.at++;
  const first = ahead.skip();
  const start = ahead.at;
  const key = ahead.key();
  if (key === 'more') return 'more';
  if (key !== 'none') return { kind: 'key', name: nameIn(ahead.text.slice(start, ahead.at)) };
  ahead.at = start;
  const value = ahead.valueStart();
  if (value === 'more') return 'more';
  if (value === 'none') return { kind: 'other' };
  return { kind: 'value', type: first === openCurly ? 'object' : first === openSquare ? 'array' : 'scalar' };
}

/** Extracts the name from a key with its quotes and colon. */
function nameIn(text: string): string {
  return text.replace(/\s*[:：=]$/, '').replaceAll(/^[a-zA-Z]?[\\*]*["'`“‘„«＂]+|[\\"'`”’“»＂]+\**$/g, '');
}

/** The number of remaining problems, and how many containers are open after the last bracket. */
interface RemedyOutcome {
  readonly cost: number;
  readonly depth: number;
}

function outcomeOf(
  remedy: Remedy,
  open: readonly ContainerFrame[],
  row: readonly ContainerKind[],
  next: FollowingToken,
): RemedyOutcome {
  const [first, ...rest] = row;
  if (remedy === 'drop') return plus(1, outcomeOfRow(open, rest, next));
  if (remedy === 'replace') return plus(1, outcomeOfRow(open.slice(0, -1), rest, next));
  const depth = open.findLastIndex(({ node }) => node.kind === first);
  if (depth === -1) return { cost: Number.POSITIVE_INFINITY, depth: 0 };
  return plus(open.length - depth - 1, outcomeOfRow(open.slice(0, depth), rest, next));
}

function plus(cost: number, outcome: RemedyOutcome): RemedyOutcome {
  return { cost: cost + outcome.cost, depth: outcome.depth };
}

function outcomeOfRow(
  open: readonly ContainerFrame[],
  row: readonly ContainerKind[],
  next: FollowingToken,
): RemedyOutcome {
  const [first, ...rest] = row;
  if (first === undefined) return { cost: costOfFollowing(open, next), depth: open.length };
  if (open.length === 0) return plus(1, outcomeOfRow(open, rest, next));
  if (open.at(-1)?.node.kind === first) return outcomeOfRow(open.slice(0, -1), rest, next);
  const outcomes = (['drop', 'replace', 'insert'] as const).map((remedy) => outcomeOf(remedy, open, row, next));
  return outcomes.reduce((best, outcome) => (outcome.cost < best.cost ? outcome : best));
}

function costOfFollowing(open: readonly ContainerFrame[], next: FollowingToken): number {
  const inner = open.at(-1);
  if (next.kind === 'end' || next.kind === 'other') return next.kind === 'end' ? open.length / 2 : 0;
  if (inner?.node.kind !== (next.kind === 'key' ? 'object' : 'array')) return 2;
  if (next.kind === 'key') return unfamiliarKeyCost(inner, open.at(-2), next.name);
  return hasItemsOfKind(inner, next.type) ? 0 : 1;
}

/**
 * The cost of a key in an object that probably does not have it, judged by the schema or by the first object in the
 * same array.
 */
function unfamiliarKeyCost({ node, expect }: ContainerFrame, parent: ContainerFrame | undefined, name: string): number {
  if (Object.hasOwn(node.value as object, name)) return 1;
  const known = expect?.knows(name);
  if (known !== undefined) return known ? 0 : 1.5;
  const first = parent?.node.kind === 'array' ? (parent.node.value as unknown[])[0] : undefined;
  if (typeof first !== 'object' || first === null || first === node.value) return 0;
  return Object.hasOwn(first, name) ? 0 : 1;
}

/** Whether an array has items of this kind, judged by its last item. */
function hasItemsOfKind({ node }: ContainerFrame, type: ContainerKind | 'scalar'): boolean {
  const items = node.value as unknown[];
  if (items.length === 0) return true;
  const last = items.at(-1);
  const isContainer = typeof last === 'object' && last !== null;
  return type === (isContainer ? (Array.isArray(last) ? 'array' : 'object') : 'scalar');
}
