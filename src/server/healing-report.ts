// What healing changed in one answer, for the client: in headers where the answer is whole, else in a comment of the
// stream, which every reader of server-sent events skips.

import type { CallEvent } from '../core/call.ts';
import { headerText } from './refusal.ts';

export class HealingReport {
  /** Made with the first change: most answers need none. */
  #kinds: Set<string> | undefined;
  #confidence: number | undefined;

  observe(event: CallEvent): void {
    if (event.type !== 'answer-heal') return;
    for (const kind of event.kinds) (this.#kinds ??= new Set()).add(kind);
    if (event.confidence !== undefined) this.#confidence = event.confidence;
  }

  get headers(): Record<string, string> {
    if (this.#kinds === undefined) return {};
    return {
      'x-simple-agents-healed': headerText([...this.#kinds].join(', ')),
      ...(this.#confidence === undefined ? {} : { 'x-simple-agents-confidence': this.#confidence.toFixed(3) }),
    };
  }

  get comment(): string {
    const lines = Object.entries(this.headers).map(([name, value]) => `: ${name}: ${value}\n`);
    return lines.length === 0 ? '' : `${lines.join('')}\n`;
  }
}
