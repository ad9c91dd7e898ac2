// What a server counts: its requests, and what it is told of the calls they become. Everything about calls comes from
// the events of `core/call.ts`, so it is the same whichever policies there are.

import type { BreakerState, CallEnd, CallEvent } from '../core/call.ts';
import { Counter, Gauge, Histogram, type Metric } from './exposition.ts';

const prefix = 'simple_agents_';

/** Seconds. */
const durations = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

const breakerStates: Readonly<Record<BreakerState, number>> = { 'closed': 0, 'half-open': 1, 'open': 2 };

export class Metrics {
  readonly #requests = counter('requests_total', 'Requests by route and status.');
  readonly #requestDuration = histogram(
    'request_duration_seconds',
    'From the head of a request to the end of its answer.',
  );
  readonly #calls = counter('calls_total', 'Calls of models, by how they ended.');
  readonly #duration = histogram('call_duration_seconds', 'From asking to the end of the answer.');
  readonly #firstToken = histogram('call_first_token_seconds', 'From asking to the first content.');
  readonly #tokens = counter('tokens_total', 'Tokens, by kind.');
  readonly #cost = counter('cost_dollars_total', 'What answers cost, where the price is known.');
  readonly #attempts = counter('attempts_total', 'Attempts at targets, by how they ended.');
  readonly #retries = counter('retries_total', 'Waits before another attempt at the same target.');
  readonly #fallbacks = counter('fallbacks_total', 'Calls that went on at another target.');
  readonly #cache = counter('cache_total', 'Look-ups of the cache, by result.');
  readonly #unhandled = counter('unhandled_failures_total', 'Failures of the process that nobody caught, by kind.');
  readonly #healed = counter('healing_changes_total', 'Changes that healing made, by kind.');
  readonly #breakers = new Gauge(`${prefix}breaker_state`, '0 closed, 1 half open, 2 open.');
  readonly #streams = new Gauge(`${prefix}streams_open`, 'Streams that are being sent.');
  readonly #openStreams: () => number;

  constructor(openStreams: () => number) {
    this.#openStreams = openStreams;
  }

  countRequest({ route, status, seconds }: { route: string; status: number; seconds: number }): void {
    this.#requests.add({ route, status: String(status) });
    this.#requestDuration.observe({ route }, seconds);
  }

  countUnhandled(kind: 'rejection' | 'exception'): void {
    this.#unhandled.add({ kind });
  }

  /** `model`: what the call asked for, which its end does not tell. */
  observe(event: CallEvent, model: string): void {
    switch (event.type) {
      case 'first-token':
        this.#firstToken.observe({ target: event.target }, event.duration / 1000);
        break;
      case 'attempt-end':
        this.#attempts.add({ target: event.target, outcome: event.error?.kind ?? 'ok' });
        break;
      case 'retry-wait':
        this.#retries.add({ target: event.target, reason: event.error.kind });
        break;
      case 'fallback':
      case 'continuation':
        this.#fallbacks.add({ from: event.from, target: event.target, reason: event.error.kind });
        break;
      case 'cache-hit':
      case 'cache-miss':
      case 'cache-failure':
        this.#cache.add({ result: event.type.slice('cache-'.length) });
        break;
      case 'breaker-change':
        this.#breakers.set({ target: event.target }, breakerStates[event.to]);
        break;
      case 'answer-heal':
        for (const kind of event.kinds) this.#healed.add({ kind, part: event.tool === undefined ? 'answer' : 'tool' });
        break;
      case 'call-end':
        this.#end(model, event);
        break;
      default:
    }
  }

  render(): string {
    this.#streams.set({}, this.#openStreams());
    const metrics: readonly Metric[] = [
      this.#requests,
      this.#requestDuration,
      this.#streams,
      this.#calls,
      this.#duration,
      this.#firstToken,
      this.#tokens,
      this.#cost,
      this.#attempts,
      this.#retries,
      this.#fallbacks,
      this.#cache,
      this.#breakers,
      this.#healed,
      this.#unhandled,
    ];
    return metrics.map((metric) => metric.render()).join('');
  }

  #end(model: string, { outcome, error, target = 'none', duration, usage, cost }: CallEnd): void {
    this.#calls.add({ model, target, outcome: error?.kind ?? outcome });
    this.#duration.observe({ target }, duration / 1000);
    if (cost !== undefined) this.#cost.add({ target }, cost);
    if (usage.missing) return;
    this.#countTokens(target, 'input', usage.input);
    this.#countTokens(target, 'output', usage.output);
    this.#countTokens(target, 'cache-read', usage.cacheRead);
    this.#countTokens(target, 'cache-write', usage.cacheWrite);
    this.#countTokens(target, 'reasoning', usage.reasoning);
  }

  #countTokens(target: string, kind: string, amount = 0): void {
    if (amount > 0) this.#tokens.add({ target, kind }, amount);
  }
}

function counter(name: string, help: string): Counter {
  return new Counter(prefix + name, help);
}

function histogram(name: string, help: string): Histogram {
  return new Histogram(prefix + name, help, durations);
}
