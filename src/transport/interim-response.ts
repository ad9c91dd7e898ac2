// Removes interim responses (100, 102, 103) from what an HTTP/1 server sends. HTTP allows them before any response, but
// undici closes the connection at `100 Continue`. Invariant: bytes are only removed between a request and the head of its
// response.

import type { Socket } from 'node:net';

const start = 'HTTP/1.1 1';
/** Not an interim response, but the end of HTTP on the connection. */
const upgrade = 'HTTP/1.1 101';
const headEnd = '\r\n\r\n';
/** A longer head is left for undici to reject. */
const longestHead = 64 * 1024;

/** The bytes of one connection, in the order of their arrival. */
export class InterimFilter {
  #held: Buffer = Buffer.alloc(0);
  #isWaiting = false;

  /** A request was sent, so the next bytes are the start of a response. */
  restart(): void {
    this.#isWaiting = true;
  }

  /** Returns what is left of the chunk, or undefined if that is nothing yet. */
  push(chunk: Buffer): Buffer | undefined {
    if (!this.#isWaiting) return chunk;
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (isInterim(bytes)) {
      const end = bytes.indexOf(headEnd);
      if (end === -1 && bytes.length < longestHead) {
        this.#held = bytes;
        return undefined;
      }
      if (end === -1) break;
      bytes = bytes.subarray(end + headEnd.length);
    }
    if (bytes.length === 0) return undefined;
    this.#isWaiting = false;
    return bytes;
  }
}

/** Also true for the first bytes of such a head. */
function isInterim(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, upgrade.length);
  return text !== '' && text !== upgrade && (text.startsWith(start) || start.startsWith(text));
}

/** Filters what undici reads from the socket. It has no option to ignore the response. */
export function ignoreInterimResponses(socket: Socket): void {
  const filter = new InterimFilter();
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      const passed = chunk === null ? null : filter.push(chunk);
      if (passed !== undefined) return passed;
    }
  };
  socket.write = (...given: unknown[]): boolean => {
    filter.restart();
    return write(...given);
  };
}
