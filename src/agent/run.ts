// One turn as a library user reads it: iterate over the events, await the result, or both. It starts when reading starts,
// and leaving the iteration cancels it. If the turn fails, the iterator does not throw: `turn-end` has the error, and
// `result` throws it.

import { SimpleAgentsError } from '../core/error.ts';
import type { Message } from '../core/message.ts';
import type { Usage } from '../core/usage.ts';
import { EventQueue } from './event-queue.ts';
import type { AgentEvent, TurnEnd, TurnEndReason } from './event.ts';
import type { TurnControl } from './loop.ts';

export interface AgentResult {
  /** The text of the last response, including its continuations. */
  readonly text: string;
  /** The complete conversation, to continue from later. */
  readonly messages: readonly Message[];
  readonly reason: TurnEndReason;
  readonly usage: Usage;
  /** In US dollars. Undefined if not known. */
  readonly cost?: number;
  /** Batches of tool calls that ran. */
  readonly iterations: number;
}

export interface RunSource {
  /** Resolves after `turn-end`; rejects if the turn could not start. */
  start(control: TurnControl): Promise<void>;
  resultOf(end: TurnEnd): AgentResult;
  readonly signal?: AbortSignal;
}

const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

export class AgentRun implements AsyncIterable<AgentEvent> {
  readonly #source: RunSource;
  readonly #cancel = new AbortController();
  readonly #signal: AbortSignal;
  readonly #queue = new EventQueue();
  #isStarted = false;
  /** At most one read at a time, however many callers wait. */
  #pulling: Promise<void> | undefined;
  /** Events that `result` read before the iterator did. */
  #unread: AgentEvent[] = [];
  #reader: 'none' | 'iterator' | 'result' = 'none';
  #outcome: { readonly result: AgentResult } | { readonly error: unknown } | undefined;
  #isDone = false;
  /** Set if the run could not start; every other failure is an event. */
  #failure: { readonly error: unknown } | undefined;

  constructor(source: RunSource) {
    this.#source = source;
    const { signal } = this.#cancel;
    this.#signal = source.signal === undefined ? signal : AbortSignal.any([source.signal, signal]);
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent, undefined, undefined> {
    if (this.#reader !== 'none') throw new SimpleAgentsError('bad-request', 'a run can be iterated only once');
    this.#reader = 'iterator';
    return { next: () => this.#next(), return: () => this.#leave() };
  }

  /** Reads the remaining events. Throws the turn's error, or the signal's reason if the turn was cancelled. */
  async result(): Promise<AgentResult> {
    if (this.#reader === 'none') this.#reader = 'result';
    while (this.#outcome === undefined) await this.#pull();
    if ('error' in this.#outcome) throw this.#outcome.error;
    return this.#outcome.result;
  }

  /** Ends the turn immediately. The conversation stays valid. */
  cancel(reason?: unknown): void {
    this.#cancel.abort(reason);
  }

  #next(): Promise<IteratorResult<AgentEvent, undefined>> {
    const event = this.#unread.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (!this.#isDone) return this.#pull().then(() => this.#next());
    return this.#failure === undefined ? Promise.resolve(finished) : Promise.reject(this.#failure.error);
  }

  #pull(): Promise<void> {
    if (this.#isDone) return Promise.resolve();
    if (!this.#isStarted) this.#start();
    this.#pulling ??= this.#queue.next().then(this.#receive);
    return this.#pulling;
  }

  #start(): void {
    this.#isStarted = true;
    this.#source
      .start({ emit: this.#queue.emit, signal: this.#signal })
      .catch((error: unknown) => {
        this.#failure = { error };
        this.#outcome ??= { error };
      })
      .finally(() => this.#queue.close());
  }

  readonly #receive = (event: AgentEvent | undefined): void => {
    this.#pulling = undefined;
    if (event === undefined) this.#isDone = true;
    else if (this.#reader === 'iterator') this.#unread.push(event);
    if (event?.type === 'turn-end') this.#settle(event);
  };

  #settle(event: TurnEnd): void {
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
