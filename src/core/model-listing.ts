// One entry of a model list.

export interface ModelListing {
  /** The name that requests use. */
  readonly id: string;
  /** The provider that serves it. */
  readonly provider: string;
  /** In tokens. */
  readonly contextWindow?: number;
  /** US dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number };
}
