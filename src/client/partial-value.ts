// The typed value of a response while its text arrives. Text is parsed only when the value is read, so a caller that needs
// only the final value does not pay for partial ones.

import type { StreamEvent } from '../core/event.ts';
import { HealError, healStream, type HealStream, type HealStreamOptions, type SchemaInput } from '../heal/index.ts';

export class PartialValue {
  readonly #stream: HealStream;
  /** Blocks whose text came in deltas; the text of others comes with their end. */
  readonly #streamed = new Set<number>();
  #unread = '';
  #broken = false;

  constructor(schema: SchemaInput, options: HealStreamOptions) {
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

  /** Parses the text since the last call. Returns true if the value has changed. */
  update(): boolean {
    const chunk = this.#unread;
    this.#unread = '';
    if (chunk === '' || this.#broken) return false;
    try {
      return this.#stream.push(chunk).length > 0;
    } catch (error) {
      // The error is reported at the end of the response.
      if (!(error instanceof HealError)) throw error;
      this.#broken = true;
      return false;
    }
  }

  /** A copy of the value; `undefined` while there is none. */
  snapshot(): unknown {
    return this.#stream.snapshot();
  }
}
