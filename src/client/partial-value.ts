// The value of an answer while its text still comes. It reads only when someone looks, so that whoever wants just the
// end pays nothing for the way there.

import type { StreamEvent } from '../core/event.ts';
import { HealError, healStream, type HealOptions, type HealStream, type SchemaInput } from '../heal/index.ts';

export class PartialValue {
  readonly #stream: HealStream;
  /** Blocks whose words came in pieces; others come whole at their end. */
  readonly #streamed = new Set<number>();
  #unread = '';
  #broken = false;

  constructor(schema: SchemaInput, options: HealOptions) {
    this.#stream = healStream(schema, options);
  }

  push(event: StreamEvent): void {
    if (event.type === 'text-delta') {
      this.#streamed.add(event.index);
      this.#unread += event.text;
    } else if (event.type === 'block-end' && event.block.type === 'text' && !this.#streamed.has(event.index)) {
      this.#unread += event.block.text;
    }
  }

  /** Reads what has come since. True when the value is another now. */
  update(): boolean {
    const chunk = this.#unread;
    this.#unread = '';
    if (chunk === '' || this.#broken) return false;
    try {
      return this.#stream.push(chunk).length > 0;
    } catch (error) {
      // The end of the answer tells what is wrong with it.
      if (!(error instanceof HealError)) throw error;
      this.#broken = true;
      return false;
    }
  }

  /** A copy that will not change; `undefined` while there is nothing to show. */
  snapshot(): unknown {
    return this.#stream.snapshot();
  }
}
