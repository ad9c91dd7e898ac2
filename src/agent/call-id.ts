// Unique tool call ids within a conversation and those of its subagents. Some servers restart their numbering with every response or send no id at
// all, and other servers reject a conversation in which an id occurs twice.

import type { StreamEvent } from '../core/event.ts';
import { toolCallsOf, type Message } from '../core/message.ts';

export class CallIds {
  readonly #used: Set<string>;

  /** `used`: ids of other conversations. The ids of the messages, and those that are taken, are added to it. */
  constructor(messages: readonly Message[] = [], used = new Set<string>()) {
    this.#used = used;
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

/** The ids of the calls of one response. Events and conversation have the same id for a call, also after a restart. */
export class ResponseCallIds {
  readonly #ids: CallIds;
  /** By the model's own id. */
  readonly #taken = new Map<string, string>();

  constructor(ids: CallIds) {
    this.#ids = ids;
  }

  take(id: string): string {
    const taken = this.#taken.get(id) ?? this.#ids.take(id);
    // Calls without an id cannot be recognised again.
    if (id !== '') this.#taken.set(id, taken);
    return taken;
  }

  /** The event with the id that the call has in the conversation. */
  rename(event: StreamEvent): StreamEvent {
    if (event.type === 'tool-call-start' && event.id !== '') return { ...event, id: this.take(event.id) };
    if (event.type !== 'block-end' || event.block.type !== 'tool-call' || event.block.id === '') return event;
    return { ...event, block: { ...event.block, id: this.take(event.block.id) } };
  }
}

/** As wires with a smaller character set write it. */
function plain(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}
