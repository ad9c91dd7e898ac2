// Server-sent events: bytes in, events out, and the text of an event. Wires build on it; it knows none of them.
// Invariants: a cut at any byte, also inside a UTF-8 character, gives the same events; work is linear in the
// input; an event larger than the cap is an error, not memory.

import { createParser, type EventSourceMessage } from 'eventsource-parser';

import { SimpleAgentsError } from '../core/error.ts';

const maxEventCharacters = 16 * 1024 * 1024;

export class SseReader {
  // The parser strips the byte-order mark itself.
  readonly #text = new TextDecoder('utf-8', { ignoreBOM: true });
  /** The bytes so far may have ended inside a character. */
  #isMidCharacter = false;
  readonly #parser: ReturnType<typeof createParser>;

  constructor(onEvent: (event: EventSourceMessage) => void) {
    this.#parser = createParser({
      maxBufferSize: maxEventCharacters,
      onEvent,
      onError(error) {
        if (error.type !== 'max-buffer-size-exceeded') return;
        throw new SimpleAgentsError(
          'bad-response',
          `one event of the stream is larger than ${maxEventCharacters} characters`,
        );
      },
    });
  }

  /** Throws when an event is too large. */
  push(chunk: Uint8Array): void {
    this.#parser.feed(this.#decode(chunk));
  }

  /** Dispatches an event that lacks its closing blank line. */
  end(): void {
    this.#parser.feed(`${this.#text.decode()}\n\n`);
  }

  /** Between two ASCII bytes no character can be cut, and whole chunks decode in two thirds of a stream's time. */
  #decode(chunk: Uint8Array): string {
    const last = chunk[chunk.length - 1];
    if (last === undefined) return '';
    const wasMidCharacter = this.#isMidCharacter;
    this.#isMidCharacter = last >= 0x80;
    return wasMidCharacter || last >= 0x80 ? this.#text.decode(chunk, { stream: true }) : this.#text.decode(chunk);
  }
}

/** `data` must be JSON text: it has no line breaks, so one event in is one event out. */
export function encodeSse(data: string, event?: string): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}
