// The running state of one turn: iterations, usage, cost, and how full the context is.

import { addUsage, noUsage, promptTokens, type CostOf, type Usage } from '../core/usage.ts';
import type { ModelResponse } from './model-call.ts';

/** Usage and cost of one model response, including truncated and cancelled ones. */
export interface Spending {
  /** The provider's name for the model that responded; empty if unknown. */
  readonly model: string;
  readonly usage: Usage;
  /** In US dollars. Undefined if a price or a token count is not known. */
  readonly cost?: number;
}

export class TurnState {
  /** Batches of tool calls that ran, here or at the provider before it paused. */
  iterations = 0;
  continuations = 0;
  /** Responses in the conversation. */
  responses = 0;
  /** The text since the last batch. */
  text = '';
  usage: Usage = noUsage;
  /** NaN once the cost of a response was not known. */
  #cost = 0;
  /** The prompt tokens of the last response; 0 before the first. */
  reported = 0;
  reportedSize = 0;
  /** The model of the last response, by the provider's name for it. */
  model: string;

  constructor(model: string) {
    this.model = model;
  }

  /** In US dollars. Undefined if not known. */
  get cost(): number | undefined {
    return Number.isNaN(this.#cost) ? undefined : this.#cost;
  }

  /** Adds the usage and cost of a response, and returns them. */
  addResponse({ message, target, isUnpaid }: ModelResponse, costOf: CostOf): Spending {
    const { model, usage } = message;
    const cost = isUnpaid ? 0 : costOf({ target, model, usage });
    const spending = { model, usage, ...(cost === undefined ? {} : { cost }) };
    this.add(spending);
    if (model !== '') this.model = model;
    return spending;
  }

  /** Adds what a tool spent. */
  add({ usage, cost }: Spending): void {
    this.usage = addUsage(this.usage, usage);
    this.#cost += cost ?? Number.NaN;
  }

  /** Records how full the context was for a response to the conversation of this size. */
  measure({ message: { usage } }: ModelResponse, size: number): void {
    this.responses += 1;
    this.reported = usage.missing === true ? 0 : promptTokens(usage);
    this.reportedSize = size;
  }
}
