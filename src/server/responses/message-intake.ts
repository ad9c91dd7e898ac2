// The memory and the deadline of WebSocket messages while they arrive. The library collects the frames of a message, so this
// watches the bytes of the connection. Invariants:
//   1. The bytes of an unfinished message count as they arrive.
//   2. A message that has begun ends within the time limit, whatever else the client sends.
//   3. After a refusal nothing more is read.

import type { Duplex } from 'node:stream';

import type { BodyShare } from '../http/body-memory.ts';
import { FrameMeter } from './frame-meter.ts';

export interface MessageIntakeOptions {
  readonly share: BodyShare;
  /** Milliseconds in which a message has to arrive. */
  readonly timeout: number;
  readonly onRefuse: (reason: 'no-room' | 'too-slow') => void;
}

export class MessageIntake {
  readonly #stream: Duplex;
  readonly #options: MessageIntakeOptions;
  readonly #meter = new FrameMeter();
  #timer: NodeJS.Timeout | undefined;

  constructor(stream: Duplex, options: MessageIntakeOptions) {
    this.#stream = stream;
    this.#options = options;
    // Before the library takes the same bytes and reports the messages that they complete.
    stream.prependListener('data', (chunk: Buffer) => this.#count(chunk));
  }

  /** Call it for each message that the library reports. Its bytes no longer count here. */
  finish(bytes: number): void {
    this.#options.share.release(bytes);
    this.#stopTimer();
    this.#startTimer();
  }

  close(): void {
    this.#stopTimer();
    this.#options.share.release();
  }

  #count(chunk: Uint8Array): void {
    if (this.#options.share.take(this.#meter.push(chunk))) this.#startTimer();
    else this.#refuse('no-room');
  }

  #startTimer(): void {
    if (!this.#meter.isOpen || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#refuse('too-slow'), this.#options.timeout).unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #refuse(reason: 'no-room' | 'too-slow'): void {
    this.#stopTimer();
    this.#stream.pause();
    this.#options.onRefuse(reason);
  }
}
