// Unique tool call ids within a conversation. Some servers restart their numbering with every response or send no id at
// all, and other servers reject a conversation in which an id occurs twice.

import { toolCallsOf, type Message } from '../core/message.ts';

export class CallIds {
  readonly #used = new Set<string>();

  constructor(messages: readonly Message[] = []) {
    for (const { role, content } of messages) {
      if (role === 'assistant') for (const { id } of toolCallsOf(content)) this.#used.add(plain(id));
    }
  }

  /** The id itself if it is unused, else the id with a number appended. */
  take(id: string): string {
    let taken = id === '' ? 'call' : id;
    for (let number = 2; this.#used.has(plain(taken)); number += 1) taken = `${id || 'call'}_${number}`;
    this.#used.add(plain(taken));
    return taken;
  }
}

/** As wires with a smaller character set write it. */
function plain(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}
