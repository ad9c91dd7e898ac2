// What became of one call, for the client. Whether the answer was kept is known at its beginning and is a header; what
// healing changed is one where the answer is whole, else a comment of the stream, which every reader of events skips.

import type { CallEvent } from '../core/call.ts';
import { headerText } from './refusal.ts';

export class CallReport {
  /** Made with the first change: most answers need none. */
  #kinds: Set<string> | undefined;
  #confidence: number | undefined;
  #cache: 'hit' | 'miss' | 'shared' | undefined;

  observe(event: CallEvent): void {
    switch (event.type) {
      case 'answer-heal':
        for (const kind of event.kinds) (this.#kinds ??= new Set()).add(kind);
        if (event.confidence !== undefined) this.#confidence = event.confidence;
        break;
      case 'cache-hit':
        this.#cache = 'hit';
        break;
      case 'cache-miss':
        this.#cache = 'miss';
        break;
      case 'call-join':
        this.#cache = 'shared';
        break;
      default:
    }
  }

  /** The headers of an answer that begins. */
  addOpening(headers: Record<string, string>): void {
    if (this.#cache !== undefined) headers['x-simple-agents-cache'] = this.#cache;
  }

  /** Those of an answer that is whole. */
  addHealing(headers: Record<string, string>): void {
    if (this.#kinds === undefined) return;
    headers['x-simple-agents-healed'] = headerText([...this.#kinds].join(', '));
    if (this.#confidence !== undefined) headers['x-simple-agents-confidence'] = this.#confidence.toFixed(3);
  }

  get comment(): string {
    const headers: Record<string, string> = {};
    this.addHealing(headers);
    const lines = Object.entries(headers).map(([name, value]) => `: ${name}: ${value}\n`);
    return lines.length === 0 ? '' : `${lines.join('')}\n`;
  }
}
