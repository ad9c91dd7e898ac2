// The metrics of a server: its requests and its model calls. Everything about calls comes from the events of
// `core/call.ts`, so it does not depend on the policies in use.

import type { BreakerState, CallEnd, CallEvent } from '../../core/call.ts';
import type { Usage } from '../../core/usage.ts';
import { Counter, Gauge, Histogram, type Labels, type Metric } from './exposition.ts';

const prefix = 'simple_agents_';

/** Seconds. */
const durations = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

const breakerStates: Readonly<Record<BreakerState, number>> = { 'closed': 0, 'half-open': 1, 'open': 2 };

export interface MetricsOptions {
  readonly openStreams: () => number;
  readonly openConnections: () => number;
  readonly bodyBytes: () => number;
  /** The label of a model. Clients choose model names freely, so the name itself must not be used. */
  readonly modelLabel: (name: string) => string;
}

/** What `call-end` does not contain. */
export interface CallOrigin {
  /** As requested by the client. */
  readonly model: string;
  /** The name of the gateway's key. */
  readonly key: string | undefined;
}

export class Metrics {
  readonly #requests = counter('requests_total', 'Requests by route and status.');
  readonly #requestDuration = histogram(
    'request_duration_seconds',
    'From the request headers to the end of the response.',
  );
  readonly #calls = counter('calls_total', 'Model calls, by outcome.');
  readonly #duration = histogram('call_duration_seconds', 'From the start of a model call to its end.');
  readonly #firstToken = histogram('call_first_token_seconds', 'From the start of a model call to its first content.');
  readonly #tokens = counter('tokens_total', 'Tokens, by kind.');
  readonly #cost = counter('cost_dollars_total', 'Cost of model calls in US dollars, where the price is known.');
  readonly #attempts = counter('attempts_total', 'Attempts at targets, by outcome.');
  readonly #retries = counter('retries_total', 'Waits before another attempt at the same target.');
  readonly #fallbacks = counter('fallbacks_total', 'Calls that continued at another target.');
  readonly #cache = counter('cache_total', 'Cache lookups, by result.');
  readonly #unhandled = counter('unhandled_failures_total', 'Uncaught failures of the process, by kind.');
  readonly #healed = counter('healing_changes_total', 'Changes that healing made, by kind.');
  readonly #breakers = new Gauge(
    `${prefix}breaker_state`,
    'State of the circuit breaker: 0 closed, 1 half open, 2 open.',
  );
  readonly #streams = new Gauge(`${prefix}streams_open`, 'Open response streams.');
  readonly #connections = new Gauge(`${prefix}connections_open`, 'Open client connections.');
  readonly #bodies = new Gauge(`${prefix}body_bytes`, 'Memory used by the bodies of requests in progress.');
  readonly #authFailures = counter('auth_failures_total', 'Requests without a valid key, by reason.');
  readonly #options: MetricsOptions;

  constructor(options: MetricsOptions) {
    this.#options = options;
  }

  countRequest({ route, status, seconds }: { route: string; status: number; seconds: number }): void {
    this.#requests.add({ route, status: String(status) });
    this.#requestDuration.observe({ route }, seconds);
  }

  countUnhandled(kind: 'rejection' | 'exception'): void {
    this.#unhandled.add({ kind });
  }

  countAuthFailure(reason: 'missing' | 'wrong' | 'throttled' | 'scope'): void {
    this.#authFailures.add({ reason });
  }

  observe(event: CallEvent, origin: CallOrigin): void {
    const { modelLabel } = this.#options;
    switch (event.type) {
      case 'first-token':
        this.#firstToken.observe({ target: modelLabel(event.target) }, event.duration / 1000);
        break;
      case 'attempt-end':
        this.#attempts.add({ target: modelLabel(event.target), outcome: event.error?.kind ?? 'ok' });
        break;
      case 'retry-wait':
        this.#retries.add({ target: modelLabel(event.target), reason: event.error.kind });
        break;
      case 'fallback':
      case 'continuation':
        this.#fallbacks.add({
          from: modelLabel(event.from),
          target: modelLabel(event.target),
          reason: event.error.kind,
        });
        break;
      case 'cache-hit':
      case 'cache-miss':
      case 'cache-failure':
        this.#cache.add({ result: event.type.slice('cache-'.length) });
        break;
      case 'breaker-change':
        this.#breakers.set({ target: modelLabel(event.target) }, breakerStates[event.to]);
        break;
      case 'answer-heal':
        for (const kind of event.kinds) this.#healed.add({ kind, part: event.tool === undefined ? 'answer' : 'tool' });
        break;
      case 'call-end':
        this.#end(origin, event);
        break;
      default:
    }
  }

  render(): string {
    const { openStreams, openConnections, bodyBytes } = this.#options;
    this.#streams.set({}, openStreams());
    this.#connections.set({}, openConnections());
    this.#bodies.set({}, bodyBytes());
    const metrics: readonly Metric[] = [
      this.#requests,
      this.#requestDuration,
      this.#streams,
      this.#connections,
      this.#bodies,
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
      this.#authFailures,
    ];
    return metrics.map((metric) => metric.render()).join('');
  }

  #end(origin: CallOrigin, { outcome, error, target: answered, duration, usage, cost }: CallEnd): void {
    const { modelLabel } = this.#options;
    const { key = 'none' } = origin;
    const target = answered === undefined ? 'none' : modelLabel(answered);
    this.#calls.add({ key, model: modelLabel(origin.model), target, outcome: error?.kind ?? outcome });
    this.#duration.observe({ target }, duration / 1000);
    if (cost !== undefined) this.#cost.add({ key, target }, cost);
    if (!usage.missing) this.#countTokens({ key, target }, usage);
  }

  #countTokens(labels: Labels, { input, output, cacheRead, cacheWrite, reasoning }: Usage): void {
    const kinds = { input, output, 'cache-read': cacheRead, 'cache-write': cacheWrite, reasoning };
    for (const [kind, amount = 0] of Object.entries(kinds))
      if (amount > 0) this.#tokens.add({ ...labels, kind }, amount);
  }
}

function counter(name: string, help: string): Counter {
  return new Counter(prefix + name, help);
}

function histogram(name: string, help: string): Histogram {
  return new Histogram(prefix + name, help, durations);
}
