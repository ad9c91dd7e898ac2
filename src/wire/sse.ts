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

const plain = 'data: ';

type Parser = ReturnType<typeof createParser>;

export interface SseHandlers {
  readonly onEvent: (event: EventSourceMessage) => void;
  /** A line that is no field of an event and no comment. Fields of other names are ignored, as the format wants it. */
  readonly onMalformedLine?: ((line: string) => void) | undefined;
}

const fieldName = /^[\w-]+$/;

function parserOf({ onEvent, onMalformedLine }: SseHandlers): Parser {
  return createParser({
    maxBufferSize: maxEventCharacters,
    onEvent(event) {
      // Empty data says nothing: some servers send it to keep the connection alive.
      if (event.data !== '') onEvent(event);
    },
    onError(error) {
      if (error.type === 'unknown-field' && !fieldName.test(error.field ?? '')) onMalformedLine?.(error.line ?? '');
      if (error.type !== 'max-buffer-size-exceeded') return;
      throw new SimpleAgentsError(
        'bad-response',
        `one event of the stream is larger than ${maxEventCharacters} characters`,
      );
    },
  });
}

export class SseReader {
  /** Made when a chunk ends inside a character. A decoder for each stream would be most of an idle one's memory. */
  #split: TextDecoder | undefined;
  /** The bytes so far may have ended inside a character. */
  #isMidCharacter = false;
  /** Made when there is something to read that is not plain: it, too, would be a good part of an idle stream's memory. */
  #parser: Parser | undefined;
  /** Nothing is begun: what came so far, if anything did, ended with a blank line. */
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
    // By itself: half a line that is kept as a part of a long text keeps the whole text.
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
      // So that it takes no mark for that of the stream's beginning.
      if (this.#hasRead) this.#parser.feed('\n');
    }
    this.#parser.feed(text);
  }

  /** Events of one line of data, as nearly all are where the wire has no names for them; gives where others begin. */
  #readPlain(text: string): number {
    if (text.includes('\r')) return 0;
    let at = 0;
    while (text.startsWith(plain, at)) {
      const end = text.indexOf('\n', at);
      if (end === -1 || text[end + 1] !== '\n') break;
      const data = text.slice(at + plain.length, end);
      at = end + 2;
      if (data !== '') this.#handlers.onEvent({ id: undefined, event: undefined, data });
    }
    return at;
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
