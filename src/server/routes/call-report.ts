// What became of one call, for the client. What is known when the response begins is a header: which fields of the request
// were dropped, whether the response comes from the cache. What healing changed and what the call cost is a header of a
// whole response, and in a stream a comment, which every reader of events skips.

import type { CallEnd, CallEvent } from '../../core/call.ts';
import type { WireServer } from '../../wire/wire.ts';
import { toHeaderValue } from '../http/http-error.ts';

export class CallReport {
  /** Made with the first change: most answers need none. */
  #kinds: Set<string> | undefined;
  #confidence: number | undefined;
  #cache: 'hit' | 'miss' | 'shared' | undefined;
  /** Of the last target that was asked. */
  #dropped: readonly string[] = [];
  #end: CallEnd | undefined;

  observe(event: CallEvent): void {
    switch (event.type) {
      case 'answer-heal':
        for (const kind of event.kinds) (this.#kinds ??= new Set()).add(kind);
        if (event.confidence !== undefined) this.#confidence = event.confidence;
        break;
      case 'call-end':
        this.#end = event;
        break;
      case 'attempt-start':
        this.#dropped = [];
        break;
      case 'field-drop':
        this.#dropped = event.fields;
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

  /** The headers of an answer that begins; fields are called as the client's wire does. */
  addOpening(headers: Record<string, string>, { fieldNames }: Pick<WireServer, 'fieldNames'>): void {
    const dropped = this.#dropped.map((field) => fieldNames[field] ?? field);
    if (dropped.length > 0) headers['x-simple-agents-dropped'] = toHeaderValue(dropped.join(', '));
    if (this.#cache !== undefined) headers['x-simple-agents-cache'] = this.#cache;
  }

  /** Those of an answer that is whole. */
  addHealing(headers: Record<string, string>): void {
    if (this.#kinds === undefined) return;
    headers['x-simple-agents-healed'] = toHeaderValue([...this.#kinds].join(', '));
    if (this.#confidence !== undefined) headers['x-simple-agents-confidence'] = this.#confidence.toFixed(3);
  }

  /** It is known how the call ended. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** In US dollars, once the call has ended; nothing where the price or the tokens are not known. */
  get cost(): number | undefined {
    return this.#end?.shared ? 0 : this.#end?.cost;
  }

  addCost(headers: Record<string, string>): void {
    const { cost } = this;
    if (cost !== undefined) headers['x-simple-agents-cost'] = decimal(cost);
  }

  /** For a stream, before its end. `withCost`: the stream does not tell the cost by itself. */
  comment(withCost: boolean): string {
    const headers: Record<string, string> = {};
    this.addHealing(headers);
    if (withCost) this.addCost(headers);
    const lines = Object.entries(headers).map(([name, value]) => `: ${name}: ${value}\n`);
    return lines.length === 0 ? '' : `${lines.join('')}\n`;
  }
}

/** Without an exponent, and with no more digits than it has: a token may cost a fraction of a millionth of a dollar. */
function decimal(value: number): string {
  const digits = value.toFixed(12);
  return digits.replace(/\.?0+$/, '');
}
