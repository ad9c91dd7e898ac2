// A committed stream whose events are changed on their way by a synchronous machine. It has no bytes: what a machine
// changes cannot be passed through.

import type { StreamEvent } from '../core/event.ts';
import type { ModelStream, Outcome } from '../core/provider.ts';

export interface Rewriter {
  /** What to hand on for an event: it, others, or nothing yet. */
  push(event: StreamEvent): readonly StreamEvent[];
  /** What is still held back when the stream fails. */
  release(): readonly StreamEvent[];
  /** Where the end reads differently afterwards. */
  outcomeOf?(outcome: Outcome): Outcome;
}

export function rewriteStream(stream: ModelStream, rewriter: Rewriter): ModelStream {
  async function* read(): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      for await (const event of stream) for (const changed of rewriter.push(event)) yield changed;
    } catch (error) {
      for (const held of rewriter.release()) yield held;
      throw error;
    }
  }
  return {
    target: stream.target,
    ended: stream.ended.then((outcome) => rewriter.outcomeOf?.(outcome) ?? outcome),
    [Symbol.asyncIterator]: read,
  };
}
