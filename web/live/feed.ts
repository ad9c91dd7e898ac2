// What the gateway reports about its calls, kept for the charts: the last minutes and the last calls. The shell follows it
// while the gateway can be reached, so that a view shows what happened before it was opened.

import { signal } from '@preact/signals';
import type { BreakerState } from '../../src/core/call.ts';
import type { LiveCall } from '../../src/server/live/live-call.ts';
import type { LiveMessage, LiveTick } from '../../src/server/live/live-channel.ts';
import { call, CallError } from '../app/access.ts';
import { readEvents } from '../kit/event-stream.ts';

export type { LiveCall, LiveTick };

const mostTicks = 300;
const mostCalls = 100;

export const ticks = signal<readonly LiveTick[]>([]);
/** The newest first. */
export const calls = signal<readonly LiveCall[]>([]);
export const breakers = signal<Readonly<Record<string, BreakerState>>>({});
/** The id of the call whose timeline is shown. */
export const selectedCall = signal<string | undefined>(undefined);
export const state = signal<'connecting' | 'open' | 'lost'>('connecting');

/** Follows the gateway's calls until the returned function is called, or until `onEnd`. */
export function follow(onEnd: (error: unknown) => void): () => void {
  const controller = new AbortController();
  void read(controller.signal)
    .then(() => new CallError(0, 'The gateway has closed the connection.'))
    .catch((error: unknown) => error)
    .then((error) => {
      if (controller.signal.aborted) return;
      state.value = 'lost';
      onEnd(error);
    });
  return () => controller.abort();
}

async function read(signalled: AbortSignal): Promise<void> {
  const response = await call('/api/live', { signal: signalled });
  state.value = 'open';
  let isFirst = true;
  for await (const line of readEvents(response)) {
    if ('comment' in line) continue;
    take(JSON.parse(line.data) as LiveMessage, isFirst);
    isFirst = false;
  }
}

/** The first message of a connection has everything. */
function take(message: LiveMessage, isFirst: boolean): void {
  if (message.breakers !== undefined) breakers.value = message.breakers;
  if (message.ticks !== undefined) ticks.value = [...(isFirst ? [] : ticks.value), ...message.ticks].slice(-mostTicks);
  if (message.calls !== undefined && (isFirst || message.calls.length > 0))
    calls.value = [...message.calls.toReversed(), ...(isFirst ? [] : calls.value)].slice(0, mostCalls);
}
