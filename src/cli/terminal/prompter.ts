// The source of the user's messages. A chat asks for one at a time and does not know whether they come from a keyboard or
// a pipe.

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Prompter {
  /** The user's next message; undefined when the user exits. */
  ask(): Promise<string | undefined>;
  /** Runs work that Ctrl-C stops without ending the chat. */
  whileAnswering<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  close(): void;
}

/** Each line is a message; empty lines are skipped. */
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

/** Whether the message continues on the next line. */
export function continues(line: string): boolean {
  return line.endsWith('\\');
}

/** Collects lines until one that does not end with a backslash. */
export class MessageDraft {
  #lines: string[] = [];

  /** Returns the message once it is complete. */
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

  /** The text of an incomplete message. */
  get rest(): string | undefined {
    return this.#lines.join('\n').trim() || undefined;
  }
}
