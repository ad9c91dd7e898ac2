// What healing may have done, one flag per change, each with its weight: how much doubt the change casts on the
// part of the value it touches. The list is closed; docs/healing.md shows an example of each.

export type FlagKind = keyof typeof flagWeights;

/** The doubt a change casts, 0 to 1. Light: only notation. Medium: a likely reading. Heavy: a guess. */
export const flagWeights = {
  // The text around the value.
  'stripped-markdown': 0.001,
  'stripped-prose': 0.01,
  'stripped-think': 0.001,
  'stripped-wrapper': 0.01,
  'stripped-comment': 0.001,
  'stripped-ellipsis': 0.05,
  'chose-value': 0.02,
  'collected-values': 0.02,
  // The notation of the value.
  'fixed-trailing-comma': 0.005,
  'fixed-leading-comma': 0.01,
  'fixed-quotes': 0.01,
  'fixed-inner-quotes': 0.04,
  'fixed-escape': 0.02,
  'fixed-control-character': 0.01,
  'fixed-literal': 0.01,
  'fixed-number': 0.02,
  'fixed-whitespace': 0.005,
  'fixed-colon': 0.02,
  'fixed-separator': 0.02,
  'fixed-brackets': 0.05,
  'unquoted-key': 0.005,
  'unquoted-string': 0.02,
  'joined-strings': 0.02,
  'inserted-comma': 0.02,
  'inserted-quote': 0.08,
  'inserted-brackets': 0.1,
  'dropped-text': 0.1,
  'dropped-bracket': 0.03,
  'guessed-structure': 0.31,
  'duplicate-key': 0.05,
  'missing-value': 0.1,
  'closed-truncated': 0.15,
  'precision-lost': 0.1,
  // The value against its schema.
  'fuzzy-field-match': 0.02,
  'ambiguous-key': 0.1,
  'type-coercion': 0.03,
  'rounded-number': 0.25,
  'enum-match': 0.02,
  'enum-mention': 0.25,
  'used-default-value': 0.05,
  'used-empty-value': 0.25,
  'used-null-value': 0.05,
  'used-source-text': 0.05,
  'parsed-string': 0.03,
  'wrapped-in-array': 0.03,
  'wrapped-in-object': 0.1,
  'unwrapped': 0.05,
  'chose-element': 0.25,
  'dropped-item': 0.15,
  'dropped-field': 0.1,
  'ignored-later-value': 0.1,
  // Nothing was changed, but not everything could be checked.
  'unchecked-pattern': 0.001,
  // Many changes of one kind are told in one.
  'more-changes': 0,
} as const;

export type PathKey = string | number;

/** One change. `path` is where in the value; which details there are depends on the kind. */
export interface Flag {
  readonly kind: FlagKind;
  readonly path: readonly PathKey[];
  readonly expected?: string;
  readonly found?: string;
  readonly from?: string;
  readonly to?: string;
  readonly field?: string;
  readonly count?: number;
}
