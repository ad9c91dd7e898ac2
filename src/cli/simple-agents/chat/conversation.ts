// What has been said so far. A turn enters only once it has an answer, so the list always alternates and a failed
// or cancelled question leaves no trace.

import type { AssembledMessage } from '../../../core/assembler.ts';
import { text, type Block, type Message } from '../../../core/message.ts';

export class Conversation {
  system: string | undefined;
  #messages: Message[] = [];

  constructor(system?: string) {
    this.system = system;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** The messages of a request that asks this next. */
  asking(question: string): Message[] {
    return [...this.#messages, { role: 'user', content: [text(question)] }];
  }

  /** Nothing is kept of a turn whose answer is empty: providers refuse empty messages. */
  record(question: string, answer: AssembledMessage): void {
    // No tool is offered here; a call that came anyway could never be answered.
    const content = answer.content.filter(({ type }) => type !== 'tool-call');
    if (content.length > 0) this.#messages = [...this.asking(question), { role: 'assistant', content }];
  }

  /** Of an answer that was stopped only its words: a thought without its signature may not be sent back. */
  recordPartial(question: string, answer: AssembledMessage): void {
    this.record(question, { ...answer, content: answer.content.filter(isText) });
  }

  clear(): void {
    this.#messages = [];
  }
}

function isText(block: Block): boolean {
  return block.type === 'text';
}
