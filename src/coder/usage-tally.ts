// Counts what a run or a session has used: tokens, cost, tool calls.

import type { AgentEvent } from '../agent/event.ts';
import type { Spending } from '../agent/turn-state.ts';
import { addUsage, noUsage, type Usage } from '../core/usage.ts';

export interface ToolCount {
  readonly calls: number;
  readonly errors: number;
}

export class UsageTally {
  usage: Usage = noUsage;
  /** Milliseconds. */
  duration = 0;
  turns = 0;
  readonly #tools = new Map<string, ToolCount>();
  #responses = 0;
  #cost = 0;
  #isCostKnown = true;

  count(event: AgentEvent): void {
    if (event.type === 'tool-end') this.#countTool(event.name, event.result.isError === true);
    if (event.type !== 'turn-end') return;
    this.turns += 1;
    this.duration += event.duration;
  }

  /** Counts a model response, in a turn or outside one. */
  spend({ usage, cost }: Spending): void {
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

  get toolCalls(): number {
    let calls = 0;
    for (const count of this.#tools.values()) calls += count.calls;
    return calls;
  }

  #countTool(name: string, isError: boolean): void {
    const { calls, errors } = this.#tools.get(name) ?? { calls: 0, errors: 0 };
    this.#tools.set(name, { calls: calls + 1, errors: errors + (isError ? 1 : 0) });
  }
}
