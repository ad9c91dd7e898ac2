// Counts what a run or a session has used: tokens, cost, tool calls.

import type { AgentEvent } from '../agent/event.ts';
import type { Spending } from '../agent/turn-state.ts';
import { addUsage, noUsage, type Usage } from '../core/usage.ts';

export interface ToolCount {
  readonly calls: number;
  readonly errors: number;
}

/** What one model has used. */
export interface ModelTally {
  readonly usage: Usage;
  /** In US dollars. Undefined if a price is not known. */
  readonly cost?: number;
}

export class UsageTally {
  usage: Usage = noUsage;
  /** Milliseconds. */
  duration = 0;
  turns = 0;
  readonly #tools = new Map<string, ToolCount>();
  readonly #models = new Map<string, ModelTally>();
  #responses = 0;
  #cost = 0;
  #isCostKnown = true;

  /** Tool calls of subagents count too, their turns do not. */
  count(event: AgentEvent): void {
    if (event.type === 'subagent-event' && event.event.type === 'tool-end') return this.count(event.event);
    if (event.type === 'tool-end') this.#countTool(event.name, event.result.isError === true);
    if (event.type !== 'turn-end') return;
    this.turns += 1;
    this.duration += event.duration;
  }

  /** Counts a model response, in a turn or outside one. */
  spend({ model, usage, cost }: Spending): void {
    this.#spendOn(model, usage, usage.missing === true ? 0 : cost);
    this.#responses += 1;
    this.usage = addUsage(this.usage, usage);
    if (cost === undefined && usage.missing !== true) this.#isCostKnown = false;
    this.#cost += cost ?? 0;
  }

  /** Whether there was no response yet. */
  get isEmpty(): boolean {
    return this.#responses === 0;
  }

  /** In US dollars. Undefined if a price is not known. */
  get cost(): number | undefined {
    return this.#isCostKnown ? this.#cost : undefined;
  }

  get tools(): Readonly<Record<string, ToolCount>> {
    return Object.fromEntries(this.#tools);
  }

  /** By the provider's name of the model. */
  get models(): ReadonlyMap<string, ModelTally> {
    return this.#models;
  }

  get toolCalls(): number {
    let calls = 0;
    for (const count of this.#tools.values()) calls += count.calls;
    return calls;
  }

  #spendOn(model: string, usage: Usage, cost: number | undefined): void {
    const before = this.#models.get(model) ?? { usage: noUsage, cost: 0 };
    const isKnown = before.cost !== undefined && cost !== undefined;
    const total = { usage: addUsage(before.usage, usage), ...(isKnown ? { cost: before.cost + cost } : {}) };
    this.#models.set(model, total);
  }

  #countTool(name: string, isError: boolean): void {
    const { calls, errors } = this.#tools.get(name) ?? { calls: 0, errors: 0 };
    this.#tools.set(name, { calls: calls + 1, errors: errors + (isError ? 1 : 0) });
  }
}
