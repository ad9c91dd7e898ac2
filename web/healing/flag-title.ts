// What each kind of change means, in a few words, and how it is drawn in the text.

import type { FlagKind } from '../../src/heal/index.ts';

/** `around`: text outside the value is left out. `none`: it has no single place in the text. */
export type MarkStyle = 'changed' | 'inserted' | 'removed' | 'around' | 'none';

interface FlagLook {
  readonly title: string;
  readonly style: MarkStyle;
}

export const flagLooks: Readonly<Record<FlagKind, FlagLook>> = {
  'stripped-markdown': { title: 'Code fence left out', style: 'around' },
  'stripped-prose': { title: 'Text around the value left out', style: 'around' },
  'stripped-think': { title: 'Reasoning left out', style: 'around' },
  'stripped-wrapper': { title: 'Function call around a value left out', style: 'changed' },
  'stripped-comment': { title: 'Comment removed', style: 'removed' },
  'stripped-ellipsis': { title: 'Ellipsis removed', style: 'removed' },
  'stripped-value': { title: 'Another value left out', style: 'around' },
  'chose-value': { title: 'One of several values chosen', style: 'around' },
  'collected-values': { title: 'Several values collected in a list', style: 'none' },
  'fixed-trailing-comma': { title: 'Trailing comma removed', style: 'removed' },
  'fixed-leading-comma': { title: 'Leading comma removed', style: 'removed' },
  'fixed-quotes': { title: 'Quotes replaced', style: 'changed' },
  'fixed-inner-quotes': { title: 'Quotes inside a string escaped', style: 'changed' },
  'fixed-escape': { title: 'Escape fixed', style: 'changed' },
  'fixed-control-character': { title: 'Line break or tab escaped', style: 'changed' },
  'fixed-literal': { title: 'Literal translated', style: 'changed' },
  'fixed-number': { title: 'Number rewritten', style: 'changed' },
  'fixed-whitespace': { title: 'Unusual whitespace replaced', style: 'changed' },
  'fixed-colon': { title: 'Colon fixed', style: 'changed' },
  'fixed-separator': { title: 'Separator replaced by a comma', style: 'changed' },
  'fixed-brackets': { title: 'Bracket replaced', style: 'changed' },
  'unquoted-key': { title: 'Key put in quotes', style: 'changed' },
  'unquoted-string': { title: 'String put in quotes', style: 'changed' },
  'joined-strings': { title: 'Strings joined', style: 'changed' },
  'inserted-comma': { title: 'Comma added', style: 'inserted' },
  'inserted-quote': { title: 'End quote added', style: 'inserted' },
  'inserted-brackets': { title: 'Bracket added', style: 'inserted' },
  'dropped-text': { title: 'Stray text dropped', style: 'removed' },
  'dropped-bracket': { title: 'Extra bracket dropped', style: 'removed' },
  'guessed-structure': { title: 'Structure guessed', style: 'none' },
  'duplicate-key': { title: 'Repeated key: the last one wins', style: 'changed' },
  'missing-value': { title: 'Key without a value', style: 'inserted' },
  'closed-truncated': { title: 'Cut off: brackets closed', style: 'inserted' },
  'precision-lost': { title: 'Number too large to be exact', style: 'changed' },
  'fuzzy-field-match': { title: 'Key matched to a field', style: 'changed' },
  'ambiguous-key': { title: 'Two keys for one field', style: 'changed' },
  'type-coercion': { title: 'Type converted', style: 'changed' },
  'rounded-number': { title: 'Number rounded', style: 'changed' },
  'enum-match': { title: 'Enum value matched', style: 'changed' },
  'enum-mention': { title: 'Enum value found in a sentence', style: 'changed' },
  'used-default-value': { title: 'Default used for a missing field', style: 'none' },
  'used-null-value': { title: 'Null used for a missing field', style: 'none' },
  'used-source-text': { title: 'Source text used as a string', style: 'changed' },
  'parsed-string': { title: 'JSON inside a string parsed', style: 'changed' },
  'wrapped-in-array': { title: 'Single value put in a list', style: 'changed' },
  'wrapped-in-object': { title: 'Bare value put in an object', style: 'changed' },
  'unwrapped': { title: 'Value taken out of its wrapper', style: 'none' },
  'chose-element': { title: 'One element of a list chosen', style: 'changed' },
  'dropped-value': { title: 'Value dropped', style: 'removed' },
  'dropped-item': { title: 'Item that does not fit dropped', style: 'removed' },
  'dropped-field': { title: 'Field that does not fit dropped', style: 'removed' },
  'ignored-later-value': { title: 'Later value ignored', style: 'none' },
  'unchecked-pattern': { title: 'Pattern could not be checked', style: 'none' },
  'more-changes': { title: 'Further changes', style: 'none' },
};
