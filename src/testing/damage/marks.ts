// Commas and colons that slip in one place, and marks in a foreign notation throughout.

import { beside, extra, replace, valueAt, type DamageDraft, type Token } from './draft.ts';
import { habit, slip, type DamageDefinition } from './damage-definition.ts';

export const markKinds = {
  'trailing-comma': slip(isFilledCloser, (draft, index) => atEnd(draft, index, ',')),
  'trailing-commas': habit((token, index, draft) =>
    endsContent(draft, token, index) ? { ...token, text: `,${token.text}` } : undefined,
  ),
  'leading-comma': slip(
    (token, index, draft) => token.role === 'open' && beside(draft, index, 1)?.role !== 'close',
    (draft, index) => after(draft, index, ','),
  ),
  'double-comma': oneMark('comma', ',,'),
  'missing-comma': slip(isRemovableComma, (draft, index) => rewrite(draft, index, gap(draft, index))),
  'missing-commas': habit((token, index, draft) =>
    isRemovableComma(token, index, draft) ? { ...token, text: gap(draft, index) } : undefined,
  ),
  'newline-for-comma': slip(isRemovableComma, (draft, index) => rewrite(draft, index, '\n')),
  'semicolon-for-comma': oneMark('comma', ';'),
  'semicolons-for-commas': everyMark('comma', ';'),
  'fullwidth-commas': everyMark('comma', '，'),
  'missing-colon': slip(
    (token, index, draft) => token.role === 'colon' && isRemovable(draft, index),
    (draft, index) => rewrite(draft, index, isSpaceAfter(draft, index) ? '' : ' '),
  ),
  'equals-for-colon': oneMark('colon', '='),
  'equals-for-colons': everyMark('colon', '='),
  'arrows-for-colons': everyMark('colon', ' =>'),
  'double-colon': oneMark('colon', '::'),
  'fullwidth-colons': everyMark('colon', '：'),
  'python-tuples': habit((token, _, draft) => {
    if (token.text === '[' && token.role === 'open') return { ...token, text: '(' };
    if (token.text !== ']' || token.role !== 'close') return undefined;
    // Python writes a tuple of one with a comma.
    return { ...token, text: (valueAt(draft, token.path) as readonly unknown[]).length === 1 ? ',)' : ')' };
  }),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

/** The container that closes here has something in it, and its end is not damaged. */
export function isFilledCloser(token: Token, index: number, draft: DamageDraft): boolean {
  const last = beside(draft, index, -1);
  return token.role === 'close' && last !== undefined && last.role !== 'open' && last.role !== 'extra';
}

export function before(draft: DamageDraft, index: number, text: string): DamageDraft {
  return replace(draft, index, extra(text), draft.tokens[index]!);
}

export function after(draft: DamageDraft, index: number, text: string): DamageDraft {
  return replace(draft, index, draft.tokens[index]!, extra(text));
}

/** Right behind the last thing in the container that closes at `index`. */
export function atEnd(draft: DamageDraft, index: number, text: string): DamageDraft {
  const isIndented = draft.tokens[index - 1]?.role === 'space';
  return before(draft, isIndented ? index - 1 : index, text);
}

export function rewrite(draft: DamageDraft, index: number, text: string): DamageDraft {
  return replace(draft, index, { ...draft.tokens[index]!, text });
}

function oneMark(role: 'comma' | 'colon', mark: string): DamageDefinition {
  return slip(
    (token) => token.role === role && token.text.length === 1,
    (draft, index) => rewrite(draft, index, mark),
  );
}

function everyMark(role: 'comma' | 'colon', mark: string): DamageDefinition {
  return habit((token) => (token.role === role && token.text.length === 1 ? { ...token, text: mark } : undefined));
}

/** The space before a closer, or the closer itself where there is none. */
function endsContent(draft: DamageDraft, token: Token, index: number): boolean {
  const closer = token.role === 'space' ? index + 1 : index;
  const hasSpace = token.role !== 'space' && draft.tokens[index - 1]?.role === 'space';
  return !hasSpace && draft.tokens[closer] !== undefined && isFilledCloser(draft.tokens[closer], closer, draft);
}

function isRemovableComma(token: Token, index: number, draft: DamageDraft): boolean {
  return token.role === 'comma' && isRemovable(draft, index);
}

/** Both neighbours show by themselves where they end: without the mark nothing runs together. */
function isRemovable(draft: DamageDraft, index: number): boolean {
  const isPlain = draft.tokens[index]!.text.length === 1;
  return isPlain && isDelimited(beside(draft, index, -1)) && isDelimited(beside(draft, index, 1));
}

function isDelimited(token: Token | undefined): boolean {
  if (token === undefined || token.role === 'extra') return false;
  if (token.role !== 'key' && token.role !== 'string') return true;
  return token.quotes[0].length === 1 && token.quotes[1].length === 1;
}

/** Two numbers or words need a space between them to stay two. */
function gap(draft: DamageDraft, index: number): string {
  const runsTogether = isOpenEnded(beside(draft, index, -1)) && isOpenEnded(beside(draft, index, 1));
  return runsTogether && !isSpaceAfter(draft, index) ? ' ' : '';
}

function isOpenEnded(token: Token | undefined): boolean {
  return token?.role === 'number' || token?.role === 'literal';
}

function isSpaceAfter({ tokens }: DamageDraft, index: number): boolean {
  return tokens[index + 1]?.role === 'space';
}
