// `--verbose`: what happens to a call, in short lines beside the answer. Lines that come while the answer is being
// written wait for its end, for both may go to one screen.

import type { CallEvent, SkipReason } from '../core/call.ts';
import { formatDollars } from '../core/dollars.ts';
import type { SimpleAgentsError } from '../core/error.ts';
import { describeTime, describeTokens } from './response-writer.ts';
import { describeStatus } from './failure.ts';
import { toPrintable, type Paint, type TerminalOutput } from './terminal/terminal.ts';

export class CallLines {
  readonly #stream: TerminalOutput;
  readonly #paint: Paint;
  #kept: string[] = [];
  #isAnswering = false;

  constructor(stream: TerminalOutput, paint: Paint) {
    this.#stream = stream;
    this.#paint = paint;
  }

  readonly observe = (event: CallEvent): void => {
    const line = describeCallEvent(event);
    if (line !== undefined) this.#kept.push(line);
    if (event.type === 'call-start') this.#isAnswering = false;
    if (!this.#isAnswering) this.flush();
    if (event.type === 'first-token') this.#isAnswering = true;
  };

  /** Where the answer is out. */
  flush(): void {
    for (const line of this.#kept) this.#stream.write(`${this.#paint('dim', toPrintable(line, this.#stream))}\n`);
    this.#kept = [];
    this.#isAnswering = false;
  }
}

const skipReasons: Readonly<Record<SkipReason, string>> = {
  'breaker-open': 'its circuit breaker is open',
  incapable: 'it cannot do what is asked',
  'context-window': 'the request is too long for it',
};

/** Nothing for what another line says as well. */
export function describeCallEvent(event: CallEvent): string | undefined {
  switch (event.type) {
    case 'call-start':
      return `asking ${event.model === '' ? 'the default model' : event.model}`;
    case 'cache-hit':
      return 'found in the cache';
    case 'cache-miss':
      return 'not in the cache';
    case 'cache-store':
      return 'stored in the cache';
    case 'cache-failure':
      return `the cache failed (${event.operation}); going on without it`;
    case 'call-join':
      return 'the same is being asked already; its answer is shared';
    case 'target-skip':
      return `${event.target} is left out: ${skipReasons[event.reason]}`;
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
        ? `no further attempt at ${event.target}: too many are being retried`
        : `no further attempt at ${event.target}: it asks to wait too long`;
    case 'fallback':
      return `going on with ${event.target} instead of ${event.from}`;
    case 'continuation':
      return `${event.from} broke off after ${event.delivered} characters; ${event.target} goes on`;
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
  const price = shared ? 'nothing to pay' : cost === undefined ? 'cost unknown' : formatDollars(cost);
  return [`answer from ${target ?? 'nobody'}`, time, describeTokens(end), price].join(', ');
}

function summariseError(error: SimpleAgentsError): string {
  const [line = ''] = error.message.split('\n', 1);
  return `${describeStatus(error)}${error.kind}: ${line}`;
}
