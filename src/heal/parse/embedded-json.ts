// Fast path for valid JSON with something around it: a code fence, a heading, a call, prose. This is the most common
// response that is not JSON alone. The value is parsed by JSON.parse.
// Invariants:
//   1. It is the only value in the text. If there may be others, the machine reads the text.
//   2. JSON.parse lost nothing. If a key is duplicated or a number has too many digits, the machine reads the text and
//      flags it.

import { code, isOpening } from './character.ts';
import { contextMarks } from '../coerce/scored-root.ts';
import { Cursor } from './cursor.ts';
import { maxRecursionDepth, matchesExactly } from '../coerce/exact-match.ts';
import { canBeJson, jsonEnd, jsonStart, parseJson } from './json-text.ts';
import { unitAt } from './json-token.ts';
import { createNode } from './node.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { Prose } from './prose.ts';
import { locateFlags, toResult } from '../report/report.ts';
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
  // Open thinking may end anywhere in the text.
  if (prose.read() !== 'container' || cursor.at !== start || prose.thinking) return undefined;
  const { fenced } = prose;
  const value = parseLossless(text.slice(start, end), target, options);
  if (value === undefined) return undefined;
  prose.leave();
  cursor.at = end;
  if (prose.read() !== 'more') return undefined;
  // The content of another fence may match the schema too.
  if (target !== undefined && prose.fences.length > (fenced ? 1 : 0)) return undefined;
  const node = createNode(Array.isArray(value) ? 'array' : 'object', start, { value });
  node.end = end;
  const marks = contextMarks(prose, { node, fenced });
  if (target === undefined && isComputedFrom(text, node)) marks.push(markOn(node, 'guessed-structure'));
  const healed = toResult(value, marks, end - start);
  return options.locate === true ? locateFlags(healed, marks, () => true) : healed;
}

/** Characters that may follow a complete value. In a truncated text, something else follows most brackets. */
const endings: ReadonlySet<number> = new Set(Array.from('\n\r;)<`/', (mark) => mark.charCodeAt(0)));

/** The span from the first opening bracket to the last matching closing bracket, if there is text around it. */
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

/** Offset of the first opening bracket; -1 if there is none. */
function findOpening(text: string, from: number): number {
  const first = unitAt(text, from);
  if (isOpening(first)) return from;
  const [curly, square] = [text.indexOf('{', from), text.indexOf('[', from)];
  return square === -1 || (curly !== -1 && curly < square) ? curly : square;
}

/** Parses the value if it is valid JSON, matches the schema, and nothing is lost by parsing. */
function parseLossless(json: string, target: HealTarget | undefined, options: HealOptions): object | undefined {
  const value = parseJson(json)?.value as object | undefined;
  if (value === undefined) return undefined;
  const depth = Math.min(options.maxDepth ?? maxRecursionDepth, maxRecursionDepth);
  if (target !== undefined && !matchesExactly(target.schema, value, { depth, budget: options.budget }))
    return undefined;
  return 2 * countTexts(value, depth) === countQuotes(json) ? value : undefined;
}

/**
 * Counts keys and strings. A duplicate key makes this less than the number in the text. NaN means that a number is
 * inexact.
 */
function countTexts(value: unknown, left: number): number {
  if (typeof value === 'string') return 1;
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? NaN : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (left === 0) return NaN;
  let count = 0;
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index++) count += countTexts(value[index], left - 1);
  else for (const key in value) count += 1 + countTexts((value as Record<string, unknown>)[key], left - 1);
  return count;
}

/** Counts the quotes that begin or end a string. */
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
