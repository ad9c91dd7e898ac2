// Damage: wrong or missing quotes of one key or one string. Only text whose end is clear without quotes is chosen.

import {
  accept,
  beside,
  isFreeText,
  isQuoted,
  isValue,
  replace,
  valueAt,
  type DamageDraft,
  type Token,
} from './draft.ts';
import type { Random } from '../model/random.ts';
import { slip, type DamageDefinition } from './damage-definition.ts';
import { isStandard } from './quotes.ts';

export const quoteSlipKinds = {
  'missing-opening-quote': requoting(isOpenable, ({ quotes }) => ['', quotes[1]]),
  'missing-closing-quote': requoting(isClosable, ({ quotes }) => [quotes[0], '']),
  'missing-opening-quote-of-key': requoting(isNamed, ({ quotes }) => ['', quotes[1]]),
  'missing-closing-quote-of-key': requoting(isNamed, ({ quotes }) => [quotes[0], '']),
  'wrong-opening-quote': requoting(isStandardWords, (_, random) => [random.pick(["'", '“', '`']), '"']),
  'wrong-closing-quote': requoting(isStandardWords, (_, random) => ['"', random.pick(["'", '”', '`'])]),
  'escaped-quotes-of-value': requoting(isStandardWords, () => [String.raw`\"`, String.raw`\"`]),
  'doubled-quotes-of-value': slip(isStandardWords, (draft, index) => {
    const token = draft.tokens[index]!;
    // The inner quotes may also be part of the text.
    const text = valueAt(draft, token.path)!;
    const readings = isFreeText(draft, token) ? [text, `"${token.text}"`] : [text];
    return accept(replace(draft, index, { ...token, quotes: ['""', '""'] }), token.path, readings);
  }),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

function requoting(
  where: (token: Token, index: number, draft: DamageDraft) => boolean,
  quotes: (token: Token, random: Random) => Token['quotes'],
): DamageDefinition {
  return slip(where, (draft, index, random) => {
    const token = draft.tokens[index]!;
    return replace(draft, index, { ...token, quotes: quotes(token, random) });
  });
}

function isNamed(token: Token): boolean {
  return token.role === 'key' && hasSingleMarks(token) && /^[A-Za-z_]\w*$/u.test(token.text);
}

function isStandardWords(token: Token): boolean {
  return token.role === 'string' && isStandard(token) && isWords(token);
}

function isOpenable(token: Token, index: number, draft: DamageDraft): boolean {
  if (token.role !== 'string' || !hasSingleMarks(token)) return false;
  return isWords(token) || (isWordsWithCommas(token) && isBeforeKey(draft, index));
}

/** The next key or item must have plain quotes or brackets. Otherwise the end of the text is not clear. */
function isClosable(token: Token, index: number, draft: DamageDraft): boolean {
  if (!isOpenable(token, index, draft)) return false;
  const next = draft.tokens.slice(index + 1).find((each) => isQuoted(each) || isValue(each));
  return next === undefined || next.quotes[0].length === 1;
}

/** Words without punctuation, so that it is clear which text the quotes enclosed. */
function isWords({ text }: Token): boolean {
  return /^\p{L}[\p{L}\d_-]*(?: [\p{L}\d_-]+)*[.!?]?$/u.test(text);
}

/** Commas in the text are unambiguous only before a key, not before another item. */
function isWordsWithCommas({ path, text }: Token): boolean {
  return typeof path.at(-1) === 'string' && /^\p{L}[\p{L}\d_-]*(?:,? [\p{L}\d_-]+)+[.!?]?$/u.test(text);
}

function isBeforeKey(draft: DamageDraft, index: number): boolean {
  const mark = beside(draft, index, 1);
  return mark?.role === 'comma' && beside(draft, draft.tokens.indexOf(mark), 1)?.role === 'key';
}

function hasSingleMarks({ quotes: [opening, closing] }: Token): boolean {
  return opening.length === 1 && closing.length === 1;
}
