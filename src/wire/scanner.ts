// Follows a stream for the byte path: every frame is parsed, so that none that a client could not read is passed on, but no
// events are made. A wire says what a frame means; this file keeps the state.

import { toError, type SimpleAgentsError } from '../core/error.ts';
import type { StopReason } from '../core/event.ts';
import { isRecord } from '../core/json.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { cutError, malformedEvent, malformedLine } from './decoder.ts';
import { SseReader } from './sse.ts';
import type { StreamScanner } from './wire.ts';

export interface ScanState {
  committed: boolean;
  done: boolean;
  /** What the provider said of its own failure, in the stream. */
  failure: SimpleAgentsError | undefined;
  usage: Usage;
  stopReason: StopReason | undefined;
  hasToolCalls: boolean;
  refused: boolean;
}

/** What one wire makes of a frame. Both throw a `SyntaxError` for what is not JSON. */
export interface FrameScan<Frame extends object> {
  parse(data: string): Frame;
  /** Notes what the frame says. */
  scan(state: ScanState, frame: Frame): void;
  /** Data that ends the stream and is not JSON. */
  readonly terminator?: string;
}

export class SseScanner<Frame extends object> implements StreamScanner {
  readonly #state: ScanState = {
    committed: false,
    done: false,
    failure: undefined,
    usage: noUsage,
    stopReason: undefined,
    hasToolCalls: false,
    refused: false,
  };
  readonly #wire: FrameScan<Frame>;
  readonly #reader: SseReader;
  #frames = 0;
  /** What is wrong with the stream, where it does not say so itself. */
  #fault: SimpleAgentsError | undefined;
  #isEnding = false;

  constructor(wire: FrameScan<Frame>) {
    this.#wire = wire;
    this.#reader = new SseReader({
      onEvent: ({ data, event }) => {
        if (event !== 'ping') this.#frames++;
        if (!this.#finished) this.#scan(data);
      },
      onMalformedLine: (line) => {
        if (!this.#finished && !this.#isEnding) this.#fault = malformedLine(line);
      },
    });
  }

  get committed(): boolean {
    return this.#state.committed;
  }
  get frames(): number {
    return this.#frames;
  }
  get done(): boolean {
    return this.#state.done && this.#fault === undefined;
  }
  get failure(): SimpleAgentsError | undefined {
    return this.#fault ?? this.#state.failure;
  }
  get isReported(): boolean {
    return this.#fault === undefined && this.#state.failure !== undefined;
  }
  get usage(): Usage {
    return this.#state.usage;
  }
  get stopReason(): StopReason | undefined {
    return this.#state.stopReason;
  }

  push(chunk: Uint8Array): void {
    this.#guard(() => this.#reader.push(chunk));
  }

  end(): void {
    this.#isEnding = true;
    this.#guard(() => this.#reader.end());
    if (this.#finished) return;
    if (this.#state.stopReason === undefined) this.#fault = cutError();
    else this.#state.done = true;
  }

  get #finished(): boolean {
    return this.#state.done || this.failure !== undefined;
  }

  #scan(data: string): void {
    if (data === this.#wire.terminator) this.#state.done = true;
    else this.#scanFrame(data);
    // The end of a stream that never said why it ended.
    if (this.#state.done && this.#state.stopReason === undefined) this.#fault = cutError();
  }

  #scanFrame(data: string): void {
    try {
      const frame = this.#wire.parse(data);
      if (!isRecord(frame)) throw new SyntaxError();
      this.#wire.scan(this.#state, frame);
    } catch (error) {
      // Half an event at the end of the bytes is a cut. A shape nobody expected passes: the client may know it.
      if (error instanceof SyntaxError && !this.#isEnding) this.#fault = malformedEvent(data, error);
    }
  }

  #guard(step: () => void): void {
    if (this.#finished) return;
    try {
      step();
    } catch (error) {
      this.#fault = toError(error);
    }
  }
}
