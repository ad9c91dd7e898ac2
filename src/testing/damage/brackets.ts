// Damage: brackets that are missing, repeated or of the wrong kind.

import { isRecord } from '../../core/json.ts';
import { around, beside, mapTokens, replace, schemaAt, type DamageDraft, type Token } from './draft.ts';
import { somewhere, type DamageDefinition } from './damage-definition.ts';
import { after } from './marks.ts';

export const bracketKinds = {
  'missing-closer': brackets((draft) => dropLast(draft, 1)),
  'missing-closers': brackets((draft) => {
    const count = closersAtEnd(draft);
    return count < 2 ? undefined : dropLast(draft, count);
  }),
  'missing-inner-closer': brackets(somewhere(hasVisibleEnd, (draft, index) => replace(draft, index))),
  /** `{"a": {"b": 1, "c": 2}`: only a schema shows that `c` is not part of `a`. */
  'missing-object-closer': {
    ...brackets(somewhere(endsByName, (draft, index) => replace(draft, index))),
    needsSchema: true,
    readsSchema: true,
  },
  'mismatched-closer': brackets(somewhere(isCloser, swap)),
  'swapped-closers': brackets(
    somewhere(
      (token, index, draft) => isCloser(token) && isOtherCloser(token, beside(draft, index, 1)),
      (draft, index) => swap(swap(draft, index), draft.tokens.indexOf(beside(draft, index, 1)!)),
    ),
  ),
  'extra-closer': { ...brackets((draft) => addLast(draft, (closer) => closer)), whole: true },
  'wrong-extra-closer': { ...brackets((draft) => addLast(draft, other)), whole: true },
  'extra-inner-closer': brackets(
    somewhere(
      (token, index, draft) => isCloser(token) && beside(draft, index, 1)?.role === 'comma',
      (draft, index) => after(draft, index, draft.tokens[index]!.text),
    ),
  ),
  /** The first brace was part of the prompt, and the model continues after it. */
  'missing-opener': { ...brackets(dropFirst), excludes: ['program', 'fence', 'prose', 'thought'] },
  'missing-braces': {
    ...brackets((draft) => {
      const opened = dropFirst(draft);
      return opened && dropLast(opened, 1);
    }),
    needsSchema: true,
    whole: true,
    excludes: ['program'],
  },
  /** Templates escape a brace by doubling it, and models copy that. */
  'doubled-braces': brackets((draft) => mapTokens(draft, (token) => (isBrace(token) ? twice(token) : undefined))),
  'doubled-outer-braces': brackets((draft) =>
    mapTokens(draft, (token) => (isBrace(token) && token.path.length === 0 ? twice(token) : undefined)),
  ),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

function brackets(damage: DamageDefinition['damage']): DamageDefinition {
  return { phase: 'brackets', damage };
}

function isCloser({ role, text }: Token): boolean {
  return role === 'close' && text.length === 1;
}

function isBrace({ role, text }: Token): boolean {
  return (role === 'open' && text === '{') || (role === 'close' && text === '}');
}

function twice(token: Token): Token {
  return { ...token, text: token.text.repeat(2) };
}

function other(closer: string): string {
  return closer === '}' ? ']' : '}';
}

function isOtherCloser(token: Token, next: Token | undefined): boolean {
  return next !== undefined && isCloser(next) && next.text !== token.text;
}

function swap(draft: DamageDraft, index: number): DamageDraft {
  const token = draft.tokens[index]!;
  return replace(draft, index, { ...token, text: other(token.text) });
}

function addLast(draft: DamageDraft, change: (closer: string) => string): DamageDraft | undefined {
  const last = draft.tokens.findLast(isCloser);
  return last && around(draft, '', change(last.text));
}

function dropFirst(draft: DamageDraft): DamageDraft | undefined {
  const index = draft.tokens.findIndex(({ role }) => role !== 'space');
  return beside(draft, index, 1)?.role === 'key' ? replace(draft, index) : undefined;
}

function dropLast(draft: DamageDraft, count: number): DamageDraft | undefined {
  let next: DamageDraft = draft;
  for (let turn = 0; turn < count; turn += 1) {
    const index = next.tokens.findLastIndex(isCloser);
    if (index === -1) return undefined;
    next = replace(next, index);
  }
  return next;
}

function closersAtEnd({ tokens }: DamageDraft): number {
  const last = tokens.findLastIndex(({ role }) => role !== 'space' && role !== 'close');
  return tokens.slice(last + 1).filter(isCloser).length;
}

/**
 * Whether what follows cannot be inside this container, so that its end is clear: an object where a key is expected, a key
 * among the items of a list, or the other kind of closer.
 */
function hasVisibleEnd(token: Token, index: number, draft: DamageDraft): boolean {
  const mark = beside(draft, index, 1);
  if (!isCloser(token) || mark === undefined) return false;
  if (mark.role !== 'comma') return isOtherCloser(token, mark);
  const next = beside(draft, draft.tokens.indexOf(mark), 1);
  return token.text === '}' ? next?.text === '{' : next?.role === 'key';
}

/** Whether the next key does not belong to this object. */
function endsByName(token: Token, index: number, draft: DamageDraft): boolean {
  const mark = beside(draft, index, 1);
  if (!isCloser(token) || token.text !== '}' || mark?.role !== 'comma') return false;
  const next = beside(draft, draft.tokens.indexOf(mark), 1);
  const properties = schemaAt(draft, token.path)?.['properties'];
  return next?.role === 'key' && isRecord(properties) && !Object.hasOwn(properties, String(next.path.at(-1)));
}
