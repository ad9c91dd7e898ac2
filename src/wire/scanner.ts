// Follows a stream whose bytes pass to the client unchanged. Every frame is parsed, so that a malformed frame is not passed
// on, but no events are created. A wire supplies the meaning of a frame; this file keeps the state.

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
  /** An error that the provider reported in the stream. */
  failure: SimpleAgentsError | undefined;
  usage: Usage;
  stopReason: StopReason | undefined;
  hasToolCalls: boolean;
  refused: boolean;
}

/** The wire's part of a scanner. Both functions throw a `SyntaxError` for data that is not JSON. */
export interface FrameScan<Frame extends object> {
  parse(data: string): Frame;
  /** Updates the state from a frame. */
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
  /** A problem that we found in the stream, as opposed to one that the provider reported. */
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
    // The stream ended without a stop reason.
    if (this.#state.done && this.#state.stopReason === undefined) this.#fault = cutError();
  }

  #scanFrame(data: string): void {
    try {
      const frame = this.#wire.parse(data);
      if (!isRecord(frame)) throw new SyntaxError();
      this.#wire.scan(this.#state, frame);
    } catch (error) {
      // An incomplete event at the end of the bytes means a cut stream. An unknown shape passes, because the client may
      // understand it.
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
