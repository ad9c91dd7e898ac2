// Damage: missing, repeated or wrong commas and colons, and punctuation of other languages.

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
    // In Python, a tuple of one item has a comma.
    return { ...token, text: (valueAt(draft, token.path) as readonly unknown[]).length === 1 ? ',)' : ')' };
  }),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

/** Whether the token closes a container that is not empty and has an undamaged end. */
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

/** Inserts text after the last item of the container that closes at `index`. */
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

/** Whether the token is the space before a closer, or a closer without space before it. */
function endsContent(draft: DamageDraft, token: Token, index: number): boolean {
  const closer = token.role === 'space' ? index + 1 : index;
  const hasSpace = token.role !== 'space' && draft.tokens[index - 1]?.role === 'space';
  return !hasSpace && draft.tokens[closer] !== undefined && isFilledCloser(draft.tokens[closer], closer, draft);
}

function isRemovableComma(token: Token, index: number, draft: DamageDraft): boolean {
  return token.role === 'comma' && isRemovable(draft, index);
}

/** Whether both neighbors are delimited, so that they do not run together without the punctuation. */
function isRemovable(draft: DamageDraft, index: number): boolean {
  const isPlain = draft.tokens[index]!.text.length === 1;
  return isPlain && isDelimited(beside(draft, index, -1)) && isDelimited(beside(draft, index, 1));
}

function isDelimited(token: Token | undefined): boolean {
  if (token === undefined || token.role === 'extra') return false;
  if (token.role !== 'key' && token.role !== 'string') return true;
  return token.quotes[0].length === 1 && token.quotes[1].length === 1;
}

/** Two numbers or literals need a space between them. */
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
