// The events of calls for open pages. Nothing is recorded while no page is open, so a gateway without pages does no work
// for this. A page sees the calls of its key only, unless the key may read the metrics.

import type { BreakerState, CallEvent } from '../../core/call.ts';
import { LiveChannel, type LiveListener, type LiveMessage } from './live-channel.ts';

/** Everything, or the name of a key. */
export type LiveAudience = { readonly key?: string };

const tickInterval = 1000;
/** Seconds for which a channel without pages is kept, so that a reload shows what happened before. */
const idleSeconds = 300;
const mostTargets = 200;

export interface LiveFeedOptions {
  readonly openStreams: () => number;
  readonly now?: () => number;
}

export class LiveFeed {
  /** By audience. The empty name sees everything. */
  readonly #channels = new Map<string, LiveChannel>();
  readonly #idle = new Map<LiveChannel, number>();
  readonly #breakers = new Map<string, BreakerState>();
  readonly #endings = new Set<() => void>();
  readonly #options: LiveFeedOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  observe(event: CallEvent, key: string | undefined): void {
    if (event.type === 'breaker-change') this.#noteBreaker(event.target, event.to);
    if (this.#channels.size === 0) return;
    const now = this.#options.now?.() ?? performance.now();
    this.#channels.get('')?.observe(event, now);
    if (key !== undefined) this.#channels.get(key)?.observe(event, now);
  }

  /** Sends what is known, then every second's news. `end` is called when the server closes. Returns how to leave. */
  join({ key = '' }: LiveAudience, listener: LiveListener, end: () => void): () => void {
    if (this.#isClosed) {
      end();
      return () => undefined;
    }
    const channel = this.#channels.get(key) ?? new LiveChannel();
    this.#channels.set(key, channel);
    this.#idle.delete(channel);
    listener({ ...channel.history, ...(key === '' ? this.#breakerMessage : {}) });
    channel.listeners.add(listener);
    this.#endings.add(end);
    this.#timer ??= setInterval(() => this.tick(), tickInterval).unref();
    return () => {
      channel.listeners.delete(listener);
      this.#endings.delete(end);
    };
  }

  /** Ends a second. Called by a timer. */
  tick(): void {
    for (const [key, channel] of this.#channels) {
      channel.tick(this.#options.openStreams());
      const idle = channel.listeners.size > 0 ? 0 : (this.#idle.get(channel) ?? 0) + 1;
      this.#idle.set(channel, idle);
      if (idle > idleSeconds) this.#forget(key, channel);
    }
  }

  /** Ends all pages' streams, so that a server that shuts down does not wait for them. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#endings) end();
    this.#endings.clear();
    this.#channels.clear();
    this.#stopWhenUnused();
  }

  #forget(key: string, channel: LiveChannel): void {
    this.#channels.delete(key);
    this.#idle.delete(channel);
    this.#stopWhenUnused();
  }

  #stopWhenUnused(): void {
    if (this.#channels.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #noteBreaker(target: string, state: BreakerState): void {
    if (!this.#breakers.has(target) && this.#breakers.size >= mostTargets) return;
    this.#breakers.set(target, state);
    this.#channels.get('')?.send(this.#breakerMessage);
  }

  get #breakerMessage(): LiveMessage {
    return { breakers: Object.fromEntries(this.#breakers) };
  }
}
