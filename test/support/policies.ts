// Fixtures for tests of policies: a virtual clock that advances by every sleep, providers with scripted failures, and an
// observer that records events.

import type { CallContext, CallEvent } from '../../src/core/call.ts';
import { SimpleAgentsError, type ErrorKind } from '../../src/core/error.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import { text } from '../../src/core/message.ts';
import type { ModelStream, Outcome, Provider } from '../../src/core/provider.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { noUsage } from '../../src/core/usage.ts';
import type { Clock } from '../../src/core/clock.ts';

export class TestClock implements Clock {
  time = 0;
  readonly pauses: number[] = [];
  onSleep: (() => void) | undefined;
  readonly random: () => number;

  constructor(random: () => number = () => 0.5) {
    this.random = random;
  }

  now(): number {
    return this.time;
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.pauses.push(milliseconds);
    this.onSleep?.();
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    this.time += milliseconds;
    return Promise.resolve();
  }
}

export function failing(kind: ErrorKind, message = `it is ${kind}`): SimpleAgentsError {
  return new SimpleAgentsError(kind, message);
}

/** Fails once with each of the errors, in order, then responds. */
export function stubbornProvider(errors: readonly unknown[], clock: Clock = new TestClock(), name = 'stubborn') {
  const times: number[] = [];
  const requests: ChatRequest[] = [];
  const contexts: (CallContext | undefined)[] = [];
  const provider: Provider = {
    name,
    open(request, _signal, context) {
      const error = errors[times.length];
      times.push(clock.now());
      requests.push(request);
      contexts.push(context);
      if (times.length <= errors.length) return Promise.reject(error);
      return Promise.resolve(answerOf(name, [...wordsOf('Hello')]));
    },
  };
  return { ...provider, times, requests, contexts };
}

/** The events of a text response, with one delta per piece. */
export function wordsOf(...pieces: readonly string[]): StreamEvent[] {
  return [
    { type: 'message-start', id: 'm1', model: 'm' },
    ...pieces.map((piece): StreamEvent => ({ type: 'text-delta', index: 0, text: piece })),
    { type: 'block-end', index: 0, block: text(pieces.join('')) },
    { type: 'message-end', stopReason: 'end', usage: { input: 1, output: pieces.length } },
  ];
}

/** A stream with these events, which then fails if `failure` is given. */
export function answerOf(target: string, events: readonly StreamEvent[], failure?: unknown): ModelStream {
  const { promise: ended, resolve } = Promise.withResolvers<Outcome>();
  async function* read(): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      for (const event of events) {
        if (event.type === 'message-end') {
          resolve({ type: 'complete', stopReason: event.stopReason, usage: event.usage });
        }
        yield event;
      }
      if (failure === undefined) return;
      resolve({ type: 'failed', error: failure, usage: noUsage });
      throw failure;
    } finally {
      resolve({ type: 'left', usage: noUsage });
    }
  }
  return { target, ended, [Symbol.asyncIterator]: read };
}

export function collectEvents(): { readonly context: CallContext; readonly events: CallEvent[] } {
  const events: CallEvent[] = [];
  return { events, context: { id: 'call_1', observe: (event) => void events.push(event) } };
}

export async function textOf(stream: AsyncIterable<StreamEvent>): Promise<string> {
  let words = '';
  for await (const event of stream) if (event.type === 'text-delta') words += event.text;
  return words;
}
