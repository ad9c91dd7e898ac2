// One turn as a library user reads it: iterate the events, or await the result, or both. It begins when reading begins;
// leaving the loop cancels it. The iterator does not throw when the turn fails: `turn-end` tells, and `result` throws.

import { SimpleAgentsError } from '../core/error.ts';
import type { Message } from '../core/message.ts';
import type { Usage } from '../core/usage.ts';
import type { AgentEvent, TurnEnd, TurnEndReason } from './event.ts';

export interface AgentResult {
  /** The last answer's words, joined where it had to be continued. */
  readonly text: string;
  /** The whole conversation, to go on from later. */
  readonly messages: readonly Message[];
  readonly reason: TurnEndReason;
  readonly usage: Usage;
  /** In US dollars; left out when it is not known. */
  readonly cost?: number;
  /** Batches of tools that ran. */
  readonly iterations: number;
}

export interface RunSource {
  events(signal: AbortSignal): AsyncGenerator<AgentEvent, void, undefined>;
  resultOf(end: TurnEnd): AgentResult;
  readonly signal?: AbortSignal;
}

const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class AgentRun implements AsyncIterable<AgentEvent> {
  readonly #source: RunSource;
  readonly #cancel = new AbortController();
  readonly #signal: AbortSignal;
  #events: AsyncGenerator<AgentEvent, void, undefined> | undefined;
  /** What `result` read ahead of the one who iterates. */
  #unread: AgentEvent[] = [];
  #reader: 'nobody' | 'iterator' | 'result' = 'nobody';
  #outcome: { readonly result: AgentResult } | { readonly error: unknown } | undefined;
  #isDone = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(source: RunSource) {
    this.#source = source;
    const { signal } = this.#cancel;
    this.#signal = source.signal === undefined ? signal : AbortSignal.any([source.signal, signal]);
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, undefined, undefined> {
    if (this.#reader !== 'nobody') throw new SimpleAgentsError('bad-request', 'a run can be read only once');
    this.#reader = 'iterator';
    return { next: () => this.#next(), return: () => this.#leave() };
  }

  /** Reads what has not been read. Throws what the turn failed with, and the signal's reason when it was cancelled. */
  async result(): Promise<AgentResult> {
    if (this.#reader === 'nobody') this.#reader = 'result';
    while (this.#outcome === undefined) await this.#pull();
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.result;
  }

  /** Ends the turn at once; the conversation stays valid. */
  cancel(reason?: unknown): void {
    this.#cancel.abort(reason);
  }

  async #next(): Promise<IteratorResult<AgentEvent, undefined>> {
    while (this.#unread.length === 0 && !this.#isDone) await this.#pull();
    const event = this.#unread.shift();
    if (event !== undefined) return { done: false, value: event };
    // Only a run that could not begin fails without an event.
    if (this.#failure !== undefined) throw this.#failure.error;
    return finished;
  }

  async #pull(): Promise<void> {
    if (this.#isDone) return;
    try {
      this.#events ??= this.#source.events(this.#signal);
      const { done, value } = await this.#events.next();
      if (done === true) this.#isDone = true;
      else this.#receive(value);
    } catch (error) {
      this.#isDone = true;
      this.#failure = { error };
      this.#outcome ??= { error };
    }
  }

  #receive(event: AgentEvent): void {
    if (this.#reader === 'iterator') this.#unread.push(event);
    if (event.type !== 'turn-end') return;
    if (event.reason === 'error') this.#outcome = { error: event.error };
    else if (event.reason === 'cancelled') this.#outcome = { error: this.#signal.reason };
    else this.#outcome = { result: this.#source.resultOf(event) };
  }

  async #leave(): Promise<IteratorReturnResult<undefined>> {
    this.cancel();
    while (!this.#isDone) await this.#pull();
    this.#unread = [];
    this.#outcome ??= { error: this.#signal.reason };
    return finished;
  }
}
