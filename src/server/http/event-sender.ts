// Sends a stream of events. The head goes out with the first bytes, events of one tick are one write, and the caller
// can wait until the client has read what was sent. Nothing is sent before the first event, so that a call that fails
// early still gets an error status; only a long silence starts the response with a comment.
// Invariant: what is sent ends with a whole frame, so a comment may follow at any time.

import type { Exchange } from './exchange.ts';
import type { Indexed } from './indexed-set.ts';

/** More than this waits for the client. */
const mostPending = 64 * 1024;

/** How long a client may take nothing, in milliseconds. */
const longestStall = 300_000;

const comment = ': keep-alive\n\n';

export class EventSender implements Indexed {
  /** Sent with the head. */
  readonly headers: Record<string, string> = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Proxies that collect an answer before they pass it on would make a stream of it no more.
    'x-accel-buffering': 'no',
  };
  index = -1;
  readonly #exchange: Pick<Exchange, 'response' | 'toHead'>;
  #pending = '';
  #isScheduled = false;
  #hasBegun = false;
  #quietTurns = 0;

  constructor(exchange: Pick<Exchange, 'response' | 'toHead'>) {
    this.#exchange = exchange;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isFull(): boolean {
    return this.#pending.length > mostPending || this.#exchange.response.writableNeedDrain;
  }

  write(text: string): void {
    if (text === '') return;
    this.#pending += text;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Runs when every event that has arrived is encoded: they become one write.
    process.nextTick(() => this.flush());
  }

  writeBytes(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.flush();
    this.#send(chunk);
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#pending === '') return;
    const text = this.#pending;
    this.#pending = '';
    this.#send(text);
  }

  /** Resolves when the client has read what was sent, or has left. */
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

  /** Called in turns of equal length: the second without a word is a silence that somebody may take for the end. */
  keepAlive(turn: number): void {
    const { response } = this.#exchange;
    this.#quietTurns++;
    if (response.writableNeedDrain) {
      // The client holds the call open and does not read it.
      if (this.#quietTurns * turn > longestStall) response.destroy();
    } else if (this.#quietTurns >= 2 && !response.writableEnded) this.write(comment);
  }

  #send(data: string | Uint8Array): void {
    const { response } = this.#exchange;
    if (response.destroyed || response.writableEnded) return;
    this.#quietTurns = 0;
    if (!this.#hasBegun) this.#begin();
    response.write(data);
  }

  #begin(): void {
    this.#hasBegun = true;
    const { response } = this.#exchange;
    if (!response.destroyed) response.writeHead(200, this.#exchange.toHead(this.headers));
  }
}
