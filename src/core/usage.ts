// Token counts with one definition for all providers: `input` excludes tokens that the prompt cache served or stored,
// `output` includes reasoning. The size of the prompt is therefore `promptTokens(usage)`, never `input` alone.

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  /** The provider reported no usage, and the counts above are placeholders. */
  readonly missing?: true;
}

/** What determines the cost of a response: the provider, the model and the tokens. */
export interface BilledUsage {
  /** A provider's name, or `provider/model`. */
  readonly target: string;
  /** The provider's own name of the model that responded. */
  readonly model?: string;
  readonly usage: Usage;
}

/** The cost of a response in US dollars; `undefined` when the price or the token count is unknown. */
export type CostOf = (usage: BilledUsage) => number | undefined;

export const noUsage: Usage = { input: 0, output: 0, missing: true };

export function promptTokens(usage: Usage): number {
  return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

export function addUsage(left: Usage, right: Usage): Usage {
  if (left.missing) return right;
  if (right.missing) return left;
  const total: { -readonly [Key in keyof Usage]: Usage[Key] } = {
    input: left.input + right.input,
    output: left.output + right.output,
  };
  for (const key of ['cacheRead', 'cacheWrite', 'reasoning'] as const) {
    if (left[key] !== undefined || right[key] !== undefined) total[key] = (left[key] ?? 0) + (right[key] ?? 0);
  }
  return total;
}
