// `--verbose`: reports the progress of a call in short lines. While the response is being written, lines are held back
// until its end, because both may go to the same screen.

import type { CallEvent, SkipReason } from '../core/call.ts';
import { formatDollars } from '../core/dollars.ts';
import type { SimpleAgentsError } from '../core/error.ts';
import { describeTime, describeTokens } from './response-writer.ts';
import { describeStatus } from './failure.ts';
import { toPrintable, type Paint, type TerminalOutput } from './terminal/terminal.ts';

export class CallLines {
  readonly #stream: TerminalOutput;
  readonly #paint: Paint;
  #held: string[] = [];
  #isResponding = false;

  constructor(stream: TerminalOutput, paint: Paint) {
    this.#stream = stream;
    this.#paint = paint;
  }

  readonly observe = (event: CallEvent): void => {
    const line = describeCallEvent(event);
    if (line !== undefined) this.#held.push(line);
    if (event.type === 'call-start') this.#isResponding = false;
    if (!this.#isResponding) this.flush();
    if (event.type === 'first-token') this.#isResponding = true;
  };

  /** Call this when the response has been written. */
  flush(): void {
    for (const line of this.#held) this.#stream.write(`${this.#paint('dim', toPrintable(line, this.#stream))}\n`);
    this.#held = [];
    this.#isResponding = false;
  }
}

const skipReasons: Readonly<Record<SkipReason, string>> = {
  'breaker-open': 'its circuit breaker is open',
  incapable: 'it does not support the request',
  'context-window': 'the request exceeds its context window',
};

/** Undefined for an event that another line already covers. */
export function describeCallEvent(event: CallEvent): string | undefined {
  switch (event.type) {
    case 'call-start':
      return `calling ${event.model === '' ? 'the default model' : event.model}`;
    case 'cache-hit':
      return 'found in the cache';
    case 'cache-miss':
      return 'not in the cache';
    case 'cache-store':
      return 'stored in the cache';
    case 'cache-failure':
      return `the cache failed (${event.operation}); continuing without it`;
    case 'call-join':
      return 'an identical call is in progress; sharing its response';
    case 'target-skip':
      return `skipping ${event.target}: ${skipReasons[event.reason]}`;
    case 'attempt-start':
      return `attempt ${event.attempt} at ${event.target}`;
    case 'attempt-end':
      return (
        event.error &&
        `attempt ${event.attempt} failed after ${describeTime(event.duration)}: ${summariseError(event.error)}`
      );
    case 'retry-wait':
      return `waiting ${describeTime(event.delay)} before the next attempt`;
    case 'retry-refuse':
      return event.reason === 'budget'
        ? `no further attempt at ${event.target}: the retry budget is used up`
        : `no further attempt at ${event.target}: it requests too long a delay`;
    case 'fallback':
      return `falling back from ${event.from} to ${event.target}`;
    case 'continuation':
      return `${event.from} broke off after ${event.delivered} characters; ${event.target} continues`;
    case 'breaker-change':
      return `circuit breaker of ${event.target}: ${event.from} → ${event.to}`;
    case 'first-token':
      return `first token after ${describeTime(event.duration)}`;
    case 'call-end':
      return describeEnd(event);
  }
}

function describeEnd(end: Extract<CallEvent, { type: 'call-end' }>): string {
  const { outcome, target, duration, error, cost, shared } = end;
  const time = describeTime(duration);
  if (outcome === 'failed') return `failed after ${time}${error === undefined ? '' : `: ${summariseError(error)}`}`;
  if (outcome === 'left') return `stopped after ${time}`;
  const price = shared ? 'no cost' : cost === undefined ? 'cost unknown' : formatDollars(cost);
  return [`response from ${target ?? 'an unknown target'}`, time, describeTokens(end), price].join(', ');
}

function summariseError(error: SimpleAgentsError): string {
  const [line = ''] = error.message.split('\n', 1);
  return `${describeStatus(error)}${error.kind}: ${line}`;
}
