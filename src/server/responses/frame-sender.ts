// Sends the events of a stream over a WebSocket, each as one text frame with the data of a server-sent event. What HTTP has
// in headers, and a stream in comments before its end, is a member of the next event. Invariant: the last event of a
// response is the only one that ends it, so an error event that a failed response follows is left out.

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
  /** An error event that may be the last. */
  #error: string | undefined;
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
    if (text.startsWith(':')) this.#addComment(text);
    else this.writeBytes(encoder.encode(text));
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
  end(): void {
    if (this.#error !== undefined) this.#sendFrame(this.#error);
    this.#error = undefined;
  }

  keepAlive(interval: number): void {
    this.#quietIntervals++;
    if (this.isFull) {
      // The client keeps the connection open without reading.
      if (this.#quietIntervals * interval > maxStall) this.#socket.terminate();
    } else if (this.#quietIntervals >= 2) this.#socket.ping();
  }

  /** Lines such as `: x-simple-agents-cost: 0.01`. */
  #addComment(text: string): void {
    for (const [, name = '', value = ''] of text.matchAll(/^: ([\w-]+): (.*)$/gm)) this.headers[name] = value;
  }

  #send(data: string): void {
    if (data === '[DONE]') return;
    this.#hasBegun = true;
    this.#error = isError(data) ? data : undefined;
    if (this.#error === undefined) this.#sendFrame(data);
  }

  #sendFrame(data: string): void {
    const frame = withHeaders(data, this.headers);
    for (const name of Object.keys(this.headers)) delete this.headers[name];
    this.#quietIntervals = 0;
    this.#socket.send(frame, () => {
      if (!this.isFull) this.#onDrain?.();
    });
  }
}

function isError(data: string): boolean {
  return data.includes('"error"') && (JSON.parse(data) as { readonly type?: unknown }).type === 'error';
}

function withHeaders(data: string, headers: Readonly<Record<string, string>>): string {
  return Object.keys(headers).length === 0 ? data : `{"headers":${JSON.stringify(headers)},${data.slice(1)}`;
}
