// What the pages of one audience see: a summary for each second, and the last calls. Everything is bounded, so a channel
// takes the same memory after an hour as after a minute.

import type { BreakerState, CallEvent } from '../../core/call.ts';
import { promptTokens } from '../../core/usage.ts';
import { LiveCallRecorder, type LiveCall } from './live-call.ts';

/** One second. */
export interface LiveTick {
  /** Unix milliseconds. */
  readonly time: number;
  readonly calls: number;
  readonly failed: number;
  readonly cacheHits: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly openCalls: number;
  readonly openStreams: number;
  /** Milliseconds of each call; of some if there were many. */
  readonly firstToken: readonly number[];
  readonly total: readonly number[];
  readonly targets: Readonly<Record<string, TargetTick>>;
}

export interface TargetTick {
  readonly attempts: number;
  readonly failed: number;
  /** Milliseconds to the first token. */
  readonly latency: readonly number[];
}

export interface LiveMessage {
  readonly ticks?: readonly LiveTick[];
  readonly calls?: readonly LiveCall[];
  readonly breakers?: Readonly<Record<string, BreakerState>>;
}

/** Returns false if the page does not read fast enough. Then it misses this message. */
export type LiveListener = (message: LiveMessage) => boolean;

export const liveLimits = {
  /** Summaries kept for a page that opens: five minutes. */
  ticks: 300,
  /** Finished calls kept, and sent in one second. */
  calls: 100,
  callsPerTick: 30,
  openCalls: 1000,
  samples: 200,
  targets: 50,
} as const;

export class LiveChannel {
  readonly listeners = new Set<LiveListener>();
  readonly #ticks: LiveTick[] = [];
  readonly #calls: LiveCall[] = [];
  readonly #open = new Map<string, LiveCallRecorder>();
  /** The calls that ended in this second. They are published at its end, because healing is reported after `call-end`. */
  readonly #ended = new Map<string, LiveCallRecorder>();
  #second = new SecondSummary();

  /** What a page that opens now gets first. */
  get history(): LiveMessage {
    return { ticks: this.#ticks, calls: this.#calls };
  }

  observe(event: CallEvent, now: number): void {
    const recorder = this.#recorderOf(event, now);
    recorder?.take(event, now);
    this.#second.take(event);
    if (event.type !== 'call-end' || recorder === undefined) return;
    this.#open.delete(event.call);
    if (this.#ended.size < liveLimits.openCalls) this.#ended.set(event.call, recorder);
  }

  /** Ends a second and sends it. */
  tick(openStreams: number): void {
    const tick = this.#second.toTick({ openCalls: this.#open.size, openStreams });
    push(this.#ticks, tick, liveLimits.ticks);
    this.#second = new SecondSummary();
    const calls = Array.from(this.#ended.values(), ({ call }) => call);
    this.#ended.clear();
    for (const call of calls) push(this.#calls, call, liveLimits.calls);
    this.send({ ticks: [tick], calls: calls.slice(0, liveLimits.callsPerTick) });
  }

  send(message: LiveMessage): void {
    for (const listener of this.listeners) listener(message);
  }

  #recorderOf({ call, type }: CallEvent, now: number): LiveCallRecorder | undefined {
    const known = this.#open.get(call) ?? this.#ended.get(call);
    // A call that began before the channel has no beginning to show.
    if (known !== undefined || type !== 'call-start' || this.#open.size >= liveLimits.openCalls) return known;
    const recorder = new LiveCallRecorder(call, now, Date.now());
    this.#open.set(call, recorder);
    return recorder;
  }
}

function push<T>(list: T[], item: T, most: number): void {
  list.push(item);
  if (list.length > most) list.shift();
}

interface OpenCounts {
  readonly openCalls: number;
  readonly openStreams: number;
}

class SecondSummary {
  #calls = 0;
  #failed = 0;
  #cacheHits = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cost = 0;
  readonly #firstToken = new Samples();
  readonly #total = new Samples();
  readonly #targets = new Map<string, TargetSummary>();

  take(event: CallEvent): void {
    if (event.type === 'cache-hit') this.#cacheHits++;
    else if (event.type === 'first-token') {
      this.#firstToken.add(event.duration);
      this.#targetOf(event.target)?.latency.add(event.duration);
    } else if (event.type === 'attempt-end' && event.aborted !== true) {
      const target = this.#targetOf(event.target);
      if (target === undefined) return;
      target.attempts++;
      if (event.error !== undefined) target.failed++;
    } else if (event.type === 'call-end') {
      this.#calls++;
      if (event.outcome === 'failed') this.#failed++;
      this.#total.add(event.duration);
      this.#inputTokens += promptTokens(event.usage);
      this.#outputTokens += event.usage.output;
      this.#cost += event.cost ?? 0;
    }
  }

  toTick(open: OpenCounts): LiveTick {
    const targets = [...this.#targets].map(([name, { attempts, failed, latency }]) => {
      return [name, { attempts, failed, latency: latency.values }] as const;
    });
    return {
      time: Date.now(),
      calls: this.#calls,
      failed: this.#failed,
      cacheHits: this.#cacheHits,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cost: this.#cost,
      ...open,
      firstToken: this.#firstToken.values,
      total: this.#total.values,
      targets: Object.fromEntries(targets),
    };
  }

  #targetOf(name: string): TargetSummary | undefined {
    const known = this.#targets.get(name);
    if (known !== undefined || this.#targets.size >= liveLimits.targets) return known;
    const target = { attempts: 0, failed: 0, latency: new Samples() };
    this.#targets.set(name, target);
    return target;
  }
}

interface TargetSummary {
  attempts: number;
  failed: number;
  readonly latency: Samples;
}

/** A fair sample of all values: each has the same chance to stay. */
class Samples {
  readonly values: number[] = [];
  #count = 0;

  add(value: number): void {
    this.#count++;
    if (this.values.length < liveLimits.samples) this.values.push(value);
    else {
      const place = Math.floor(Math.random() * this.#count);
      if (place < this.values.length) this.values[place] = value;
    }
  }
}
