// What a guardrail looks for: the interface that plugins implement, and its use on text that is complete.
// Invariant: a filter that does not follow the interface fails the response. Its text is never taken for clean.

import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';

export interface TextFilter {
  /** Named in errors. */
  readonly name?: string;
  /**
   * The most characters that the filter must see at once to recognize what it looks for, including what it looks ahead
   * to. A stream is delayed by this many characters. A finding that reaches the end of the text may be longer: it is held
   * back until its end is known.
   */
  readonly window: number;
  /**
   * Finds what must be replaced. The text before `from` was judged earlier and is only context. Throw an error to fail the
   * response. Must be synchronous and give the same findings for the same text.
   */
  find(text: string, from: number): Iterable<Finding>;
}

/** A range of the text, in UTF-16 code units as in `slice`, and what replaces it. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Whether a stream could be judged with it. */
export function isTextFilter(value: unknown): value is TextFilter {
  if (!isRecord(value)) return false;
  const { window, find } = value;
  const isWindow = window === Infinity || (Number.isInteger(window) && (window as number) >= 1);
  return isWindow && typeof find === 'function';
}

export const filterProblem = 'has no function find() or no window of at least 1';

/** The findings from `from` on, sorted. Findings that overlap are joined, so that no part of them remains. */
export function findIn(filter: TextFilter, text: string, from: number): Finding[] {
  const found = readFindings(filter, text, from)
    .map((finding) => ({ ...finding, start: Math.max(finding.start, from) }))
    .filter(({ start, end }) => start < end)
    .toSorted((left, right) => left.start - right.start);
  const joined: Finding[] = [];
  for (const finding of found) {
    const last = joined.at(-1);
    if (last === undefined || finding.start >= last.end) joined.push(finding);
    else joined[joined.length - 1] = { ...last, end: Math.max(last.end, finding.end) };
  }
  return joined;
}

/** The text with every finding replaced. */
export function filterText(filter: TextFilter, text: string): string {
  let result = '';
  let position = 0;
  for (const { start, end, replacement } of findIn(filter, text, 0)) {
    result += text.slice(position, start) + replacement;
    position = end;
  }
  return result + text.slice(position);
}

function readFindings(filter: TextFilter, text: string, from: number): Finding[] {
  const findings: unknown = filter.find(text, from);
  if (!isIterable(findings)) return fail(filter, 'find() must return an array or another synchronous iterable');
  return Array.from(findings, (finding) => toFinding(finding, { filter, length: text.length }));
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

interface FindingContext {
  readonly filter: TextFilter;
  readonly length: number;
}

/** The members are read once, because they may be computed. */
function toFinding(given: unknown, { filter, length }: FindingContext): Finding {
  const { start, end, replacement } = isRecord(given) ? given : {};
  if (typeof replacement !== 'string') return fail(filter, 'the replacement of a finding must be a string');
  if (isPosition(start, length) && isPosition(end, length) && start < end) return { start, end, replacement };
  return fail(filter, 'the start and end of a finding must be whole numbers with 0 <= start < end <= text.length');
}

function isPosition(value: unknown, length: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= length;
}

/** The message does not quote what the filter returned, because it may contain the text. */
function fail({ name }: TextFilter, problem: string): never {
  throw new SimpleAgentsError('internal', `${describe(name)} returned an invalid result: ${problem}`);
}

function describe(name: string | undefined): string {
  return name === undefined ? 'a guardrail' : `the guardrail ${JSON.stringify(name)}`;
}
