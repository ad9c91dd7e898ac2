// Every kind of change that healing can make. The list is closed; docs/healing.md shows an example of each kind.

export type FlagKind = keyof typeof flagTable;

interface FlagRow {
  /** Decides between several readings of a text: the cheapest wins. The confidence has weights of its own. */
  readonly cost: number;
  /**
   * Whether the change completes, chooses, drops or invents content, instead of only correcting notation. A tool with
   * side effects never receives arguments that needed such a change; see arguments.ts.
   */
  readonly isGuess: boolean;
}

export const flagTable = {
  // Text around the value.
  'stripped-markdown': { cost: 0.001, isGuess: false },
  'stripped-prose': { cost: 0.01, isGuess: false },
  'stripped-think': { cost: 0.001, isGuess: false },
  'stripped-wrapper': { cost: 0.01, isGuess: false },
  'stripped-comment': { cost: 0.001, isGuess: false },
  'stripped-ellipsis': { cost: 0.05, isGuess: true },
  'stripped-value': { cost: 0.01, isGuess: false },
  'chose-value': { cost: 0.02, isGuess: true },
  'collected-values': { cost: 0.02, isGuess: true },
  // Notation of the value.
  'fixed-trailing-comma': { cost: 0.005, isGuess: false },
  'fixed-leading-comma': { cost: 0.01, isGuess: false },
  'fixed-quotes': { cost: 0.01, isGuess: false },
  'fixed-inner-quotes': { cost: 0.04, isGuess: false },
  'fixed-escape': { cost: 0.02, isGuess: true },
  'fixed-control-character': { cost: 0.01, isGuess: false },
  'fixed-literal': { cost: 0.01, isGuess: false },
  'fixed-number': { cost: 0.02, isGuess: false },
  'fixed-whitespace': { cost: 0.005, isGuess: false },
  'fixed-colon': { cost: 0.02, isGuess: false },
  'fixed-separator': { cost: 0.02, isGuess: false },
  'fixed-brackets': { cost: 0.05, isGuess: true },
  'unquoted-key': { cost: 0.005, isGuess: false },
  'unquoted-string': { cost: 0.02, isGuess: false },
  'joined-strings': { cost: 0.02, isGuess: false },
  'inserted-comma': { cost: 0.02, isGuess: false },
  'inserted-quote': { cost: 0.08, isGuess: true },
  'inserted-brackets': { cost: 0.1, isGuess: true },
  'dropped-text': { cost: 0.1, isGuess: true },
  'dropped-bracket': { cost: 0.03, isGuess: true },
  'guessed-structure': { cost: 0.31, isGuess: true },
  'duplicate-key': { cost: 0.05, isGuess: true },
  'missing-value': { cost: 0.1, isGuess: true },
  'closed-truncated': { cost: 0.15, isGuess: true },
  'precision-lost': { cost: 0.1, isGuess: true },
  // Matching the value with its schema.
  'fuzzy-field-match': { cost: 0.02, isGuess: false },
  'ambiguous-key': { cost: 0.1, isGuess: true },
  'type-coercion': { cost: 0.03, isGuess: false },
  'rounded-number': { cost: 0.25, isGuess: true },
  'enum-match': { cost: 0.02, isGuess: false },
  'enum-mention': { cost: 0.25, isGuess: true },
  'used-default-value': { cost: 0.05, isGuess: false },
  'used-null-value': { cost: 0.05, isGuess: true },
  'used-source-text': { cost: 0.05, isGuess: true },
  'parsed-string': { cost: 0.03, isGuess: false },
  'wrapped-in-array': { cost: 0.03, isGuess: false },
  'wrapped-in-object': { cost: 0.1, isGuess: true },
  unwrapped: { cost: 0.05, isGuess: false },
  'chose-element': { cost: 0.25, isGuess: true },
  'dropped-item': { cost: 0.15, isGuess: true },
  'dropped-value': { cost: 0.1, isGuess: true },
  // Allowed by the schema, so it costs nothing, and strict mode accepts it.
  'dropped-field': { cost: 0, isGuess: false },
  'ignored-later-value': { cost: 0.1, isGuess: true },
  // Not a change: something could not be checked.
  'unchecked-pattern': { cost: 0.001, isGuess: false },
  // There were more changes than are listed. Every kind among them still has its own flag.
  'more-changes': { cost: 0, isGuess: false },
} as const satisfies Record<string, FlagRow>;

export const flagCosts = Object.fromEntries(
  Object.entries(flagTable).map(([kind, { cost }]) => [kind, cost]),
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
  /**
   * The text that the change touches, as offsets into the source, with the option `locate`. Two equal offsets: something
   * was inserted there. Missing for changes inside a string or in text that is escaped one time too many.
   */
  readonly at?: readonly [start: number, end: number];
}

/** An unknown kind counts as a guess. */
export function isGuess({ kind }: { readonly kind: string }): boolean {
  return !Object.hasOwn(flagTable, kind) || flagTable[kind as FlagKind].isGuess;
}
