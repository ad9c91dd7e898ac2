// The complete response of a client, and the builder that makes it from events. It also has the first fields of OpenAI's
// shape, for code that was written for it.

import { MessageAssembler, type AssembledMessage } from '../core/assembler.ts';
import { isUnpaid, type Notice, type StopReason, type StreamEvent } from '../core/event.ts';
import { textOf, toolCallsOf, type ToolCallBlock } from '../core/message.ts';
import type { CostOf, Usage } from '../core/usage.ts';

export interface Completion {
  /** The text of the response. */
  readonly text: string;
  /** The complete message. Append it to the next request's messages to continue the conversation. */
  readonly message: AssembledMessage;
  readonly toolCalls: readonly ToolCallBlock[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** In US dollars; absent if the price or the token count is unknown. */
  readonly cost?: number;
  readonly model: string;
  /** The provider that responded. */
  readonly target: string;
  /** What was lost or corrected on the way. */
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
 * Adds the cost. A cached or shared response costs nothing. After a continuation the cost is unknown, because the first
 * target does not report what the part before the cut cost.
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

  /** The message so far, also after a failure. */
  get message(): AssembledMessage {
    return this.#assembler.message();
  }

  /** Returns the completion with the last event. */
  take(event: StreamEvent, target: string): Completion | undefined {
    this.#assembler.push(event);
    if (event.type === 'notice') this.#notices.push(event);
    if (event.type !== 'message-end') return undefined;
    return withCost(toCompletion(this.message, target, [...this.#notices]), this.#costOf);
  }
}
