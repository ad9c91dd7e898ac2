// A finished answer as a library user reads it: ours, and the first lines of OpenAI's shape for code that comes
// from there.

import { MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
import { isUnpaid, type Notice, type StopReason, type StreamEvent } from '../core/event.ts';
import { textOf, toolCallsOf, type ToolCallBlock } from '../core/message.ts';
import type { CostOf, Usage } from '../core/usage.ts';

export interface Completion {
  /** The answer's words. */
  readonly text: string;
  /** The answer whole: put it into the next request's messages to go on. */
  readonly message: AssembledMessage;
  readonly toolCalls: readonly ToolCallBlock[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** In US dollars; left out when the price or the tokens are not known. */
  readonly cost?: number;
  readonly model: string;
  /** The provider that answered. */
  readonly target: string;
  /** What was lost or mended on the way. */
  readonly notices: readonly Notice[];
  readonly choices: readonly [CompletionChoice];
}

export interface CompletionChoice {
  readonly index: 0;
  readonly message: { readonly role: 'assistant'; readonly content: string };
}

export function toCompletion(message: AssembledMessage, target: string, notices: readonly Notice[]): Completion {
  const content = textOf(message.content);
  return {
    text: content,
    message,
    toolCalls: toolCallsOf(message.content),
    stopReason: message.stopReason ?? 'end',
    usage: message.usage,
    model: message.model,
    target,
    notices,
    choices: [{ index: 0, message: { role: 'assistant', content } }],
  };
}

/**
 * The answer with its cost. What was answered before is not paid for again; what a target took for the part before a cut,
 * nobody says.
 */
export function withCost(completion: Completion, costOf: CostOf): Completion {
  if (completion.notices.some(({ kind }) => kind === 'continuation')) return completion;
  const cost = completion.notices.some(isUnpaid) ? 0 : costOf(completion);
  return cost === undefined ? completion : { ...completion, cost };
}

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
