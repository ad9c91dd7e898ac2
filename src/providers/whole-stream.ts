// An answer that came as one plain body: its events are all here, only the reading is still to be done.

import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream, Outcome } from '../core/provider.ts';
import { noUsage } from '../core/usage.ts';

export interface WholeOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body itself, and the wire it is in. */
  readonly body?: { readonly wire: string; readonly text: string };
}

export function wholeStream(target: string, events: readonly StreamEvent[], options: WholeOptions): ModelStream {
  const { signal, headers, body } = options;
  const { promise: ended, resolve: settle } = Promise.withResolvers<Outcome>();
  const onAbort = () => settle({ type: 'failed', error: signal.reason, usage: noUsage });
  signal.addEventListener('abort', onAbort, { once: true });
  let isRead = false;

  async function* read(): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      for (const event of events) {
        signal.throwIfAborted();
        if (event.type === 'message-end') {
          settle({ type: 'complete', stopReason: event.stopReason, usage: event.usage });
        }
        yield event;
      }
    } finally {
      settle({ type: 'left', usage: noUsage });
      signal.removeEventListener('abort', onAbort);
    }
  }

  async function* readBytes(text: string): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const _event of read()) continue;
    yield Buffer.from(text);
  }

  function once<T>(begin: () => T): T {
    if (isRead) throw new SimpleAgentsError('internal', 'a stream can be read only once');
    isRead = true;
    return begin();
  }

  return {
    target,
    ended,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined
      ? {}
      : {
          bytes: {
            wire: body.wire,
            form: 'body',
            [Symbol.asyncIterator]: () => once(() => readBytes(body.text)),
          },
        }),
    [Symbol.asyncIterator]: () => once(read),
  };
}
