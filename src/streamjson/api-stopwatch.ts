// Measures how long an agent has waited for its model: from the start of the turn or the end of a tool until the response
// ends. Pauses between retries count, tools and permission questions do not. Only the agent itself is measured, because
// its subagents run inside a tool.

import type { AgentEvent } from '../agent/event.ts';

export class ApiStopwatch {
  readonly #now: () => number;
  #begun: number | undefined;
  #total = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  push(event: AgentEvent): void {
    if (event.type === 'turn-start' || event.type === 'tool-end') this.#begun = this.#now();
    if (event.type === 'notice' && event.kind === 'continuation') this.#begun = this.#now();
    if (event.type === 'tool-start') this.#begun = undefined;
    if (event.type === 'turn-end') this.#stop();
    if (event.type === 'model-event' && event.event.type === 'message-end') this.#stop();
  }

  /** Returns the milliseconds since it was last called. */
  take(): number {
    const total = this.#total;
    this.#total = 0;
    return total;
  }

  #stop(): void {
    if (this.#begun !== undefined) this.#total += this.#now() - this.#begun;
    this.#begun = undefined;
  }
}
