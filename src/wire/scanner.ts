// Follows a stream for the byte path: frames are found, but only the few that matter are parsed as JSON.
// A wire says which frames matter and what they mean; this file keeps the state.

import { toError, type SimpleAgentsError } from '../core/error.ts';
import type { StopReason } from '../core/event.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { cutError } from './decoder.ts';
import { SseReader } from './sse.ts';
import type { StreamScanner } from './wire.ts';

export interface ScanState {
  committed: boolean;
  done: boolean;
  failure: SimpleAgentsError | undefined;
  usage: Usage;
  stopReason: StopReason | undefined;
  hasToolCalls: boolean;
  refused: boolean;
}

/** Looks at one frame, as cheaply as it can, and notes what it says. */
export type ScanFrame = (state: ScanState, data: string, eventName: string | undefined) => void;

export class SseScanner implements StreamScanner {
  readonly #state: ScanState = {
    committed: false,
    done: false,
    failure: undefined,
    usage: noUsage,
    stopReason: undefined,
    hasToolCalls: false,
    refused: false,
  };
  readonly #reader: SseReader;
  #frames = 0;

  constructor(scan: ScanFrame) {
    this.#reader = new SseReader({
      onEvent: ({ data, event }) => {
        if (event !== 'ping') this.#frames++;
        if (this.#finished) return;
        try {
          scan(this.#state, data, event);
        } catch {
          // Of a shape nobody expected: whoever decodes it will say so.
        }
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
    return this.#state.done;
  }
  get failure(): SimpleAgentsError | undefined {
    return this.#state.failure;
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
    this.#guard(() => this.#reader.end());
    if (this.#finished) return;
    if (this.#state.stopReason === undefined) this.#state.failure = cutError();
    else this.#state.done = true;
  }

  get #finished(): boolean {
    return this.#state.done || this.#state.failure !== undefined;
  }

  #guard(step: () => void): void {
    if (this.#finished) return;
    try {
      step();
    } catch (error) {
      this.#state.failure = toError(error);
    }
  }
}

/** The JSON, or nothing: what the scanner cannot read it passes on unread. */
export function parseFrame(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
