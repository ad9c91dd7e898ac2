// Sends the events of a stream over a WebSocket, each as one text frame. A frame has the data of a server-sent event; the
// end marker and comments are left out. The headers of the response are a member of the first event, because a message has
// none.

import type { WebSocket } from 'ws';

import { SseReader } from '../../wire/sse.ts';
import { maxPending, maxStall, type StreamSender } from '../http/event-sender.ts';

const encoder = new TextEncoder();

export class FrameSender implements StreamSender {
  readonly headers: Record<string, string> = {};
  index = -1;
  readonly #socket: WebSocket;
  readonly #reader = new SseReader({ onEvent: ({ data }) => this.#send(data) });
  #hasBegun = false;
  #quietIntervals = 0;
  /** Called when the client has read enough. */
  #onDrain: (() => void) | undefined;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount > maxPending;
  }

  write(text: string): void {
    this.writeBytes(encoder.encode(text));
  }

  writeBytes(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#reader.push(chunk);
  }

  /** Frames are sent at once. */
  flush(): void {}

  drained(): Promise<void> {
    const socket = this.#socket;
    if (!this.isFull || socket.readyState !== socket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off('close', done);
        this.#onDrain = undefined;
        resolve();
      };
      socket.on('close', done);
      this.#onDrain = done;
    });
  }

  /** The connection stays open for the next request. */
  end(): void {}

  keepAlive(interval: number): void {
    this.#quietIntervals++;
    if (this.isFull) {
      // The client keeps the connection open without reading.
      if (this.#quietIntervals * interval > maxStall) this.#socket.terminate();
    } else if (this.#quietIntervals >= 2) this.#socket.ping();
  }

  #send(data: string): void {
    if (data === '[DONE]') return;
    const frame = this.#hasBegun ? data : withHeaders(data, this.headers);
    this.#hasBegun = true;
    this.#quietIntervals = 0;
    this.#socket.send(frame, () => {
      if (!this.isFull) this.#onDrain?.();
    });
  }
}

function withHeaders(data: string, headers: Readonly<Record<string, string>>): string {
  return Object.keys(headers).length === 0 ? data : `{"headers":${JSON.stringify(headers)},${data.slice(1)}`;
}
