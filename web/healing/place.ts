// The text to mark for a repair. Healing reports where it noticed something, which for some kinds is one character of what
// a reader would point at: the comma before the bracket, the whole comment, the whole string in wrong quotes.

import type { Flag, FlagKind } from '../../src/heal/index.ts';

type Range = readonly [start: number, end: number];

const refine: Partial<Readonly<Record<FlagKind, (text: string, range: Range, flag: Flag) => Range>>> = {
  'fixed-trailing-comma': (text, [start]) => backTo(text, start, /,\s*$/) ?? [start, start + 1],
  'fixed-leading-comma': (_text, [start]) => [start, start + 1],
  'stripped-comment': (text, [start, end]) => commentAround(text, start) ?? [start, end],
  'fuzzy-field-match': keyBefore,
  'duplicate-key': (text, range, { field = '' }) => wordBefore(text, range, field),
  'fixed-quotes': (text, [start, end]) =>
    end > start ? [start, end] : (quotedFrom(text, start) ?? [start, start + 1]),
};

function keyBefore(text: string, [start, end]: Range): Range {
  return backTo(text, start, /[^\s:=,{}[\]]+\s*[:=]\s*$/) ?? [start, end];
}

/** The characters before a place that are searched. */
const lookBehind = 400;

export function placeOf(flag: Flag, text: string): Range | undefined {
  const { kind, at } = flag;
  if (at === undefined) return undefined;
  const [start, end] = refine[kind]?.(text, at, flag) ?? at;
  return [start, Math.min(end, text.length)];
}

/** The last word before a place, with the quotes around it. */
function wordBefore(text: string, [start, end]: Range, word: string): Range {
  const found = text.lastIndexOf(word, start - 1);
  if (found === -1 || word === '') return [start, end];
  const isQuoted = /["']/.test(text[found - 1] ?? '');
  return isQuoted ? [found - 1, found + word.length + 1] : [found, found + word.length];
}

function backTo(text: string, end: number, pattern: RegExp): Range | undefined {
  const from = Math.max(0, end - lookBehind);
  const found = pattern.exec(text.slice(from, end));
  if (found === null) return undefined;
  const start = from + found.index;
  return [start, start + found[0].replace(/\s*[:=]?\s*$/, '').length];
}

function commentAround(text: string, place: number): Range | undefined {
  const from = Math.max(0, place - 3);
  const opening = /\/\/|\/\*|#/.exec(text.slice(from, place + 2));
  if (opening === null) return undefined;
  const start = from + opening.index;
  const ending = opening[0] === '/*' ? '*/' : '\n';
  const end = text.indexOf(ending, start + opening[0].length);
  return [start, end === -1 ? text.length : end + (ending === '\n' ? 0 : ending.length)];
}

const endQuotes: Readonly<Record<string, string>> = { "'": "'", '`': '`', '“': '”', '‘': '’', '«': '»', '”': '”' };

function quotedFrom(text: string, start: number): Range | undefined {
  const ending = endQuotes[text[start] ?? ''];
  if (ending === undefined) return undefined;
  const end = text.indexOf(ending, start + 1);
  const isNear = end !== -1 && !text.slice(start, end).includes('\n');
  return isNear ? [start, end + 1] : undefined;
}
