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

  /** Not a generator, and not by reading the events: this is all that a server's busiest path needs. */
  function readBytes(text: string): AsyncIterator<Uint8Array> {
    let chunk: Uint8Array | undefined = Buffer.from(text);
    return {
      next() {
        if (signal.aborted) return Promise.reject(signal.reason as Error);
        const value = chunk;
        chunk = undefined;
        end();
        return Promise.resolve(value === undefined ? { done: true, value } : { done: false, value });
      },
      return() {
        end();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  function end(): void {
    const last = events.at(-1);
    if (last?.type === 'message-end') settle({ type: 'complete', stopReason: last.stopReason, usage: last.usage });
    settle({ type: 'left', usage: noUsage });
    signal.removeEventListener('abort', onAbort);
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
