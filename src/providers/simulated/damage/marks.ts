// Commas, colons and brackets in a foreign notation, everywhere; and commas and colons that slip in one place.

import { beside, extra, mapTokens, places, replace, valueAt, type Draft, type Token } from './draft.ts';
import type { Kind } from './kind.ts';

export const markKinds = {
  'trailing-comma': place((draft, random) => {
    const found = places(draft, (token, index) => token.role === 'close' && isFilled(draft, index));
    return found.length === 0 ? undefined : atEnd(draft, random.pick(found), ',');
  }),
  'trailing-commas': {
    phase: 'notation',
    damage: (draft) =>
      mapTokens(draft, (token, index) =>
        closesNext(draft, token, index) ? { ...token, text: `,${token.text}` } : undefined,
      ),
  },
  'leading-comma': place((draft, random) => {
    const found = places(draft, (token, index) => token.role === 'open' && beside(draft, index, 1)?.role !== 'close');
    return found.length === 0 ? undefined : after(draft, random.pick(found), ',');
  }),
  'double-comma': atMark('comma', (comma) => `${comma},`),
  'missing-comma': place((draft, random) => {
    const found = places(draft, (token, index) => token.role === 'comma' && isRemovable(draft, index));
    return found.length === 0 ? undefined : remove(draft, random.pick(found));
  }),
  'missing-commas': {
    phase: 'notation',
    damage: (draft) =>
      mapTokens(draft, (token, index) =>
        token.role === 'comma' && isRemovable(draft, index) ? { ...token, text: gap(draft, index) } : undefined,
      ),
  },
  'newline-for-comma': place((draft, random) => {
    const found = places(draft, (token, index) => token.role === 'comma' && isRemovable(draft, index));
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    return replace(draft, index, { ...draft.tokens[index]!, text: '\n' });
  }),
  'semicolon-for-comma': atMark('comma', () => ';'),
  'semicolons-for-commas': everyMark('comma', ';'),
  'fullwidth-commas': everyMark('comma', '，'),
  'fullwidth-colons': everyMark('colon', '：'),
  'missing-colon': place((draft, random) => {
    const found = places(draft, (token, index) => token.role === 'colon' && isRemovable(draft, index));
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    return replace(draft, index, { ...draft.tokens[index]!, text: isSpaceAfter(draft, index) ? '' : ' ' });
  }),
  'equals-for-colon': atMark('colon', () => '='),
  'equals-for-colons': everyMark('colon', '='),
  'arrows-for-colons': everyMark('colon', ' =>'),
  'double-colon': atMark('colon', () => '::'),
  'python-tuples': {
    phase: 'notation',
    damage: (draft) =>
      mapTokens(draft, (token) => {
        if (token.text === '[' && token.role === 'open') return { ...token, text: '(' };
        if (token.text !== ']' || token.role !== 'close') return undefined;
        // Python writes a tuple of one with a comma.
        return { ...token, text: (valueAt(draft, token.path) as readonly unknown[]).length === 1 ? ',)' : ')' };
      }),
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** The container that closes here has something in it, and its last word is not damaged. */
export function isFilled(draft: Draft, index: number): boolean {
  const last = beside(draft, index, -1);
  return last !== undefined && last.role !== 'open' && last.role !== 'extra' && last.text !== ',';
}

/** The space before a closer, or the closer itself where there is none. */
function closesNext(draft: Draft, token: Token, index: number): boolean {
  if (token.role === 'space') return draft.tokens[index + 1]?.role === 'close' && isFilled(draft, index + 1);
  return token.role === 'close' && draft.tokens[index - 1]?.role !== 'space' && isFilled(draft, index);
}

export function before(draft: Draft, index: number, text: string): Draft {
  return replace(draft, index, extra(text), draft.tokens[index]!);
}

/** Right behind the last thing in the container that closes at `index`. */
export function atEnd(draft: Draft, index: number, text: string): Draft {
  const isIndented = draft.tokens[index - 1]?.role === 'space';
  return before(draft, isIndented ? index - 1 : index, text);
}

export function after(draft: Draft, index: number, text: string): Draft {
  return replace(draft, index, draft.tokens[index]!, extra(text));
}

function place(damage: Kind['damage']): Kind {
  return { phase: 'place', damage };
}

function atMark(role: 'comma' | 'colon', change: (mark: string) => string): Kind {
  return place((draft, random) => {
    const found = places(draft, (token) => token.role === role && token.text.length === 1);
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    const token = draft.tokens[index]!;
    return replace(draft, index, { ...token, text: change(token.text) });
  });
}

function everyMark(role: 'comma' | 'colon', mark: string): Kind {
  return {
    phase: 'notation',
    damage: (draft) =>
      mapTokens(draft, (token) => (token.role === role && token.text.length === 1 ? { ...token, text: mark } : undefined)),
  };
}

/** Both neighbours show by themselves where they end: without the mark nothing runs together. */
function isRemovable(draft: Draft, index: number): boolean {
  const [left, right] = [beside(draft, index, -1), beside(draft, index, 1)];
  return isDelimited(left) && isDelimited(right) && draft.tokens[index]!.text.length === 1;
}

function isDelimited(token: Token | undefined): boolean {
  if (token === undefined || token.role === 'extra') return false;
  if (token.role !== 'key' && token.role !== 'string') return true;
  return token.quotes[0].length === 1 && token.quotes[1].length === 1;
}

function remove(draft: Draft, index: number): Draft {
  return replace(draft, index, { ...draft.tokens[index]!, text: gap(draft, index) });
}

/** Two numbers or words need a space between them to stay two. */
function gap(draft: Draft, index: number): string {
  const isOpenEnded = (token: Token | undefined): boolean => token?.role === 'number' || token?.role === 'literal';
  const runsTogether = isOpenEnded(beside(draft, index, -1)) && isOpenEnded(beside(draft, index, 1));
  return runsTogether && !isSpaceAfter(draft, index) ? ' ' : '';
}

function isSpaceAfter({ tokens }: Draft, index: number): boolean {
  return tokens[index + 1]?.role === 'space';
}
