// Reports to the client what happened to its call. Known when the response begins, and sent as headers: the dropped fields
// of the request, and whether the response comes from the cache. Known at the end: what healing changed and what the call
// cost. These are headers of a plain response. In a stream they are a comment, which event readers skip, or for clients
// that do not skip comments a member of the last event.

import type { CallEnd, CallEvent } from '../../core/call.ts';
import { omitUndefined, type JsonObject } from '../../core/json.ts';
import type { ModelStream } from '../../core/provider.ts';
import type { WireServer } from '../../wire/wire.ts';
import { toHeaderValue } from '../http/http-error.ts';

/** Clients refuse headers of more than a few kilobytes. */
const mostNamed = 40;
const longestName = 60;

export class CallReport {
  /** Created with the first change. */
  #kinds: Set<string> | undefined;
  #confidence: number | undefined;
  #cache: 'hit' | 'miss' | 'shared' | undefined;
  /** For the last target that was called. */
  #dropped: readonly string[] = [];
  #end: CallEnd | undefined;
  #target = '';

  /** Not every provider reports its attempts. */
  begin({ target }: Pick<ModelStream, 'target'>): void {
    if (this.#target === '') this.#target = target;
  }

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
        this.#target = event.target;
        break;
      case 'field-drop':
        this.#dropped = [...new Set([...this.#dropped, ...event.fields])];
        break;
      case 'cache-hit':
        this.#cache = 'hit';
        this.#target = event.answeredBy ?? '';
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

  /** Adds what is known when the response begins. Fields are named as in the client's wire. */
  addInitialHeaders(headers: Record<string, string>, { fieldNames }: Pick<WireServer, 'fieldNames'>): void {
    const dropped = this.#dropped
      .slice(0, mostNamed)
      .map((field) => (fieldNames[field] ?? field).slice(0, longestName));
    const more = this.#dropped.length > mostNamed ? [`and ${this.#dropped.length - mostNamed} more`] : [];
    if (dropped.length > 0) headers['x-simple-agents-dropped'] = toHeaderValue([...dropped, ...more].join(', '));
    if (this.#cache !== undefined) headers['x-simple-agents-cache'] = this.#cache;
  }

  /** Adds what healing changed, for a plain response. */
  addHealing(headers: Record<string, string>): void {
    if (this.#kinds === undefined) return;
    headers['x-simple-agents-healed'] = toHeaderValue([...this.#kinds].join(', '));
    if (this.#confidence !== undefined) headers['x-simple-agents-confidence'] = this.#confidence.toFixed(3);
  }

  /** The target that was called last, or that created a cached response: `provider/model`. Empty before the call. */
  get target(): string {
    return this.#target;
  }

  /** Whether the call has ended. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** In US dollars, once the call has ended. Undefined if the price or the token counts are unknown. */
  get cost(): number | undefined {
    return this.#end?.shared ? 0 : this.#end?.cost;
  }

  addCost(headers: Record<string, string>): void {
    const { cost } = this;
    if (cost !== undefined) headers['x-simple-agents-cost'] = decimal(cost);
  }

  /** The member of the last event of a stream, for wires that have one. Undefined if there is nothing to report. */
  get members(): JsonObject | undefined {
    const healed = this.#kinds && [...this.#kinds];
    const members = omitUndefined({ cost: this.cost, healed, confidence: healed && this.#confidence });
    return Object.keys(members).length === 0 ? undefined : members;
  }

  /** The comment before the end of a stream. `withCost`: the stream does not include the cost itself. */
  comment(withCost: boolean): string {
    const headers: Record<string, string> = {};
    this.addHealing(headers);
    if (withCost) this.addCost(headers);
    const lines = Object.entries(headers).map(([name, value]) => `: ${name}: ${value}\n`);
    return lines.length === 0 ? '' : `${lines.join('')}\n`;
  }
}

/** Without an exponent and trailing zeros. A token may cost a fraction of a millionth of a dollar. */
function decimal(value: number): string {
  const digits = value.toFixed(12);
  return digits.replace(/\.?0+$/, '');
}
