// Sends a stream of events: the head with the first bytes, what comes in one turn as one write, and never more than the
// client takes. Nothing is sent before there is something to say, so that a call that fails before is refused with a
// status; only a long silence makes it begin with a comment.
// Invariant: what is sent ends with a whole frame, so a comment may follow at any time.

import { ChunkWriter } from './chunk-writer.ts';
import type { Exchange } from './exchange.ts';
import type { Listed } from './roster.ts';

/** More than this waits for the client. */
const mostPending = 64 * 1024;

/** How long a client may take nothing, in milliseconds. */
const longestStall = 300_000;

const comment = ': keep-alive\n\n';

export class EventSender implements Listed {
  /** Sent with the head. */
  readonly headers: Record<string, string> = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Proxies that collect an answer before they pass it on would make a stream of it no more.
    'x-accel-buffering': 'no',
  };
  place = -1;
  readonly #exchange: Exchange;
  readonly #writer: ChunkWriter;
  #pending = '';
  #isScheduled = false;
  #hasBegun = false;
  #quietTurns = 0;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#writer = new ChunkWriter(exchange.response);
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isFull(): boolean {
    return this.#pending.length > mostPending || this.#writer.isFull;
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

  /** Resolves when the client has taken what was sent, or is gone. */
  drained(): Promise<void> {
    this.flush();
    return this.#writer.drained();
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
    if (this.#writer.isFull) {
      // Nothing was taken since: somebody holds a call open and does not read it.
      if (this.#quietTurns * turn > longestStall) response.destroy();
    } else if (this.#quietTurns >= 2 && !response.writableEnded) this.write(comment);
  }

  #send(data: string | Uint8Array): void {
    const { response } = this.#exchange;
    if (response.destroyed || response.writableEnded) return;
    this.#quietTurns = 0;
    if (!this.#hasBegun) this.#begin();
    this.#writer.write(data);
  }

  #begin(): void {
    this.#hasBegun = true;
    const { response } = this.#exchange;
    if (!response.destroyed) this.#writer.begin(this.#exchange.toHead(this.headers));
  }
}
