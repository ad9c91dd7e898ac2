// What a wire could not say of a request, collected while encoding. Every loss is a sentence for the caller; a loss that
// may change the answer also has the name of its field, for the client.

import type { WireExtra } from '../core/message.ts';
import type { ChatRequest } from '../core/request.ts';
import { isCarried, ruleOf } from './request-fields.ts';

export class Losses {
  readonly list: string[] = [];
  /** Fields that tune the answer and were left out or changed: a member of the hub's request, or a field of a wire. */
  readonly dropped: string[] = [];

  add(sentence: string): void {
    if (!this.list.includes(sentence)) this.list.push(sentence);
  }

  /** For an encoder that returns a list: notes the loss and gives the empty list. */
  omit(what: string): [] {
    this.add(`${what} was left out`);
    return [];
  }

  drop(field: string, sentence: string): void {
    this.add(sentence);
    if (!this.dropped.includes(field)) this.dropped.push(field);
  }

  /** Members of `extra` meant for another wire. */
  addExtras({ extra = {} }: ChatRequest, wire: string): void {
    for (const [other, members] of Object.entries(extra)) {
      if (other === wire) continue;
      for (const [field, value] of Object.entries(members)) this.#addExtra(field, other, value);
    }
  }

  /** The members of a part that belong to this wire; those of another are left out. */
  takeExtra(extra: WireExtra | undefined, wire: string): Readonly<Record<string, unknown>> | undefined {
    if (extra === undefined || extra.wire === wire) return extra?.members;
    for (const [field, value] of Object.entries(extra.members)) {
      if (value !== undefined && value !== null) this.drop(field, `${field} is a field of ${extra.wire} only`);
    }
    return undefined;
  }

  #addExtra(field: string, wire: string, value: unknown): void {
    const rule = ruleOf(wire, field, value);
    if (rule === undefined) return;
    if (isCarried(wire, field)) return;
    const sentence = `${field} is a field of ${wire} only`;
    if (rule.class !== 'ignored') this.drop(field, sentence);
    else this.add(sentence);
  }
}
