// The timing of a simulated stream: when each event is sent. The only file of the simulated model with a timer.

import type { StreamEvent } from '../../core/event.ts';
import { estimateTokens } from '../../core/token-estimate.ts';

export interface StreamPace {
  /** About this many tokens per second. Left out: as fast as they are read. */
  readonly tokensPerSecond?: number;
  /** Before the first event. */
  readonly firstTokenDelayMs?: number;
  /** Before each event. */
  readonly slow?: number;
}

/** Waits, or rejects with the signal's reason. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Computes the delay before each event. Fractions of a millisecond are added up, because timers ignore them. */
export class Pacer {
  readonly #pace: StreamPace;
  #owed = 0;

  constructor(pace: StreamPace) {
    this.#pace = pace;
  }

  delayBefore(event: StreamEvent): number {
    const { tokensPerSecond, slow = 0 } = this.#pace;
    const tokens = tokensOf(event);
    if (tokensPerSecond !== undefined) this.#owed += (1000 * tokens) / tokensPerSecond;
    if (tokens > 0) this.#owed += slow;
    const whole = Math.floor(this.#owed);
    this.#owed -= whole;
    return whole;
  }
}

export function tokensOf(event: StreamEvent): number {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return estimateTokens(event.text);
  return event.type === 'tool-call-delta' ? estimateTokens(event.json) : 0;
}
