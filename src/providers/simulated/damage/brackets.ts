// Brackets that are missing, too many, or of the wrong kind.

import { around, beside, extra, mapTokens, places, replace, schemaAt, type Draft, type Token } from './draft.ts';
import { isRecord } from '../../../core/json.ts';
import type { Kind } from './kind.ts';

export const bracketKinds = {
  'missing-closer': brackets((draft) => dropLast(draft, 1)),
  'missing-closers': brackets((draft) => {
    const count = closersAtEnd(draft);
    return count < 2 ? undefined : dropLast(draft, count);
  }),
  'missing-inner-closer': brackets((draft, random) =>
    blank(draft, places(draft, (token, index) => isCloser(token) && showsItsEnd(draft, token, index)), random.next()),
  ),
  /** `{"a": {"b": 1, "c": 2}`: only a schema says that `c` is no part of `a`. */
  'missing-object-closer': {
    ...brackets((draft, random) =>
      blank(draft, places(draft, (token, index) => isCloser(token) && endsByName(draft, token, index)), random.next()),
    ),
    needsSchema: true,
    readsSchema: true,
  },
  'mismatched-closer': brackets((draft, random) => {
    const found = places(draft, isCloser);
    return found.length === 0 ? undefined : swap(draft, random.pick(found));
  }),
  'swapped-closers': brackets((draft, random) => {
    const found = places(draft, (token, index) => isCloser(token) && isOtherCloser(token, beside(draft, index, 1)));
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    return swap(swap(draft, index), draft.tokens.indexOf(beside(draft, index, 1)!));
  }),
  'extra-closer': {
    ...brackets((draft) => {
      const last = draft.tokens.findLast(isCloser);
      return last && around(draft, '', last.text);
    }),
    ends: true,
  },
  'wrong-extra-closer': {
    ...brackets((draft) => {
      const last = draft.tokens.findLast(isCloser);
      return last && around(draft, '', other(last.text));
    }),
    ends: true,
  },
  'extra-inner-closer': brackets((draft, random) => {
    const found = places(draft, (token, index) => isCloser(token) && beside(draft, index, 1)?.role === 'comma');
    if (found.length === 0) return undefined;
    const index = random.pick(found);
    const token = draft.tokens[index]!;
    return replace(draft, index, token, extra(token.text));
  }),
  /** The first brace was part of the prompt, and the model goes on from there. */
  'missing-opener': brackets((draft) => {
    const index = draft.tokens.findIndex(({ role }) => role !== 'space');
    const isNamed = beside(draft, index, 1)?.role === 'key';
    return isNamed ? replace(draft, index) : undefined;
  }),
  'missing-braces': {
    ...brackets((draft) => {
      const index = draft.tokens.findIndex(({ role }) => role !== 'space');
      if (beside(draft, index, 1)?.role !== 'key') return undefined;
      return dropLast(replace(draft, index), 1);
    }),
    needsSchema: true,
    ends: true,
  },
  /** Templates double a brace to write one; models copy it. */
  'doubled-braces': brackets((draft) =>
    mapTokens(draft, (token) => (isBrace(token) ? { ...token, text: token.text.repeat(2) } : undefined)),
  ),
  'doubled-outer-braces': brackets((draft) => {
    const ends = [draft.tokens.findIndex(isBrace), draft.tokens.findLastIndex(isBrace)];
    if (draft.tokens[ends[0]!]?.path.length !== 0) return undefined;
    return mapTokens(draft, (token, index) => (ends.includes(index) ? { ...token, text: token.text.repeat(2) } : undefined));
  }),
} as const satisfies Readonly<Record<string, Kind>>;

function brackets(damage: Kind['damage']): Kind {
  return { phase: 'brackets', damage };
}

function isCloser({ role, text }: Token): boolean {
  return role === 'close' && text.length === 1;
}

function isBrace({ role, text }: Token): boolean {
  return (role === 'open' && text === '{') || (role === 'close' && text === '}');
}

function other(closer: string): string {
  return closer === '}' ? ']' : '}';
}

function isOtherCloser(token: Token, next: Token | undefined): boolean {
  return next !== undefined && isCloser(next) && next.text !== token.text;
}

function swap(draft: Draft, index: number): Draft {
  const token = draft.tokens[index]!;
  return replace(draft, index, { ...token, text: other(token.text) });
}

function blank(draft: Draft, found: readonly number[], chance: number): Draft | undefined {
  return found.length === 0 ? undefined : replace(draft, found[Math.floor(chance * found.length)]!);
}

function closersAtEnd({ tokens }: Draft): number {
  const last = tokens.findLastIndex(({ role }) => role !== 'space' && role !== 'close');
  return tokens.slice(last + 1).filter(isCloser).length;
}

function dropLast(draft: Draft, count: number): Draft | undefined {
  let next: Draft = draft;
  for (let turn = 0; turn < count; turn += 1) {
    const index = next.tokens.findLastIndex(isCloser);
    if (index === -1) return undefined;
    next = replace(next, index);
  }
  return next;
}

/**
 * What follows cannot stand inside this container, so that it must have ended: another object where a key is due, a key
 * among the items of a list, or the other kind of closer.
 */
function showsItsEnd(draft: Draft, token: Token, index: number): boolean {
  const mark = beside(draft, index, 1);
  if (mark === undefined) return false;
  if (mark.role !== 'comma') return isOtherCloser(token, mark);
  const next = beside(draft, draft.tokens.indexOf(mark), 1);
  return token.text === '}' ? next?.text === '{' : next?.role === 'key';
}

function endsByName(draft: Draft, token: Token, index: number): boolean {
  const mark = beside(draft, index, 1);
  if (token.text !== '}' || mark?.role !== 'comma') return false;
  const next = beside(draft, draft.tokens.indexOf(mark), 1);
  const properties = schemaAt(draft, token.path)?.['properties'];
  return next?.role === 'key' && isRecord(properties) && !Object.hasOwn(properties, String(next.path.at(-1)));
}
