// What a wire could not say of a request, collected while encoding: a loss is told, never silent.

import type { ChatRequest } from '../core/request.ts';

export class Losses {
  readonly list: string[] = [];

  add(sentence: string): void {
    if (!this.list.includes(sentence)) this.list.push(sentence);
  }

  /** For an encoder that returns a list: notes the loss and gives the empty list. */
  leaveOut(what: string): [] {
    this.add(`${what} was left out`);
    return [];
  }

  /** Members of `extra` meant for another wire. */
  addExtras(request: ChatRequest, wire: string): void {
    for (const [other, members] of Object.entries(request.extra ?? {})) {
      if (other === wire) continue;
      for (const key of Object.keys(members)) this.add(`${key} is a field of ${other} only`);
    }
  }
}
