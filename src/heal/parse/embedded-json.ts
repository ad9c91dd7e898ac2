// Valid JSON with something around it: a code fence, a heading, a call, words. It is what a model answers most often when
// it does not answer with JSON alone, so it is looked for before anything is read, and made by JSON.parse.
// Invariants:
//   1. It is the one value of the text. Where there may be another, it is for the machine to find them all.
//   2. Nothing is lost on the way: where a key stands twice or a number has too many digits, the machine tells so.

import { code, isOpening } from './character.ts';
import { contextMarks } from '../coerce/scored-root.ts';
import { Cursor } from './cursor.ts';
import { maxRecursionDepth, matchesExactly } from '../coerce/exact-match.ts';
import { canBeJson, jsonEnd, jsonStart, parseJson } from './json-text.ts';
import { unitAt } from './json-token.ts';
import { createNode } from './node.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { Prose } from './prose.ts';
import { toResult } from '../report/report.ts';
import { markOn } from '../coerce/result.ts';
import { isComputedFrom } from './root.ts';
import type { HealTarget } from '../schema/heal-target.ts';

const { backslash, openCurly } = code;

export function healEmbeddedJson(
  text: string,
  target: HealTarget | undefined,
  options: HealOptions,
): HealResult | undefined {
  const { maxBytes } = options;
  const span = maxBytes !== undefined && text.length > maxBytes ? undefined : findInside(text);
  if (span === undefined) return undefined;
  const [start, end] = span;
  const cursor = new Cursor();
  cursor.push(text);
  cursor.end();
  const prose = new Prose(cursor, target?.candidates, true);
  // A thinking that stands in the text may end anywhere in it.
  if (prose.read() !== 'container' || cursor.at !== start || prose.thinking) return undefined;
  const { fenced } = prose;
  const value = parseLossless(text.slice(start, end), target, options);
  if (value === undefined) return undefined;
  prose.leave();
  cursor.at = end;
  if (prose.read() !== 'more') return undefined;
  // What stands in another fence may fit the schema as well.
  if (target !== undefined && prose.fences.length > (fenced ? 1 : 0)) return undefined;
  const node = createNode(Array.isArray(value) ? 'array' : 'object', start, { value });
  node.end = end;
  const marks = contextMarks(prose, node, fenced, 1);
  if (target === undefined && isComputedFrom(text, node)) marks.push(markOn(node, 'guessed-structure'));
  return toResult(value, marks, end - start);
}

/** What follows a value that is whole; behind most brackets of one that was cut off something else stands. */
const endings: ReadonlySet<number> = new Set(Array.from('\n\r;)<`/', (mark) => mark.charCodeAt(0)));

/** From the first bracket to the last that could close it, if there is something around them. */
function findInside(text: string): [start: number, end: number] | undefined {
  const begin = jsonStart(text);
  const start = findOpening(text, begin);
  if (start === -1) return undefined;
  const closer = text.charCodeAt(start) === openCurly ? '}' : ']';
  if (start === begin && text.charCodeAt(jsonEnd(text) - 1) === closer.charCodeAt(0)) return undefined;
  const end = text.lastIndexOf(closer) + 1;
  if (start === begin && !endings.has(unitAt(text, end))) return undefined;
  return canBeJson(text, start, end) ? [start, end] : undefined;
}

/** Where the first bracket stands from here on; -1 when there is none. */
function findOpening(text: string, from: number): number {
  const first = unitAt(text, from);
  if (isOpening(first)) return from;
  const [curly, square] = [text.indexOf('{', from), text.indexOf('[', from)];
  return square === -1 || (curly !== -1 && curly < square) ? curly : square;
}

/** The object or list, if it is JSON, fits, and nothing in it was lost. */
function parseLossless(json: string, target: HealTarget | undefined, options: HealOptions): object | undefined {
  const value = parseJson(json)?.value as object | undefined;
  if (value === undefined) return undefined;
  const depth = Math.min(options.maxDepth ?? maxRecursionDepth, maxRecursionDepth);
  if (target !== undefined && !matchesExactly(target.schema, value, { depth, budget: options.budget }))
    return undefined;
  return 2 * countTexts(value, depth) === countQuotes(json) ? value : undefined;
}

/** How many keys and strings it has: one less than its text for each key that stands twice. NaN: a number is not exact. */
function countTexts(value: unknown, left: number): number {
  if (typeof value === 'string') return 1;
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? NaN : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (left === 0) return NaN;
  let count = 0;
  // Neither by the iterator of a list, which has to ask how each is stored, nor by entries made for this alone.
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index++) count += countTexts(value[index], left - 1);
  else for (const key in value) count += 1 + countTexts((value as Record<string, unknown>)[key], left - 1);
  return count;
}

/** How many quotes begin or end a string. */
function countQuotes(json: string): number {
  let count = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at + 1)) if (!isEscaped(json, at)) count++;
  return count;
}

function isEscaped(json: string, at: number): boolean {
  let start = at;
  while (json.charCodeAt(start - 1) === backslash) start--;
  return (at - start) % 2 === 1;
}
