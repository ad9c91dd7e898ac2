// A committed stream whose events a synchronous machine rewrites. The result has no bytes unless `keepBytes` is set,
// because the upstream's bytes do not contain the changes.

import type { StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ModelStream, Outcome } from '../../core/provider.ts';

export interface Rewriter {
  /** The events to emit for an event. A promise only for work that is done in turns. */
  push(event: StreamEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** The events that are still held back when the stream fails. */
  release(): readonly StreamEvent[];
  /** Changes the outcome, if the rewriter changes the end of the message. */
  outcomeOf?(outcome: Outcome): Outcome | Promise<Outcome>;
  /** Changes the error of a stream that fails. */
  errorOf?(error: unknown): unknown;
}

export interface RewriteOptions {
  /** Keep the upstream's bytes: their reader does not need the changes. */
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
      throw rewriter.errorOf === undefined ? error : rewriter.errorOf(error);
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
