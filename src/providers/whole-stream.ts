// An answer that came as one plain body: its events are all here, only the reading is still to be done.

import { SimpleAgentsError } from '../core/error.ts';
import type { StreamEvent } from '../core/event.ts';
import type { ModelStream, Outcome } from '../core/provider.ts';
import { noUsage } from '../core/usage.ts';

export function wholeStream(target: string, events: readonly StreamEvent[], signal: AbortSignal): ModelStream {
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

  return {
    target,
    ended,
    [Symbol.asyncIterator]() {
      if (isRead) throw new SimpleAgentsError('internal', 'a stream can be read only once');
      isRead = true;
      return read();
    },
  };
}
