// Ids of tool calls as the conversation keeps them. Some servers number the calls of every answer from the start, and
// some give no id at all; a conversation with the same id twice is refused by others.

import { toolCallsOf, type Message } from '../core/message.ts';

export class CallIds {
  readonly #used = new Set<string>();

  constructor(messages: readonly Message[] = []) {
    for (const { role, content } of messages) {
      if (role === 'assistant') for (const { id } of toolCallsOf(content)) this.#used.add(plain(id));
    }
  }

  /** The id itself where it is free, else one like it. */
  take(id: string): string {
    let taken = id === '' ? 'call' : id;
    for (let number = 2; this.#used.has(plain(taken)); number += 1) taken = `${id || 'call'}_${number}`;
    this.#used.add(plain(taken));
    return taken;
  }
}

/** As wires write it that know fewer characters. */
function plain(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}
