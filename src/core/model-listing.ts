// A model as a list of models tells it.

export interface ModelListing {
  /** What a request names it by. */
  readonly id: string;
  /** Who answers. */
  readonly provider: string;
  /** In tokens. */
  readonly contextWindow?: number;
  /** US dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number };
}
