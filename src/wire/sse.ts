// Reads and writes server-sent events. Wires build on it; it does not depend on any wire.
// Invariants:
//   1. Cutting the input at any byte, also inside a UTF-8 character, gives the same events.
//   2. Work is linear in the input.
//   3. An event larger than the limit is an error. It is not buffered.

import { createParser, type EventSourceMessage } from 'eventsource-parser';

import { SimpleAgentsError } from '../core/error.ts';

const maxEventCharacters = 16 * 1024 * 1024;

// The parser removes the byte-order mark itself.
const keepMark = { ignoreBOM: true };

const longChunk = 4096;
const lineFeed = 10;

/** For chunks that end between characters. It has no state between chunks, so all streams share it. */
const sharedDecoder = new TextDecoder('utf-8', keepMark);

const dataPrefix = 'data: ';

type Parser = ReturnType<typeof createParser>;

export interface SseHandlers {
  readonly onEvent: (event: EventSourceMessage) => void;
  /** A line that is neither a field nor a comment. Unknown fields are ignored, as the specification demands. */
  readonly onMalformedLine?: ((line: string) => void) | undefined;
}

const fieldName = /^[\w-]+$/;

function parserOf({ onEvent, onMalformedLine }: SseHandlers): Parser {
  return createParser({
    maxBufferSize: maxEventCharacters,
    onEvent(event) {
      // Some servers send empty data to keep the connection alive.
      if (event.data !== '') onEvent(event);
    },
    onError(error) {
      if (error.type === 'unknown-field' && !fieldName.test(error.field ?? '')) onMalformedLine?.(error.line ?? '');
      if (error.type !== 'max-buffer-size-exceeded') return;
      throw new SimpleAgentsError(
        'bad-response',
        `an event of the stream is larger than ${maxEventCharacters} characters`,
      );
    },
  });
}

export class SseReader {
  /** Created when a chunk ends inside a character, because a decoder takes most of the memory of an idle stream. */
  #split: TextDecoder | undefined;
  /** Whether the bytes so far may end inside a character. */
  #isMidCharacter = false;
  /** Created for the first event that `#readPlain` does not handle, also to save the memory of idle streams. */
  #parser: Parser | undefined;
  /** Whether the input so far ends between events. */
  #isBetween = true;
  #hasRead = false;
  readonly #handlers: SseHandlers;

  constructor(handlers: SseHandlers) {
    this.#handlers = handlers;
  }

  /** Throws when an event is too large. */
  push(chunk: Uint8Array): void {
    const line = chunk.length > longChunk ? chunk.lastIndexOf(lineFeed) + 1 : 0;
    if (line > 0) this.#read(this.#decode(chunk.subarray(0, line)));
    // Decoded separately, because a substring of a long text keeps the whole text in memory.
    this.#read(this.#decode(chunk.subarray(line)));
  }

  /** Dispatches an event that lacks its closing blank line. */
  end(): void {
    const rest = this.#split?.decode() ?? '';
    if (rest !== '' || !this.#isBetween) this.#read(`${rest}\n\n`);
  }

  #read(text: string): void {
    if (text === '') return;
    const at = this.#isBetween ? this.#readPlain(text) : 0;
    this.#hasRead ||= at > 0;
    if (at < text.length) this.#parse(text.slice(at));
    this.#isBetween = text.endsWith('\n\n');
  }

  #parse(text: string): void {
    if (this.#parser === undefined) {
      this.#parser = parserOf(this.#handlers);
      // So that the parser does not remove a byte-order mark in the middle of the stream.
      if (this.#hasRead) this.#parser.feed('\n');
    }
    this.#parser.feed(text);
  }

  /** Reads events that consist of one `data:` line. Returns the offset of the first event of another form. */
  #readPlain(text: string): number {
    if (text.includes('\r')) return 0;
    let at = 0;
    while (text.startsWith(dataPrefix, at)) {
      const end = text.indexOf('\n', at);
      if (end === -1 || text[end + 1] !== '\n') break;
      const data = text.slice(at + dataPrefix.length, end);
      at = end + 2;
      if (data !== '') this.#handlers.onEvent({ id: undefined, event: undefined, data });
    }
    return at;
  }

  /** A chunk that ends with an ASCII byte ends between characters, so the faster shared decoder can be used. */
  #decode(chunk: Uint8Array): string {
    const last = chunk[chunk.length - 1];
    if (last === undefined) return '';
    const wasMidCharacter = this.#isMidCharacter;
    this.#isMidCharacter = last >= 0x80;
    if (!wasMidCharacter && last < 0x80) return sharedDecoder.decode(chunk);
    this.#split ??= new TextDecoder('utf-8', keepMark);
    return this.#split.decode(chunk, { stream: true });
  }
}

/** `data` must be JSON text without line breaks. */
export function encodeSse(data: string, event?: string): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}
