// Every kind of change that healing can make. The list is closed; docs/healing.md shows an example of each kind.

export type FlagKind = keyof typeof flagTable;

interface FlagRow {
  /** How much doubt the change casts on the part of the value it touches, from 0 to 1. */
  readonly weight: number;
  /**
   * Whether the change completes, chooses, drops or invents content, instead of only correcting notation. A tool with
   * side effects never receives arguments that needed such a change; see arguments.ts.
   */
  readonly isGuess: boolean;
}

export const flagTable = {
  // Text around the value.
  'stripped-markdown': { weight: 0.001, isGuess: false },
  'stripped-prose': { weight: 0.01, isGuess: false },
  'stripped-think': { weight: 0.001, isGuess: false },
  'stripped-wrapper': { weight: 0.01, isGuess: false },
  'stripped-comment': { weight: 0.001, isGuess: false },
  'stripped-ellipsis': { weight: 0.05, isGuess: true },
  'chose-value': { weight: 0.02, isGuess: true },
  'collected-values': { weight: 0.02, isGuess: true },
  // Notation of the value.
  'fixed-trailing-comma': { weight: 0.005, isGuess: false },
  'fixed-leading-comma': { weight: 0.01, isGuess: false },
  'fixed-quotes': { weight: 0.01, isGuess: false },
  'fixed-inner-quotes': { weight: 0.04, isGuess: false },
  'fixed-escape': { weight: 0.02, isGuess: true },
  'fixed-control-character': { weight: 0.01, isGuess: false },
  'fixed-literal': { weight: 0.01, isGuess: false },
  'fixed-number': { weight: 0.02, isGuess: false },
  'fixed-whitespace': { weight: 0.005, isGuess: false },
  'fixed-colon': { weight: 0.02, isGuess: false },
  'fixed-separator': { weight: 0.02, isGuess: false },
  'fixed-brackets': { weight: 0.05, isGuess: true },
  'unquoted-key': { weight: 0.005, isGuess: false },
  'unquoted-string': { weight: 0.02, isGuess: false },
  'joined-strings': { weight: 0.02, isGuess: false },
  'inserted-comma': { weight: 0.02, isGuess: false },
  'inserted-quote': { weight: 0.08, isGuess: true },
  'inserted-brackets': { weight: 0.1, isGuess: true },
  'dropped-text': { weight: 0.1, isGuess: true },
  'dropped-bracket': { weight: 0.03, isGuess: true },
  'guessed-structure': { weight: 0.31, isGuess: true },
  'duplicate-key': { weight: 0.05, isGuess: true },
  'missing-value': { weight: 0.1, isGuess: true },
  'closed-truncated': { weight: 0.15, isGuess: true },
  'precision-lost': { weight: 0.1, isGuess: true },
  // Matching the value with its schema.
  'fuzzy-field-match': { weight: 0.02, isGuess: false },
  'ambiguous-key': { weight: 0.1, isGuess: true },
  'type-coercion': { weight: 0.03, isGuess: false },
  'rounded-number': { weight: 0.25, isGuess: true },
  'enum-match': { weight: 0.02, isGuess: false },
  'enum-mention': { weight: 0.25, isGuess: true },
  'used-default-value': { weight: 0.05, isGuess: false },
  'used-null-value': { weight: 0.05, isGuess: true },
  'used-source-text': { weight: 0.05, isGuess: true },
  'parsed-string': { weight: 0.03, isGuess: false },
  'wrapped-in-array': { weight: 0.03, isGuess: false },
  'wrapped-in-object': { weight: 0.1, isGuess: true },
  unwrapped: { weight: 0.05, isGuess: false },
  'chose-element': { weight: 0.25, isGuess: true },
  'dropped-item': { weight: 0.15, isGuess: true },
  'dropped-value': { weight: 0.1, isGuess: true },
  // Allowed by the schema, so it costs nothing, and strict mode accepts it.
  'dropped-field': { weight: 0, isGuess: false },
  'ignored-later-value': { weight: 0.1, isGuess: true },
  // Not a change: something could not be checked.
  'unchecked-pattern': { weight: 0.001, isGuess: false },
  // There were more changes than are listed. Every kind among them still has its own flag.
  'more-changes': { weight: 0, isGuess: false },
} as const satisfies Record<string, FlagRow>;

export const flagWeights = Object.fromEntries(
  Object.entries(flagTable).map(([kind, { weight }]) => [kind, weight]),
) as Readonly<Record<FlagKind, number>>;

export type PathKey = string | number;

/** One change. `path` locates it in the value. Which of the other fields are set depends on `kind`. */
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

/** An unknown kind counts as a guess. */
export function isGuess({ kind }: { readonly kind: string }): boolean {
  return !Object.hasOwn(flagTable, kind) || flagTable[kind as FlagKind].isGuess;
}
