// The messages of a chat. A user message is added together with its response, so roles always alternate, and a failed call
// leaves no trace.

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

  /** The messages of a request with this question. */
  asking(question: string): Message[] {
    return [...this.#messages, { role: 'user', content: [text(question)] }];
  }

  /** Drops a turn with an empty response, because providers reject empty messages. */
  record(question: string, response: AssembledMessage): void {
    // A chat has no tools, so a tool call could never get a result.
    const content = response.content.filter(({ type }) => type !== 'tool-call');
    if (content.length > 0) this.#messages = [...this.asking(question), { role: 'assistant', content }];
  }

  /** Keeps only the text of a stopped response: reasoning without its signature must not be sent back. */
  recordPartial(question: string, response: AssembledMessage): void {
    this.record(question, { ...response, content: response.content.filter(isText) });
  }

  clear(): void {
    this.#messages = [];
  }
}

function isText(block: Block): boolean {
  return block.type === 'text';
}
