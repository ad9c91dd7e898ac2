// Where the user's turns come from. A chat asks for one at a time and cannot tell a keyboard from a pipe.

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Prompter {
  /** What the user says next; nothing when they leave. */
  ask(): Promise<string | undefined>;
  /** Runs what Ctrl-C shall stop without ending the chat. */
  whileAnswering<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

/** Each line is a turn; empty ones are none. */
export function createPipedPrompter(input: Readable, signal: AbortSignal): Prompter {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY, signal });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask() {
      const draft = new MessageDraft();
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        const message = draft.push(next.value);
        if (message !== undefined && message !== '') return message;
      }
      return draft.rest;
    },
    whileAnswering: (work) => work(signal),
    close: () => {
      reader.close();
      input.destroy();
    },
  };
}

/** Whether the message goes on in the next line. */
export function continues(line: string): boolean {
  return line.endsWith('\\');
}

/** Lines until one that does not end with a backslash. */
export class MessageDraft {
  #lines: string[] = [];

  /** The whole message, once it is whole. */
  push(line: string): string | undefined {
    const isOpen = continues(line);
    this.#lines.push(isOpen ? line.slice(0, -1) : line);
    if (isOpen) return undefined;
    const message = this.#lines.join('\n').trim();
    this.#lines = [];
    return message;
  }

  get isBegun(): boolean {
    return this.#lines.length > 0;
  }

  /** What was begun and never ended. */
  get rest(): string | undefined {
    return this.#lines.join('\n').trim() || undefined;
  }
}
