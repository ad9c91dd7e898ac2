// A committed stream whose events are changed on their way by a synchronous machine. It has no bytes, unless it is said
// that they will do as they are: what a machine changes cannot be passed through.

import type { StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ModelStream, Outcome } from '../../core/provider.ts';

export interface Rewriter {
  /** What to hand on for an event: it, others, or nothing yet. A promise only for work that is done in turns. */
  push(event: StreamEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** What is still held back when the stream fails. */
  release(): readonly StreamEvent[];
  /** Where the end reads differently afterwards. */
  outcomeOf?(outcome: Outcome): Outcome;
}

export interface RewriteOptions {
  /** Whoever passes the bytes on may do without the changes. */
  readonly keepBytes?: boolean;
}

export function rewriteStream(stream: ModelStream, rewriter: Rewriter, options: RewriteOptions = {}): ModelStream {
  async function* read(): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      for await (const event of stream) {
        const changed = rewriter.push(event);
        for (const each of changed instanceof Promise ? await changed : changed) yield each;
      }
    } catch (error) {
      for (const held of rewriter.release()) yield held;
      throw error;
    }
  }
  const { target, headers, bytes } = stream;
  return {
    target,
    ended: stream.ended.then((outcome) => rewriter.outcomeOf?.(outcome) ?? outcome),
    ...omitUndefined({ headers, bytes: options.keepBytes ? bytes : undefined }),
    [Symbol.asyncIterator]: read,
  };
}
