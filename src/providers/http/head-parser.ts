// Reads the head of an answer, or the trailer of a chunked one, as its bytes come. Knows nothing of bodies and sockets.
// Invariants:
//   1. However the bytes are cut, the result is the same, and a line is judged as soon as it has ended.
//   2. Refused: bare LF, folded lines, blanks before a colon, control characters, names that are no token, tabs beside
//      what says where a body ends, versions other than 1.0 and 1.1, interim answers in 1.0, a switch of protocols
//      nobody asked for.
//   3. Bounded in bytes and lines, those of interim answers (1xx, which are skipped) included.

import { notHttp } from './failure.ts';

export interface AnswerHead {
  readonly status: number;
  /** Of the version: 0 or 1. */
  readonly minor: number;
  /** Without a prototype: a server may call a header `constructor`. */
  readonly headers: Record<string, string>;
}

export const mostHeadBytes = 64 * 1024;
export const mostHeadLines = 256;

/** As much as most heads have: a body that came with one shall not be made text. */
const stretch = 1024;

const [lineFeed, carriageReturn, colon, space, tab] = [0x0a, 0x0d, 0x3a, 0x20, 0x09];
const opening = 'HTTP/1.';
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t -~\u0080-\u00ff]*)?\r$/;
/** Some readers take a tab for a part of these, and to them the body ends elsewhere. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);
const isToken = tableOf(/[\w!#$%&'*+.^`|~-]/);
const isText = tableOf(/[\t -~\u0080-\u00ff]/);

type Part = 'status' | 'fields';

export class HeadParser {
  /** Nothing until the empty line has come. */
  head: AnswerHead | undefined;
  readonly #begin: Part;
  #part: Part;
  #status = 0;
  #minor = 1;
  #headers: Record<string, string> = emptyRecord();
  /** What has come of a line that has not ended. */
  #partial = '';
  #bytes = 0;
  #lines = 0;

  /** A trailer has no line of status. */
  constructor(begin: Part = 'status') {
    this.#begin = begin;
    this.#part = begin;
  }

  /** Gives the place behind what belongs to the head. */
  push(bytes: Buffer, start: number, end: number): number {
    let position = start;
    while (position < end && this.head === undefined) {
      const text = bytes.toString('latin1', position, Math.min(end, position + stretch));
      const consumed = this.#read(text);
      position += consumed;
      this.#bytes += consumed;
      if (this.#bytes > mostHeadBytes) throw notHttp(`a head of more than ${mostHeadBytes} bytes`);
    }
    return position;
  }

  #read(text: string): number {
    let from = 0;
    while (this.head === undefined) {
      const newline = text.indexOf('\n', from);
      if (newline === -1) {
        this.#hold(text.slice(from));
        return text.length;
      }
      if (this.#partial === '') this.#readLine(text, from, newline);
      else this.#readLine(this.#partial + text.slice(from, newline), 0, this.#partial.length + newline - from);
      this.#partial = '';
      from = newline + 1;
    }
    return from;
  }

  /** Somebody who speaks another protocol may wait for us to go on, so the first bytes are looked at without their end. */
  #hold(text: string): void {
    const isBeginning = this.#part === 'status' && this.#partial.length < opening.length;
    this.#partial += text;
    if (isBeginning && !this.#partial.startsWith(opening.slice(0, this.#partial.length))) throw noStatus();
  }

  /** `end` is where the line feed is. */
  #readLine(text: string, start: number, end: number): void {
    if (end === start || text.charCodeAt(end - 1) !== carriageReturn) {
      throw this.#part === 'status' ? noStatus() : notHttp('a line ends without CR');
    }
    if (this.#part === 'status') this.#readStatus(text.slice(start, end));
    else if (end === start + 1) this.#finish();
    else this.#readField(text, start, end - 1);
  }

  #readStatus(line: string): void {
    const found = statusLine.exec(line);
    if (found === null) throw noStatus();
    this.#minor = Number(found[1]);
    this.#status = Number(found[2]);
    this.#part = 'fields';
  }

  #readField(text: string, start: number, end: number): void {
    this.#lines += 1;
    if (this.#lines > mostHeadLines) throw notHttp(`more than ${mostHeadLines} headers`);
    let nameEnd = start;
    while (nameEnd < end && isToken[text.charCodeAt(nameEnd)] === 1) nameEnd++;
    if (nameEnd === start || text.charCodeAt(nameEnd) !== colon) throw notHttp('a line is no header');
    let from = nameEnd + 1;
    let to = end;
    while (from < to && isBlank(text.charCodeAt(from))) from++;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
    for (let index = from; index < to; index++) {
      if (isText[text.charCodeAt(index)] !== 1) throw notHttp('a header has characters no header may have');
    }
    const name = text.slice(start, nameEnd).toLowerCase();
    if (framing.has(name) && text.slice(nameEnd, end).includes('\t')) throw notHttp(`a tab beside ${name}`);
    this.#add(name, text.slice(from, to));
  }

  #add(name: string, value: string): void {
    const before = this.#headers[name];
    this.#headers[name] = before === undefined ? value : `${before}, ${value}`;
  }

  #finish(): void {
    if (this.#status === 101) throw notHttp('it switches to a protocol nobody asked for');
    if (this.#status >= 200 || this.#begin === 'fields') {
      this.head = { status: this.#status, minor: this.#minor, headers: this.#headers };
      return;
    }
    if (this.#minor === 0) throw notHttp('an interim answer in HTTP/1.0');
    this.#part = 'status';
    this.#headers = emptyRecord();
  }
}

function emptyRecord(): Record<string, string> {
  return Object.create(null) as Record<string, string>;
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}

function noStatus(): Error {
  return notHttp('the answer does not begin with a line like HTTP/1.1 200 OK');
}

/** For each byte, whether the pattern has its character. */
function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    code !== lineFeed && pattern.test(String.fromCharCode(code)) ? 1 : 0,
  );
}
