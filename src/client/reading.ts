// One answer being read: each event taken in as it comes, and with the last one the whole. The one place where a
// client makes a completion of events.

import { MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
import type { Notice, StreamEvent } from '../core/event.ts';
import type { CostOf } from '../core/usage.ts';
import { toCompletion, withCost, type Completion } from './completion.ts';

export class CompletionBuilder {
  readonly #assembler = new MessageAssembler();
  readonly #notices: Notice[] = [];
  readonly #costOf: CostOf;

  constructor(costOf: CostOf = () => undefined) {
    this.#costOf = costOf;
  }

  /** What has arrived so far, also after a failure. */
  get message(): AssembledMessage {
    return this.#assembler.message();
  }

  /** Gives the whole when the event is the answer's last. */
  take(event: StreamEvent, target: string): Completion | undefined {
    this.#assembler.push(event);
    if (event.type === 'notice') this.#notices.push(event);
    if (event.type !== 'message-end') return undefined;
    return withCost(toCompletion(this.message, target, [...this.#notices]), this.#costOf);
  }
}
