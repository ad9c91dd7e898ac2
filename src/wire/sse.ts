// Server-sent events: bytes in, events out, and the text of an event. Wires build on it; it knows none of them.
// Invariants: a cut at any byte, also inside a UTF-8 character, gives the same events; work is linear in the
// input; an event larger than the cap is an error, not memory.

import { createParser, type EventSourceMessage } from 'eventsource-parser';

import { SimpleAgentsError } from '../core/error.ts';

const maxEventCharacters = 16 * 1024 * 1024;

// The parser strips the byte-order mark itself.
const ownMark = { ignoreBOM: true };

const longChunk = 4096;
const lineFeed = 10;

/** For chunks that end between characters, as nearly all do: it keeps nothing, so all streams share it. */
const whole = new TextDecoder('utf-8', ownMark);

export class SseReader {
  /** Made when a chunk ends inside a character. A decoder for each stream would be most of an idle one's memory. */
  #split: TextDecoder | undefined;
  /** The bytes so far may have ended inside a character. */
  #isMidCharacter = false;
  readonly #parser: ReturnType<typeof createParser>;

  constructor(onEvent: (event: EventSourceMessage) => void) {
    this.#parser = createParser({
      maxBufferSize: maxEventCharacters,
      onEvent(event) {
        // Empty data says nothing: some servers send it to keep the connection alive.
        if (event.data !== '') onEvent(event);
      },
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
    const line = chunk.length > longChunk ? chunk.lastIndexOf(lineFeed) + 1 : 0;
    if (line > 0) this.#parser.feed(this.#decode(chunk.subarray(0, line)));
    // By itself: half a line that is kept as a part of a long text keeps the whole text.
    this.#parser.feed(this.#decode(chunk.subarray(line)));
  }

  /** Dispatches an event that lacks its closing blank line. */
  end(): void {
    this.#parser.feed(`${this.#split?.decode() ?? ''}\n\n`);
  }

  /** Between two ASCII bytes no character can be cut, and whole chunks decode in two thirds of a stream's time. */
  #decode(chunk: Uint8Array): string {
    const last = chunk[chunk.length - 1];
    if (last === undefined) return '';
    const wasMidCharacter = this.#isMidCharacter;
    this.#isMidCharacter = last >= 0x80;
    if (!wasMidCharacter && last < 0x80) return whole.decode(chunk);
    this.#split ??= new TextDecoder('utf-8', ownMark);
    return this.#split.decode(chunk, { stream: true });
  }
}

/** `data` must be JSON text: it has no line breaks, so one event in is one event out. */
export function encodeSse(data: string, event?: string): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}
