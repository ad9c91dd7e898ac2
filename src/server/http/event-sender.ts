// Sends a stream of server-sent events. Events of one tick become one write, and the caller can wait until the client has
// read what was sent. The headers are sent with the first event, so that a call that fails early still gets an error
// status. Only after a long silence does a keep-alive, a comment if the wire has no other, start the response. Invariants:
//   1. The bytes sent end with a complete frame, so a keep-alive may follow at any time.
//   2. All frames of a stream have the line ends of the bytes that pass, because Google's client for Go looks for a blank
//      line of one kind.

import type { ServerResponse } from 'node:http';

import type { WireServer } from '../../wire/wire.ts';
import type { Indexed } from './indexed-set.ts';

/** Characters that may be pending before the caller should wait for the client. */
export const maxPending = 64 * 1024;

/** Milliseconds that a client may leave the connection open without reading. */
export const maxStall = 300_000;

const comment = ': keep-alive\n\n';
const lineFeed = 10;
const carriageReturn = 13;

/** Sends the events of one stream. */
export interface StreamSender extends Indexed {
  /** The headers of the response, until it begins. */
  readonly headers: Record<string, string>;
  readonly hasBegun: boolean;
  readonly isFull: boolean;
  /** Takes complete events, encoded as server-sent events. */
  write(text: string): void;
  writeBytes(chunk: Uint8Array): void;
  flush(): void;
  /** Resolves when the client has read what was sent, or has left. */
  drained(): Promise<void>;
  end(): void;
  /** Called at a fixed interval, in milliseconds. */
  keepAlive(interval: number): void;
}

interface EventExchange {
  readonly response: ServerResponse;
  readonly wire?: Pick<WireServer, 'keepAlive'>;
  toHead(headers: Readonly<Record<string, string>>): string[];
}

export class EventSender implements StreamSender {
  /** The headers of the response. */
  readonly headers: Record<string, string> = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Tells nginx and other proxies not to buffer the response.
    'x-accel-buffering': 'no',
  };
  index = -1;
  readonly #exchange: EventExchange;
  #pending = '';
  #isScheduled = false;
  #hasBegun = false;
  #quietIntervals = 0;
  /** Whether the lines of the bytes that pass end with a carriage return and a line feed. */
  #hasReturns = false;

  constructor(exchange: EventExchange) {
    this.#exchange = exchange;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isFull(): boolean {
    return this.#pending.length > maxPending || this.#exchange.response.writableNeedDrain;
  }

  write(text: string): void {
    if (text === '') return;
    this.#pending += this.#hasReturns ? text.replaceAll('\n', '\r\n') : text;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Runs after all events that have arrived are encoded, so they become one write.
    process.nextTick(() => this.flush());
  }

  writeBytes(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.flush();
    this.#hasReturns = chunk.at(-1) === lineFeed && chunk.at(-2) === carriageReturn;
    this.#send(chunk);
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    this.#send(text);
  }

  /** Resolves when the client has read what was sent, or has closed the connection. */
  drained(): Promise<void> {
    this.flush();
    const { response } = this.#exchange;
    if (!response.writableNeedDrain || response.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        response.off('drain', done);
        response.off('close', done);
        resolve();
      };
      response.on('drain', done);
      response.on('close', done);
    });
  }

  end(): void {
    this.flush();
    const { response } = this.#exchange;
    if (!this.#hasBegun) this.#begin();
    response.end();
  }

  /** Called at a fixed interval, in milliseconds. After two intervals without an event, sends a keep-alive. */
  keepAlive(interval: number): void {
    const { response } = this.#exchange;
    this.#quietIntervals++;
    if (response.writableNeedDrain) {
      // The client keeps the connection open without reading.
      if (this.#quietIntervals * interval > maxStall) response.destroy();
    } else if (this.#quietIntervals >= 2 && !response.writableEnded)
      this.write(this.#exchange.wire?.keepAlive ?? comment);
  }

  #send(data: string | Uint8Array): void {
    const { response } = this.#exchange;
    if (response.destroyed || response.writableEnded) return;
    this.#quietIntervals = 0;
    if (!this.#hasBegun) this.#begin();
    response.write(data);
  }

  #begin(): void {
    this.#hasBegun = true;
    const { response } = this.#exchange;
    if (!response.destroyed) response.writeHead(200, this.#exchange.toHead(this.headers));
  }
}
