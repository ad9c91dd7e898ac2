// A response that is sent whole, read before it is healed, because one that is valid already needs no change.

import type { StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import type { ModelStream } from '../../core/provider.ts';

export interface WholeResponse {
  /** One for each block of text. */
  readonly texts: readonly string[];
  readonly hasCalls: boolean;
  /** The model refused or paused, so its text is no answer. */
  readonly isNoAnswer: boolean;
  /** The response as it arrived, with its bytes if it has any. */
  readonly unchanged: ModelStream;
  /** Its events only, for a reader that changes them. */
  readonly decoded: ModelStream;
}

export async function readResponse(stream: ModelStream): Promise<WholeResponse> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const blocks = events.flatMap((event) => (event.type === 'block-end' ? [event.block] : []));
  const end = events.find((event) => event.type === 'message-end');
  const { target, ended, headers, bytes } = stream;
  async function* replay(): AsyncGenerator<StreamEvent, void, undefined> {
    yield* events;
  }
  const decoded = { target, ended, ...omitUndefined({ headers }), [Symbol.asyncIterator]: replay };
  return {
    texts: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    hasCalls: blocks.some(({ type }) => type === 'tool-call'),
    isNoAnswer: end?.stopReason === 'refusal' || end?.stopReason === 'pause',
    unchanged: { ...decoded, ...omitUndefined({ bytes }) },
    decoded,
  };
}
