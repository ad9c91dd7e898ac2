// Writes the body of an answer whose length is not known, each piece as one write to the connection. Node's own response
// makes four of each (the length, the piece and two line ends) and holds them back for a turn, which was 7 % of the CPU
// time of a piece of a stream. The head and the end stay Node's: it knows what becomes of the connection.
// Invariant: nothing is written to the connection before the head or after the response has ended.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asLatin1, longestJoined } from './latin1.ts';

export class ChunkWriter {
  readonly #response: ServerResponse;
  /** Nothing where there are no chunks to be made, as in HTTP/1.0: then the response itself is written to. */
  #socket: Socket | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** More should not be written before `drained`. */
  get isFull(): boolean {
    return (this.#socket ?? this.#response).writableNeedDrain;
  }

  begin(head: string[]): void {
    const response = this.#response;
    response.writeHead(200, head);
    const { socket } = response;
    if (!response.chunkedEncoding || socket === null) return;
    // For the first piece to go out with the head.
    socket.cork();
    process.nextTick(() => socket.uncork());
    response.flushHeaders();
    this.#socket = socket;
  }

  write(data: string | Uint8Array): void {
    const socket = this.#socket;
    if (socket === undefined) this.#response.write(data);
    else if (typeof data === 'string') socket.write(`${sizeOf(Buffer.byteLength(data))}${data}\r\n`);
    else writeBytes(socket, data);
  }

  /** Resolves when the client has taken what was written, or is gone. */
  drained(): Promise<void> {
    const response = this.#response;
    const stream = this.#socket ?? response;
    if (!stream.writableNeedDrain || response.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        stream.off('drain', done);
        response.off('close', done);
        resolve();
      };
      stream.on('drain', done);
      response.on('close', done);
    });
  }
}

function writeBytes(socket: Socket, bytes: Uint8Array): void {
  const size = sizeOf(bytes.length);
  if (bytes.length <= longestJoined) {
    socket.write(`${size}${asLatin1(bytes)}\r\n`, 'latin1');
    return;
  }
  socket.cork();
  socket.write(size, 'latin1');
  socket.write(bytes);
  socket.write('\r\n', 'latin1');
  socket.uncork();
}

function sizeOf(length: number): string {
  return `${length.toString(16)}\r\n`;
}
