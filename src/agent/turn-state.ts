// What one turn has come to so far: what it cost, how often it went round, how full the context is.

import { addUsage, noUsage, promptTokens, type CostOf, type Usage } from '../core/usage.ts';
import type { ModelResponse } from './model-call.ts';

/** One answer of a model, also one that was cut or cancelled. */
export interface Spending {
  readonly usage: Usage;
  /** In US dollars; left out when a price or a count is not known. */
  readonly cost?: number;
}

export class TurnState {
  /** Batches of tools that ran, or that the provider ran before it paused. */
  iterations = 0;
  continuations = 0;
  /** The words since the last batch. */
  text = '';
  usage: Usage = noUsage;
  /** Not a number once an answer's cost was not known. */
  #cost = 0;
  /** The prompt's tokens by the last answer; zero before the first. */
  reported = 0;
  reportedSize = 0;
  /** Who answered last, in the provider's words. */
  model: string;

  constructor(model: string) {
    this.model = model;
  }

  /** In US dollars; nothing when it is not known. */
  get cost(): number | undefined {
    return Number.isNaN(this.#cost) ? undefined : this.#cost;
  }

  /** Gives what the answer used and cost. */
  addResponse({ message, target, isUnpaid }: ModelResponse, costOf: CostOf): Spending {
    const { model, usage } = message;
    const cost = isUnpaid ? 0 : costOf({ target, model, usage });
    this.usage = addUsage(this.usage, usage);
    this.#cost += cost ?? Number.NaN;
    if (model !== '') this.model = model;
    return { usage, ...(cost === undefined ? {} : { cost }) };
  }

  /** How full the context was, for an answer to the conversation as it stood. */
  measure({ message: { usage } }: ModelResponse, size: number): void {
    this.reported = usage.missing === true ? 0 : promptTokens(usage);
    this.reportedSize = size;
  }
}
